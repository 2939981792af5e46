"""run, reproduce: many runs into a folder of results, with a report at the end."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bentpipe.cli import engines
from bentpipe.cli.builtin import find_study
from bentpipe.cli.group import INTERRUPTED, SOME_RUNS_FAILED
from bentpipe.cli.options import campaign_options
from bentpipe.cli.output import print_json
from bentpipe.errors import AbilityError, InputError

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
@campaign_options
def reproduce(study: str, **options: Any) -> None:
    """Repeat a published study and compare."""
    _campaign(find_study(study).scenario, **options)


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
) -> None:
    from bentpipe.campaign import Ending, execute, plan
    from bentpipe.cli.progress import progress
    from bentpipe.engine import processor, simulate
    from bentpipe.ledger import Ledger
    from bentpipe.scenario import Clock, Extent, load
    from bentpipe.scenario.where import Where

    if cluster is not None:
        raise AbilityError("running on a cluster is not available yet", "leave out --cluster")
    machine = engines.choose(engine)
    # The emulator's results have the scenario's name alone.
    is_simulated = machine.name == simulate.NAME
    scenario = load(
        file,
        overrides=settings,
        extent=Extent.QUICK if quick else Extent.FULL,
        clock=Clock.VIRTUAL if is_simulated else Clock.REAL,
    )
    specs = [cell.spec for cell in scenario.cells]
    where = Where(file=str(file), field="run")
    engines.require_congestion_controls(machine, specs, where=where.at("cc"), flows=where.at("bulk.flows"))
    engines.require_slow_start(machine, specs, where=where.at("slow_start"))
    engines.require_iperf3(machine, specs, where=where.at("client"))
    kinds = ["quick"] * quick + [simulate.NAME] * is_simulated
    folder = out or Path("results") / "-".join([scenario.name, *kinds])
    with (
        closing(machine),
        Ledger.claim(folder, {**scenario.document(), "engine": machine.name}) as ledger,
    ):
        if not resume and ledger.entries():
            raise InputError(
                file="command line", field="--no-resume", expected="an empty folder", found=str(folder)
            )
        outcome = execute(
            plan(scenario),
            engine=machine,
            ledger=ledger,
            jobs=jobs or processor.runs_at_once(specs),
            progress=progress(),
        )
        _tell_reasons(ledger)
    written = None
    if outcome.ending is Ending.COMPLETE:
        from bentpipe import report

        written = report.build(folder)
        click.echo(f"report: {written}", err=True)
    if as_json:
        counts = ("planned", "succeeded", "failed", "invalid", "not_run")
        document = {key: getattr(outcome, key) for key in counts}
        print_json({"folder": str(folder), **document, "report": None if written is None else str(written)})
    if outcome.ending is Ending.INTERRUPTED:
        raise SystemExit(INTERRUPTED)
    if outcome.succeeded < outcome.planned:
        raise SystemExit(SOME_RUNS_FAILED)


def _tell_reasons(ledger: "Ledger") -> None:
    """Print why runs have no usable number, the most frequent reason first."""
    reasons = Counter(
        f"{entry.status}: {reason}"
        for entry in ledger.best()
        if entry.status != "succeeded"
        for reason in entry.record["reasons"]
    )
    for reason, count in reasons.most_common(MOST_REASONS):
        click.echo(f"  {count} x {reason}", err=True)
