"""Cells into the store: drawn and simulated first, then emulated, each run kept when it has ended."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bentpipe import reasons
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.executor import execute, was_late
from bentpipe.campaign.outcome import Ending
from bentpipe.campaign.plan import PlannedRun
from bentpipe.cli.progress import LineProgress
from bentpipe.ledger import Ledger, judged
from bentpipe.model.record import Status
from tools.agreement.grid import Company
from tools.agreement.kept import FACTS
from tools.agreement_random.cells import FIRST_REPETITIONS, FIXED, RandomCell
from tools.agreement_random.company import company_of
from tools.agreement_random.comparing import compared
from tools.agreement_random.planning import planned_runs
from tools.agreement_random.quantities import Scope, quantities
from tools.agreement_random.sampling import samples
from tools.agreement_random.simulating import cores, of_each
from tools.agreement_random.store import Measured, Store
from tools.agreement_random.trial import Fate, Trial, drawn, simulated, trial_of

DOUBTED = 0.02
"""Error of the first run above which a cell is measured as often as one in which chance has a say.

What the emulator itself leaves open is then known where the engines disagree.
"""


@dataclass(frozen=True, kw_only=True)
class Unusual:
    """A candidate that is a scenario and does not succeed in virtual time."""

    cell: RandomCell
    why: str


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What became of all candidates for the cells that were drawn."""

    fates: Counter[Fate]
    unusual: Sequence[Unusual]


def draw(store: Store, *, seed: int, number: int, tell: Callable[[str], None]) -> Drawing:
    """Draw the cells that the set of this seed does not have yet, up to so many, and the fixed ones."""
    fates: Counter[Fate] = Counter()
    unusual: list[Unusual] = []
    fixed = [cell for cell in FIXED if cell.name not in store]
    trials = of_each(fixed, lambda cell, engine: simulated(cell, engine, FIRST_REPETITIONS))
    store.put(*(trial.measured() for trial in trials))
    wanted = [index for index in range(number) if f"{seed}-{index}" not in store]

    def try_number(index: int, engine: Engine) -> list[tuple[Fate, Trial | None]]:
        tried = list(drawn(seed, index, engine))
        tell(f"{seed}-{index}: {len(tried)} drawn")
        return tried

    for found in of_each(wanted, try_number):
        fates.update(fate for fate, _ in found)
        unusual += [_unusual(trial) for fate, trial in found if fate is Fate.FAILED and trial is not None]
        taken = found[-1][1]
        assert taken is not None
        store.put(taken.measured())
    return Drawing(fates=fates, unusual=unusual)


def simulate(store: Store, cells: Iterable[Measured]) -> None:
    """Simulate cells afresh: these numbers follow from the program, which may have changed."""
    store.put(*of_each(cells, lambda cell, engine: _simulated(cell, engine, cell.repetitions)))


def emulate(store: Store, names: Sequence[str], *, engine: Engine, results: Path) -> None:
    """Measure in real time what is not there yet; those that disagree at first are measured more often.

    And those in which chance decides as often as is planned for each.

    Parameters
    ----------
    store : Store
        Takes each run when it has ended.
    names : sequence of str
        The cells.
    engine : Engine
        The emulator.
    results : Path
        A folder for the ledger of the runs, which may be there already.

    Raises
    ------
    KeyboardInterrupt
        When it was interrupted; what has been measured by then is in the store.
    """
    emulate_missing(store, names, engine=engine, results=results)
    _want(store, {name: FIRST_REPETITIONS for name in names if _is_doubtful(store[name])})
    emulate_missing(store, names, engine=engine, results=results)
    left = [store[name].cell for name in names if left_to_chance(store[name])]
    _want(store, {name: planned_runs(sample) for name, sample in samples(left).items()})
    emulate_missing(store, names, engine=engine, results=results)


def emulate_missing(store: Store, names: Sequence[str], *, engine: Engine, results: Path) -> None:
    """Measure what is not there yet of these cells; see `emulate`."""
    missing = [
        (store[name].cell, run)
        for name in names
        for run in store[name].cell.runs(store[name].repetitions)
        if run.repetition in store[name].missing
    ]
    cells = {run.run_id: cell.name for cell, run in missing}
    runs = [run for _, run in missing]
    document = {"name": "agreement-random", "engine": engine.name}
    with Ledger.claim(results / engine.name, document) as ledger:
        progress = _Keeping(store, ledger, cells=cells, runs={run.run_id: run for run in runs})
        progress.keep()
        bearing = _companies([cell for cell, _ in missing])
        for company in sorted(Company, key=lambda company: -company.value):
            alike = [run for cell, run in missing if bearing[cell.name] is company]
            if not alike:
                continue
            jobs = company.runs_at_once(cores())
            outcome = execute(alike, engine=engine, ledger=ledger, jobs=jobs, progress=progress)
            progress.keep()
            if outcome.ending is Ending.INTERRUPTED:
                raise KeyboardInterrupt


def left_to_chance(measured: Measured) -> bool:
    """Whether chance decides what a cell says as a whole."""
    return any(found.chance_decides for found in compared(measured) if found.quantity.scope is Scope.WHOLE)


def _want(store: Store, wanted: Mapping[str, int]) -> None:
    """Simulate cells so often, where they have fewer runs: as many are emulated then."""
    more = [store[name] for name, runs in wanted.items() if store[name].repetitions < runs]
    store.put(*of_each(more, lambda cell, engine: _simulated(cell, engine, wanted[cell.cell.name])))


def _simulated(measured: Measured, engine: Engine, repetitions: int) -> Measured:
    return replace(measured, simulated=simulated(measured.cell, engine, repetitions).values)


def _companies(cells: Iterable[RandomCell]) -> Mapping[str, Company]:
    """Return the company that each cell bears, by its name."""
    each_once = {cell.name: cell for cell in cells}
    trials = of_each(each_once.values(), lambda cell, engine: trial_of(cell, engine, cell.runs(1)))
    return {trial.cell.name: company_of(trial.records[0]) for trial in trials}


def _is_doubtful(measured: Measured) -> bool:
    return measured.repetitions == 1 and any(abs(found.error) > DOUBTED for found in compared(measured))


class _Keeping(LineProgress):
    """Progress that has the store take each run that has ended for good."""

    def __init__(
        self, store: Store, ledger: Ledger, *, cells: dict[str, str], runs: dict[str, PlannedRun]
    ) -> None:
        super().__init__()
        self._store, self._ledger = store, ledger
        self._cells, self._runs = cells, runs

    def judged(self, *, status: str) -> None:
        """See Progress."""
        super().judged(status=status)
        self.keep()

    def keep(self) -> None:
        """Put into the store what the ledger has of the runs that are wanted."""
        for entry in judged(self._ledger.entries()):
            run = self._runs.get(entry.run_id)
            if run is None or was_late(entry.record):
                continue
            del self._runs[entry.run_id]
            record = entry.record
            succeeded = record.status is Status.SUCCEEDED
            values = dict(quantities(record)) if succeeded else {}
            facts = {fact: record.provenance.get(fact, "") for fact in FACTS}
            measured = self._store[self._cells[entry.run_id]]
            self._store.put(measured.with_emulated(run.repetition, values, facts))


def _unusual(trial: Trial) -> Unusual:
    record = next(record for record in trial.records if record.status is not Status.SUCCEEDED)
    return Unusual(cell=trial.cell, why="; ".join(map(reasons.sentence, record.reasons)))
