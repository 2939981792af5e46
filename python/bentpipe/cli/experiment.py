"""run, reproduce: many runs into a folder of results, with a report at the end."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bentpipe.cli import engines
from bentpipe.cli.builtin import find_study
from bentpipe.cli.group import INTERRUPTED, SOME_RUNS_FAILED
from bentpipe.cli.options import ablations_option, campaign_options, example
from bentpipe.cli.output import echo, echo_text, print_columns, print_json

if TYPE_CHECKING:
    from bentpipe.campaign.measure import Measured, Order
    from bentpipe.campaign.rejections import Rejection
    from bentpipe.report.answer import Answer
    from bentpipe.report.build import Written
    from bentpipe.scenario.ablations import Ablations
    from bentpipe.scenario.rig import Rig

MOST_REASONS = 10


@click.command(epilog=example("bentpipe run scenarios/first-page.toml --engine simulate --set cc=bbr"))
@click.argument("scenario", metavar="SCENARIO.toml", type=click.Path(path_type=Path))
@ablations_option
@campaign_options
def run(scenario: Path, is_ablated: bool, **options: Any) -> None:
    """Run a scenario and write a report."""
    from bentpipe.scenario.ablations import beside, read_ablations
    from bentpipe.scenario.rig import Rig

    ablations = read_ablations(beside(scenario)) if is_ablated else None
    _campaign(scenario, rig=Rig(), ablations=ablations, **options)


@click.command(epilog=example("bentpipe reproduce alshagri2023 --quick --engine simulate"))
@click.argument("study")
@click.option(
    "--rig",
    "rig",
    type=click.Choice(["paper", "today"]),
    default="paper",
    show_default=True,
    help="The software and hosts that the paper had, or present ones.",
)
@click.option(
    "--client",
    "clients",
    multiple=True,
    type=click.Choice(["loader", "chromium", "firefox"]),
    help="What loads its pages. May be repeated: each loads all of them, and the report compares.",
)
@ablations_option
@campaign_options
def reproduce(study: str, rig: str, clients: tuple[str, ...], is_ablated: bool, **options: Any) -> None:
    """Repeat a published study and compare.

    It is measured on the paper's rig, fact by fact as far as it is known (see `bentpipe studies NAME`). Its
    claims are judged on the runs of the client; of several on the loader's, or else the first one's, and a
    table says what they come to with each.
    """
    from bentpipe.report.rigs import TODAY
    from bentpipe.scenario.rig import Rig

    found, clients = find_study(study), tuple(dict.fromkeys(clients))
    settings = options.pop("settings")
    # What its user sets comes last and holds.
    settings = (*found.settings(clients or _client_set(settings)), *settings)
    is_today = rig == TODAY
    _campaign(
        found.scenario,
        clients=clients,
        settings=settings,
        rig=Rig() if is_today else found.rig,
        tag=TODAY if is_today else "",
        ablations=found.ablations if is_ablated else None,
        **options,
    )


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
    rig: "Rig",
    ablations: "Ablations | None",
    tag: str = "",
    clients: tuple[str, ...] = (),
) -> None:
    from bentpipe.campaign.cluster.choice import parse
    from bentpipe.campaign.measure import Order
    from bentpipe.campaign.outcome import Ending

    if cluster is None:
        engines.enter(engine)
    order = Order(
        scenario=file,
        settings=settings,
        tag=tag,
        clients=clients,
        is_quick=quick,
        folder=out,
        is_resumed=resume,
        jobs=jobs,
        cluster=None if cluster is None else parse(cluster, jobs=jobs),
    )
    parts = _measured(order, rig, ablations, engine=engine)
    for part in parts:
        _tell_rejections(part.rejections)
        if part.rejections and not part.is_of_ablations:
            echo(f"  one of them with its capture: bentpipe explain {part.folder}", err=True)
    is_complete = all(part.outcome.ending is Ending.COMPLETE for part in parts)
    reports = [_report(part, is_told=not as_json) for part in parts] if is_complete else []
    if as_json:
        from bentpipe.report.data import answer_document

        counts = ("planned", "succeeded", "failed", "invalid", "not_run")
        documents = [
            {
                "folder": str(part.folder),
                **{key: getattr(part.outcome, key) for key in counts},
                "report": str(reports[place].page) if reports else None,
                "answer": answer_document(reports[place].answer) if reports else None,
            }
            for place, part in enumerate(parts)
        ]
        first, *others = documents
        print_json({**first, "ablations": others[0]} if others else first)
    if not is_complete:
        raise SystemExit(INTERRUPTED)
    if any(part.outcome.succeeded < part.outcome.planned for part in parts):
        raise SystemExit(SOME_RUNS_FAILED)


def _measured(
    order: "Order", rig: "Rig", ablations: "Ablations | None", *, engine: str
) -> tuple["Measured", ...]:
    """Measure a scenario, and its ablations where they are asked for."""
    from dataclasses import replace

    from bentpipe.campaign.ablate import ablate
    from bentpipe.campaign.measure import measure
    from bentpipe.cli.progress import progress

    choose = engines.choose if order.cluster is None else engines.choose_elsewhere
    with closing(choose(engine)) as machine:
        able = rig.on(machine.name)
        left_out = [fact.name for fact in rig.facts if fact not in able.facts]
        if left_out:
            echo(f"not on this engine: {', '.join(left_out)}", err=True)
        order = replace(order, variations=able.variations)
        if ablations is None:
            return (measure(order, engine=machine, progress=progress()),)
        told = (progress(), progress())
        return ablate(order, able, ablations, engine=machine, progress=told[0], again=told[1]).parts


def _report(part: "Measured", *, is_told: bool) -> "Written":
    """Write the report of a folder, tell what it found, and where it is."""
    from bentpipe import report
    from bentpipe.report import ablations

    echo("writing the report", err=True)
    try:
        written = ablations.write(part.folder) if part.is_of_ablations else report.write(part.folder)
    except KeyboardInterrupt:
        echo(f"interrupted; all runs are kept, and bentpipe report {part.folder} writes it", err=True)
        raise SystemExit(INTERRUPTED) from None
    if is_told:
        _tell(written.answer)
    echo(f"report: {written.page}", err=True)
    return written


def _tell(answer: "Answer") -> None:
    for table in answer.tables:
        print_columns(table.rows, indent=0, marked=table.marked)
        echo()
    for line in (*answer.notes, *answer.sentences):
        echo(line)


def _tell_rejections(rejections: Sequence["Rejection"]) -> None:
    """Print why runs have no usable number, the most frequent code first, one reason of each."""
    from bentpipe.reasons import sentence, told

    for rejection in rejections[:MOST_REASONS]:
        such_as = "such as " if len(set(map(sentence, rejection.reasons))) > 1 else ""
        words = told(rejection.reasons[0], rejection.record)
        echo_text(f"  {rejection.attempts} x {rejection.status}: {such_as}{words}", err=True)
