"""A cell in virtual time: what it says, and whether it is one that can be measured in real time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from bentpipe.campaign.engine import Engine
from bentpipe.campaign.plan import PlannedRun
from bentpipe.model.reason import TimedOutReason, VisitTimedOutReason
from bentpipe.model.record import RunRecord, Status
from tools.agreement_random.cells import FIRST_REPETITIONS, RandomCell, candidates
from tools.agreement_random.quantities import Quantity, lasted_s, quantities
from tools.agreement_random.store import Measured, Values

LONGEST_S = 25.0
"""That the workload of a run may take in real time."""
MOST_PACKETS = 200_000
"""That a run may send: what two cores carry in so many seconds."""
LEAST_SPREAD = 5e-3
"""Spread of the runs of a cell above which chance decides something: the bar of the median of all errors."""

_TIMED_OUT = TimedOutReason | VisitTimedOutReason


class Fate(Enum):
    """What becomes of a candidate."""

    TAKEN = "taken"
    REFUSED = "refused"
    """It is no scenario: settings that cannot go together."""
    FAILED = "failed"
    """It is one, and a run of it does not succeed in virtual time, though there is time enough."""
    TOO_LONG = "too long"
    TOO_MUCH = "too much"
    """More packets than a run shall have."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """The runs of a cell in virtual time, in the order of their repetitions."""

    cell: RandomCell
    records: Sequence[RunRecord]

    @property
    def fate(self) -> Fate:
        """Whether the cell is taken, and if not, why."""
        failed = [record for record in self.records if record.status is not Status.SUCCEEDED]
        if failed:
            timed_out = any(isinstance(reason, _TIMED_OUT) for reason in failed[0].reasons)
            return Fate.TOO_LONG if timed_out else Fate.FAILED
        if max(map(lasted_s, self.records)) > LONGEST_S:
            return Fate.TOO_LONG
        return Fate.TOO_MUCH if max(map(_packets, self.records)) > MOST_PACKETS else Fate.TAKEN

    @cached_property
    def values(self) -> dict[str, Values]:
        """What is compared, by quantity."""
        found: dict[str, dict[int, float | None]] = {}
        for repetition, record in enumerate(self.records):
            succeeded = record.status is Status.SUCCEEDED
            for name, value in quantities(record).items():
                found.setdefault(name, {})[repetition] = value if succeeded else None
        return dict(found)

    def measured(self) -> Measured:
        """Return the cell with one run, or with all of them where chance decides something."""
        wanted = (
            len(self.records) if any(_varies(name, values) for name, values in self.values.items()) else 1
        )
        few = {
            name: {n: value for n, value in values.items() if n < wanted}
            for name, values in self.values.items()
        }
        return Measured(cell=self.cell, simulated=few)


def simulated(cell: RandomCell, engine: Engine, repetitions: int) -> Trial:
    """Simulate the first so many runs of a cell, on hosts like those that emulate it."""
    return trial_of(cell, engine, cell.on_hosts(cell.runs(repetitions)))


def trial_of(cell: RandomCell, engine: Engine, runs: Sequence[PlannedRun]) -> Trial:
    """Simulate some runs of a cell."""
    return Trial(
        cell=cell, records=[engine.run(run_id=run.run_id, spec=run.spec, artifacts=None) for run in runs]
    )


def tried(cell: RandomCell, engine: Engine) -> Trial:
    """Simulate a candidate: once, and as often as it may be measured if that is well."""
    first = simulated(cell, engine, 1)
    return first if first.fate is not Fate.TAKEN else simulated(cell, engine, FIRST_REPETITIONS)


def drawn(seed: int, index: int, engine: Engine) -> Iterator[tuple[Fate, Trial | None]]:
    """Yield what became of each candidate for a number; the last one is the cell."""
    for candidate in candidates(seed, index):
        if candidate is None:
            yield Fate.REFUSED, None
            continue
        trial = tried(candidate, engine)
        yield trial.fate, trial
        if trial.fate is Fate.TAKEN:
            return


def _packets(record: RunRecord) -> int:
    return record.metrics.wire_packets_down + record.metrics.wire_packets_up


def _varies(name: str, values: Values) -> bool:
    known = [value for value in values.values() if value is not None]
    return 0 < len(known) < len(values) or Quantity(name=name).spread(known) > LEAST_SPREAD
