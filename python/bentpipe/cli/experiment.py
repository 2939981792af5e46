"""run, reproduce: many runs into a folder of results, with a report at the end."""

from collections.abc import Sequence
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
    from bentpipe.campaign import Rejection

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
    from bentpipe.campaign import Ending, Order, measure
    from bentpipe.cli.progress import progress

    if cluster is not None:
        raise AbilityError("running on a cluster is not available yet", "leave out --cluster")
    order = Order(
        scenario=file,
        settings=settings,
        clients=clients,
        is_quick=quick,
        folder=out,
        is_resumed=resume,
        jobs=jobs,
    )
    with closing(engines.choose(engine)) as machine:
        measured = measure(order, engine=machine, progress=progress())
    _tell_rejections(measured.rejections)
    outcome, written = measured.outcome, None
    if outcome.ending is Ending.COMPLETE:
        from bentpipe import report

        written = report.build(measured.folder)
        echo(f"report: {written}", err=True)
    if as_json:
        counts = ("planned", "succeeded", "failed", "invalid", "not_run")
        document = {key: getattr(outcome, key) for key in counts}
        report_of = None if written is None else str(written)
        print_json({"folder": str(measured.folder), **document, "report": report_of})
    if outcome.ending is Ending.INTERRUPTED:
        raise SystemExit(INTERRUPTED)
    if outcome.succeeded < outcome.planned:
        raise SystemExit(SOME_RUNS_FAILED)


def _tell_rejections(rejections: Sequence["Rejection"]) -> None:
    """Print why runs have no usable number, the most frequent code first, one reason of each."""
    from bentpipe.reasons import sentence

    for rejection in rejections[:MOST_REASONS]:
        sentences = [sentence(reason) for reason in rejection.reasons]
        such_as = "such as " if len(set(sentences)) > 1 else ""
        echo_text(f"  {rejection.attempts} x {rejection.status}: {such_as}{sentences[0]}", err=True)
