"""advise: what loads a page fastest over a link."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bentpipe.cli.group import INTERRUPTED
from bentpipe.cli.options import example, json_option, set_option
from bentpipe.cli.output import echo, print_columns, print_json
from bentpipe.engine.limits import MOST_AT_ONCE
from bentpipe.errors import AbilityError

if TYPE_CHECKING:
    from bentpipe.advise.answer import Advice
    from bentpipe.advise.order import Order

GROUPS = ("client", "operator")
TOLD_EVERY_S = 5.0


@click.command(
    epilog=example("bentpipe advise --page har:front.har --link geo-viasat2 --present h2/cubic --with client")
)
@click.option("--page", required=True, help="A page (see `bentpipe pages`), har:FILE or dir:FOLDER.")
@click.option(
    "--link",
    "links",
    required=True,
    multiple=True,
    metavar="L",
    help="A preset's name (see `bentpipe links`), a TOML file, or flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms. "
    "May be repeated.",
)
@click.option(
    "--present",
    metavar="HTTP/CC[,KEY=VALUE...]",
    help="What is in use today, such as h2/cubic or h1s/bbr,tcp.initial_window=32 [default: h2/cubic].",
)
@click.option(
    "--with",
    "further",
    multiple=True,
    type=click.Choice(GROUPS),
    help="Choices of others beside the site's: of the client, or of the satellite's operator (proxies).",
)
@click.option(
    "--over",
    multiple=True,
    metavar="KEY=VALUE,...",
    help="Values of a setting to compare in place of the usual ones, such as http=h2,h3 or "
    "link.return.dama=rbdc,vbdc. May be repeated.",
)
@set_option
@click.option(
    "--budget",
    default="2 min",
    show_default=True,
    metavar="TIME",
    help='Wall time, such as "30 s", for runs.',
)
@click.option(
    "--engine",
    type=click.Choice(["emulate", "simulate"]),
    default="simulate",
    show_default=True,
    help="Searched in virtual time alone.",
)
@click.option(
    "--jobs", type=click.IntRange(1, MOST_AT_ONCE), metavar="N", help="Runs at once [default: cores]."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder of runs and answer, one of its own [default: results/advise-PAGE].",
)
@json_option
def advise(
    page: str,
    links: tuple[str, ...],
    present: str | None,
    further: tuple[str, ...],
    over: tuple[str, ...],
    settings: tuple[str, ...],
    budget: str,
    engine: str,
    jobs: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Find what loads a page fastest over links.

    Compares HTTP versions, congestion controls and settings of servers in virtual time, with ever more runs
    of those that may be the fastest, until one is significantly faster than all others, the rest are equal
    within 1 %, or the budget is spent. Writes the answer with waterfalls of the best and the present
    setting, and advice.toml, a scenario that measures both again. The same command goes on where it stopped.
    """
    from bentpipe.advise import order as orders
    from bentpipe.advise import space
    from bentpipe.advise.factors import Group
    from bentpipe.advise.question import Question
    from bentpipe.engine.simulate import NAME
    from bentpipe.scenario.written.command_line import COMMAND_LINE
    from bentpipe.scenario.written.location import Location
    from bentpipe.scenario.written.quantity import SECOND_NS, duration_ns

    if engine != NAME:
        raise AbilityError(
            "settings are compared in virtual time alone",
            "leave out --engine, and check its advice.toml by `bentpipe run advice.toml --engine emulate`",
        )
    place = Location(file=COMMAND_LINE, field="--budget")
    groups = (Group.SITE, *map(Group, further))
    choices = space.space(groups=groups, over=over, fixed=settings)
    order = orders.Order(
        question=Question(
            page=page,
            links=tuple(dict.fromkeys(links)),
            present=space.present(present, fixed=choices.fixed),
            space=choices,
        ),
        budget_s=duration_ns(budget, place, least_ns=SECOND_NS) / SECOND_NS,
        folder=out,
        jobs=jobs,
    )
    _advise(order, as_json=as_json)


def _advise(order: "Order", *, as_json: bool) -> None:
    from bentpipe.advise import order as orders
    from bentpipe.advise.document import document
    from bentpipe.advise.race import Verdict
    from bentpipe.advise.write import PAGE, SCENARIO
    from bentpipe.engine.simulate import Simulator

    given = orders.advise(order, engine=Simulator(), listener=Lines(budget_s=order.budget_s))
    if as_json:
        print_json({"folder": str(given.folder), **document(given.advice)})
    else:
        _tell(given.advice)
    echo(f"report: {given.folder / PAGE}", err=True)
    echo(f"again:  bentpipe run {given.folder / SCENARIO}", err=True)
    if any(found.verdict is Verdict.INTERRUPTED for found in given.advice.links):
        raise SystemExit(INTERRUPTED)


def _tell(advice: "Advice") -> None:
    from bentpipe.advise import sentences, table

    for found in advice.links:
        echo(f"{advice.question.page} over {found.link}")
        if found.rows:
            print_columns([table.HEADING, *table.rows_of_link(found)])
        echo("", *sentences.of_link(found, advice), "")
    if advice.whole is not None:
        echo(f"{advice.question.page} over all links together")
        print_columns([table.WHOLE_HEADING, *table.rows_of_whole(advice.whole)])
        echo("", *sentences.of_whole(advice.whole, advice), "")
    echo(sentences.of_space(advice))


class Lines:
    """Tells a search on stderr in lines; see `bentpipe.advise.progress.Listener`."""

    def __init__(self, *, budget_s: float) -> None:
        self._budget_s = budget_s
        self._started_s = self._told_s = time.monotonic()
        self._runs = self._done = self._all = 0

    def compares(self, *, settings: int, links: int, is_all: bool) -> None:
        """See Listener."""
        where = "1 link" if links == 1 else f"{links} links"
        how = (
            f"{settings} settings"
            if is_all
            else f"up to {settings} of many settings, as an optimiser proposes"
        )
        echo(f"{how} over {where}", err=True)

    def runs(self, *, runs: int) -> None:
        """See Listener."""
        self._runs, self._done = runs, 0

    def ran(self) -> None:
        """See Listener."""
        self._done += 1
        self._all += 1
        now_s = time.monotonic()
        if now_s - self._told_s >= TOLD_EVERY_S:
            self._told_s = now_s
            spent_s = now_s - self._started_s
            echo(
                f"{self._done}/{self._runs} runs, {self._all / spent_s:.0f} a second, "
                f"{max(0.0, self._budget_s - spent_s):.0f} s of the budget left",
                err=True,
            )

    def looked(self, *, runs_each: int, left: Mapping[str, int]) -> None:
        """See Listener."""
        names = ", ".join(f"{count} over {name or 'all together'}" for name, count in left.items())
        echo(f"after {runs_each} runs of each there remain {names}", err=True)
