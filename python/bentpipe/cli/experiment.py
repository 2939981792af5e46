"""run, reproduce: many runs into a folder of results, with a report at the end."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bentpipe.cli import engines
from bentpipe.cli.builtin import find_study
from bentpipe.cli.group import INTERRUPTED, SOME_RUNS_FAILED
from bentpipe.cli.options import campaign_options
from bentpipe.cli.output import echo, echo_text, print_json
from bentpipe.errors import AbilityError

if TYPE_CHECKING:
    from bentpipe.ledger import Ledger

MOST_REASONS = 10


@click.command()
@click.argument("scenario", metavar="SCENARIO.toml", type=click.Path(path_type=Path))
@campaign_options
def run(scenario: Path, **options: Any) -> None:
    """Run a scenario and write a report."""
    _campaign(scenario, **options)


@click.command()
@click.argument("study")
@click.option(
    "--client",
    "clients",
    multiple=True,
    type=click.Choice(["loader", "chromium", "firefox"]),
    help="What loads its pages. May be repeated: each loads all of them, and the report compares.",
)
@campaign_options
def reproduce(study: str, clients: tuple[str, ...], **options: Any) -> None:
    """Repeat a published study and compare.

    Its claims are judged on the runs of the client; of several on the loader's, or else the first one's, and
    a table says what they come to with each.
    """
    found, clients = find_study(study), tuple(dict.fromkeys(clients))
    settings = options.pop("settings")
    # What its user sets comes last and holds.
    settings = (*found.settings(clients or _client_set(settings)), *settings)
    _campaign(found.scenario, clients=clients, settings=settings, **options)


def _client_set(settings: tuple[str, ...]) -> tuple[str, ...]:
    """Return the client that `--set` names, if it does."""
    from bentpipe.scenario import parse_override

    values = [override.value for override in map(parse_override, settings) if override.key == "client"]
    return tuple(value for value in values[-1:] if isinstance(value, str))


def _campaign(
    file: Path,
    *,
    engine: str,
    quick: bool,
    jobs: int | None,
    out: Path | None,
    settings: tuple[str, ...],
    resume: bool,
    cluster: str | None,
    as_json: bool,
    clients: tuple[str, ...] = (),
) -> None:
    from bentpipe.campaign import Ending, execute, plan
    from bentpipe.cli.progress import progress
    from bentpipe.engine import simulate
    from bentpipe.engine.host import cpu_time
    from bentpipe.ledger import Ledger
    from bentpipe.ledger.folder import UNINDEXED
    from bentpipe.scenario import Clock, Extent, defaults, identity, load, parse_override
    from bentpipe.scenario.written.command_line import CommandLine
    from bentpipe.scenario.written.location import Location

    if cluster is not None:
        raise AbilityError("running on a cluster is not available yet", "leave out --cluster")
    machine = engines.choose(engine)
    # Results of the loader in the emulator have the scenario's name alone.
    is_simulated = machine.name == simulate.NAME
    others = () if clients == (defaults.CLIENT,) else clients
    varied = {"client": clients} if clients else {}
    scenario = load(
        file,
        overrides=settings,
        varied=varied,
        extent=Extent.QUICK if quick else Extent.FULL,
        clock=Clock.VIRTUAL if is_simulated else Clock.REAL,
    )
    runs = plan(scenario)
    specs = [run.spec for run in runs[: len(scenario.cells)]]
    overridden = [parse_override(text).key for text in settings]
    command_line = CommandLine(overridden=overridden, options=varied.keys())
    table = Location(file=str(file), field="run")
    engines.require(machine, specs, written=lambda key: command_line.place(key, table))
    kinds = ["quick"] * quick + [simulate.NAME] * is_simulated
    document = identity({**scenario.document(), "engine": machine.name})
    folder = out or Path("results") / "-".join([scenario.name, *others, *kinds])
    with (
        closing(machine),
        Ledger.claim(folder, document, is_resumed=resume) as ledger,
    ):
        if ledger.set_aside:
            aside = folder / UNINDEXED
            echo(f"{ledger.set_aside} attempts that the index does not have: moved to {aside}", err=True)
        with progress() as told:
            outcome = execute(
                runs,
                engine=machine,
                ledger=ledger,
                jobs=jobs or cpu_time.runs_at_once(specs),
                progress=told,
            )
        _tell_reasons(ledger)
    written = None
    if outcome.ending is Ending.COMPLETE:
        from bentpipe import report

        written = report.build(folder)
        echo(f"report: {written}", err=True)
    if as_json:
        counts = ("planned", "succeeded", "failed", "invalid", "not_run")
        document = {key: getattr(outcome, key) for key in counts}
        print_json({"folder": str(folder), **document, "report": None if written is None else str(written)})
    if outcome.ending is Ending.INTERRUPTED:
        raise SystemExit(INTERRUPTED)
    if outcome.succeeded < outcome.planned:
        raise SystemExit(SOME_RUNS_FAILED)


def _tell_reasons(ledger: "Ledger") -> None:
    """Print why runs have no usable number, the most frequent code first, one of each."""
    from bentpipe.reasons import sentence

    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in ledger.best():
        if entry.status != "succeeded":
            for reason in entry.record.reasons:
                reasons.setdefault((entry.status, reason.code), []).append(sentence(reason))
    by_number = sorted(reasons.items(), key=lambda item: -len(item[1]))
    for (status, _), each in by_number[:MOST_REASONS]:
        such_as = "such as " if len(set(each)) > 1 else ""
        echo_text(f"  {len(each)} x {status}: {such_as}{each[0]}", err=True)
