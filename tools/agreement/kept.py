"""What has been emulated, kept with the project: hours of real time, which nobody wants to spend twice.

A CSV file for each scenario has a line for each attempt: the run, how it ended, the value that is compared,
and what it was measured with. Of a run whose specification has changed since nothing is taken.
"""

from collections.abc import Sequence
from pathlib import Path

from bentpipe import _core
from bentpipe.campaign.plan import PlannedRun
from bentpipe.engine import emulate
from bentpipe.ledger import Entry, Ledger
from bentpipe.model.reason import EngineFailedReason
from bentpipe.model.record import RunRecord, Status
from tools.agreement import table

FOLDER = Path(__file__).parents[2] / "data/agreement"
FACTS = ("bentpipe", "kernel", "machine", "processor", "cores", "python", "link_scheduling", "idle_cores")
"""Keys of the provenance that say what the numbers were measured with."""

_COLUMNS = ("run_id", "attempt", "status", "value")


def restore(file: Path, *, metric: str, runs: Sequence[PlannedRun], ledger: Ledger) -> None:
    """Add to a ledger what is kept of these runs, where it has nothing of them yet."""
    wanted = {run.run_id: run for run in runs if ledger.attempts(run.run_id) == 0}
    for row in table.read(file):
        run = wanted.get(row["run_id"])
        if run is not None:
            ledger.add(_entry(row, run, metric), {})
    ledger.commit()


def keep(file: Path, *, metric: str, runs: Sequence[PlannedRun], entries: Sequence[Entry]) -> None:
    """Write what has been measured, and what was kept of these runs and has not been measured again."""
    measured = {entry.run_id for entry in entries}
    others = {run.run_id for run in runs} - measured
    rows = [row for row in table.read(file) if row["run_id"] in others]
    rows += [_row(entry, metric) for entry in entries]
    # The order of the plan: what a new measurement changes is then seen.
    order = {run.run_id: index for index, run in enumerate(runs)}
    rows = sorted((row for row in rows if row["run_id"] in order), key=lambda row: order[row["run_id"]])
    if not rows:
        return
    table.write(file, rows, columns=_COLUMNS, facts=FACTS)


def _row(entry: Entry, metric: str) -> dict[str, str]:
    value = entry.metrics[metric] if entry.status == "succeeded" else None
    provenance = entry.record.provenance
    return {
        "run_id": entry.run_id,
        "attempt": str(entry.attempt),
        "status": entry.status,
        "value": "" if value is None else repr(value),
        **{fact: provenance.get(fact, "") for fact in FACTS},
    }


KEPT = EngineFailedReason(error="").to_json()
"""Makes a record without figures, to which the one that is kept is added."""


def _entry(row: dict[str, str], run: PlannedRun, metric: str) -> Entry:
    """Return the attempt with the value that is kept; of all else its record has nothing."""
    nothing = RunRecord.model_validate_json(
        _core.failed_record(
            run_id=run.run_id, engine=emulate.NAME, spec=run.spec.to_json(), provenance="{}", reason=KEPT
        )
    )
    measured = {metric: float(row["value"])} if row["value"] else {}
    known = {
        "status": Status(row["status"]),
        "reasons": [],
        "metrics": nothing.metrics.model_copy(update=measured),
        "provenance": {fact: row[fact] for fact in FACTS if row[fact]},
    }
    return Entry.of(
        nothing.model_copy(update=known),
        run_id=run.run_id,
        attempt=int(row["attempt"]),
        factors=run.cell.factors,
        repetition=run.repetition,
    )
