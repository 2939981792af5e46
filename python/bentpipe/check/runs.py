"""The runs that budgets are judged by: of each cell those of certain seeds, made once, kept in a ledger."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from bentpipe.campaign.engine import Engine
from bentpipe.campaign.executor import execute
from bentpipe.campaign.outcome import Ending
from bentpipe.campaign.plan import SEED_BITS, PlannedRun, run_id
from bentpipe.campaign.progress import Progress
from bentpipe.check.load import Load, load_of
from bentpipe.check.page_version import OneVersion, PageVersion, conditions
from bentpipe.ledger import Ledger
from bentpipe.model.record import RunRecord, Status
from bentpipe.reasons import causes, told
from bentpipe.scenario import Cell, canonical_json
from bentpipe.scenario.written.location import Location
from bentpipe.stats.metrics import metrics_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A run as a budget sees it.

    Attributes
    ----------
    seed : int
        Of its random numbers.
    metrics : mapping of str to float
        Those that it has; none of a run that did not succeed.
    load : Load or None
        Of a page load.
    failure : str
        Why it has no numbers; empty where it has.
    """

    seed: int
    metrics: Mapping[str, float]
    load: Load | None
    failure: str = ""


def run_of(record: RunRecord) -> Run:
    """Return a run by its record."""
    seed = record.spec.seed
    if record.status is not Status.SUCCEEDED:
        reasons = "; ".join(told(reason, record) for reason in causes(record.reasons))
        return Run(seed=seed, metrics={}, load=None, failure=reasons)
    metrics = {name: value for name, value in metrics_of(record).items() if value is not None}
    return Run(seed=seed, metrics=metrics, load=load_of(record))


def seeds(spec: Mapping[str, object], *, seed: int, runs: int) -> tuple[int, ...]:
    """Return the seeds of the first runs of a cell.

    They depend on the conditions alone: every version of a site meets the same losses, slots and waits, as
    far as its packets are the same. Over `leo-starlink` the load time of `web-shop` by HTTP/2 scatters by
    20 % from seed to seed; that of a version with 20 kB more lies 0.4 % above it, and scatters about that by
    1.4 %.
    """
    start = [seed, conditions(spec)]
    drawn = (hashlib.sha256(canonical_json([*start, number]).encode()).digest() for number in range(runs))
    return tuple(int.from_bytes(each) >> (256 - SEED_BITS) for each in drawn)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Runs of a cell by their seeds."""

    cell: Cell
    seeds: Sequence[int]


class Progressing(Protocol):
    """Makes what tells a lot of runs."""

    def __call__(self) -> AbstractContextManager[Progress]:
        """Return one for the next lot."""


class Runs:
    """Makes runs that there are not yet, and knows all.

    Parameters
    ----------
    engine : Engine
        What measures, in virtual time.
    ledger : Ledger
        Open for writing; what it has is not measured again.
    jobs : int
        Runs at once.
    progress : Progressing
        What tells of them.
    where : Location or None
        What names the ledger; None of one that is removed, where each run is found by its own name alone.

    Raises
    ------
    InputError
        When a ledger that is kept has runs of two versions of a page.
    """

    def __init__(
        self, *, engine: Engine, ledger: Ledger, jobs: int, progress: Progressing, where: Location | None
    ) -> None:
        self._engine, self._ledger, self._jobs, self._progress = engine, ledger, jobs, progress
        self._where, self._versions = where, OneVersion()
        self._runs: dict[str, Run] = {}
        self._ids: dict[tuple[int, int], tuple[Cell, str]] = {}
        for entry in ledger.best():
            self._require_one_version(PageVersion.of_record(entry.record))
            self._runs[entry.run_id] = run_of(entry.record)

    def measure(self, wanted: Iterable[Wanted]) -> None:
        """Make those that there are not.

        Raises
        ------
        InputError
            When a page is wanted, under one name, in another version than a ledger has that is kept.
        KeyboardInterrupt
            When Ctrl-C came, for budgets are not judged by a part of their runs.
        StorageError
            When the disk does not take a run.
        """
        missing: dict[str, PlannedRun] = {}
        for each in wanted:
            self._require_one_version(PageVersion.of(each.cell.spec))
            for repetition, seed in enumerate(each.seeds):
                name = self._id(each.cell, seed)
                if name not in self._runs:
                    missing[name] = PlannedRun(run_id=name, cell=each.cell, repetition=repetition, seed=seed)
        if not missing:
            return
        with self._progress() as told:
            outcome = execute(
                list(missing.values()),
                engine=self._engine,
                ledger=self._ledger,
                jobs=self._jobs,
                progress=told,
            )
        if outcome.ending is Ending.INTERRUPTED:
            raise KeyboardInterrupt
        self._runs |= {
            entry.run_id: run_of(entry.record) for entry in self._ledger.best() if entry.run_id in missing
        }

    def of(self, wanted: Wanted) -> tuple[Run, ...]:
        """Return runs that were measured, in the order of their seeds."""
        return tuple(self._runs[self._id(wanted.cell, seed)] for seed in wanted.seeds)

    def _require_one_version(self, found: PageVersion) -> None:
        if self._where is not None:
            self._versions.require(found, self._where)

    def _id(self, cell: Cell, seed: int) -> str:
        """Return the name of a run; a cell is told by what it is in memory, where it is kept meanwhile."""
        key = (id(cell), seed)
        if key not in self._ids:
            self._ids[key] = cell, run_id({**cell.spec, "seed": seed})
        return self._ids[key][1]
