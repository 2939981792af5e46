"""Cells into the store: drawn and simulated first, then emulated, each run kept when it has ended."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from bentpipe import reasons
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.executor import execute, was_late
from bentpipe.campaign.outcome import Ending
from bentpipe.campaign.plan import PlannedRun
from bentpipe.cli.progress import LineProgress
from bentpipe.engine.simulate import Simulator
from bentpipe.ledger import Ledger, judged
from bentpipe.model.record import Status
from bentpipe.model.spec import RunSpec
from bentpipe.scenario.link.description import nominal_bps
from tools.agreement.comparing import LEAST_FOR_TEST
from tools.agreement.grid import Company
from tools.agreement.kept import FACTS
from tools.agreement_random.cells import CONFIRMED_REPETITIONS, FIXED, MOST_REPETITIONS, RandomCell
from tools.agreement_random.comparing import Compared, compared
from tools.agreement_random.mechanisms import mechanisms
from tools.agreement_random.needed import Sample
from tools.agreement_random.quantities import Quantity, Scope, lasted_s, quantities
from tools.agreement_random.store import Measured, Store, Values, seed_of
from tools.agreement_random.trial import LEAST_SPREAD, Fate, Trial, drawn, simulated, trial_of

DOUBTED = 0.02
"""Error of the first run above which a cell is measured as often as one in which chance has a say.

What the emulator itself leaves open is then known where the engines disagree.
"""
TESTED_RUNS = 25
"""Simulated with other seeds where the engines disagree: the test tells five runs from so many at 1 %."""
SAMPLED_RUNS = 60
"""Simulated with other seeds to tell how many runs the bars ask for."""
CORES_OF_A_RUN = 2
"""That the hours of emulation are told for."""
FEW_BPS, FEW_RTT_NS = 5_000_000, 300_000_000
SOME_BPS, SOME_RTT_NS = 150_000_000, 50_000_000
"""Up to this rate and from this round trip on worlds side by side measure the link and not each other, as the
bulk flows of the grid have shown."""


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
    with closing(Simulator()) as engine, ThreadPoolExecutor(_cores()) as pool:
        for cell in FIXED:
            if cell.name not in store:
                store.put(simulated(cell, engine, MOST_REPETITIONS).measured())
        wanted = [index for index in range(number) if f"{seed}-{index}" not in store]
        for index, found in zip(
            wanted, pool.map(lambda index: list(drawn(seed, index, engine)), wanted), strict=True
        ):
            fates.update(fate for fate, _ in found)
            unusual += [_unusual(trial) for fate, trial in found if fate is Fate.FAILED and trial is not None]
            taken = found[-1][1]
            assert taken is not None
            store.put(taken.measured())
            tell(f"{seed}-{index}: {len(found)} drawn")
    return Drawing(fates=fates, unusual=unusual)


def simulate(store: Store, cells: Iterable[Measured]) -> None:
    """Simulate cells afresh: these numbers follow from the program, which may have changed."""
    with closing(Simulator()) as engine, ThreadPoolExecutor(_cores()) as pool:

        def again(measured: Measured) -> Measured:
            values = simulated(measured.cell, engine, measured.repetitions).values
            return replace(measured, simulated=values)

        store.put(*pool.map(again, cells))


def emulate(store: Store, names: Sequence[str], *, engine: Engine, results: Path) -> None:
    """Measure in real time what is not there yet; those that disagree at first are measured more often.

    And those that the test tells apart, and of which no mechanism is known, once more, to be tested anew.

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
    doubtful = [store[name] for name in names if _is_doubtful(store[name])]
    _want(store, doubtful, MOST_REPETITIONS)
    emulate_missing(store, names, engine=engine, results=results)
    found = tested([each for name in names for each in compared(store[name])])
    known = {cell for mechanism in mechanisms() for cell in mechanism.cells}
    told_apart = {each.measured.cell.name for each in found if each.is_told_apart} - known
    _want(store, [store[name] for name in sorted(told_apart)], CONFIRMED_REPETITIONS)
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
        for company in sorted(Company, key=lambda company: -company.value):
            alike = [run for run in runs if company_of(run.spec) is company]
            if not alike:
                continue
            jobs = company.runs_at_once(_cores())
            outcome = execute(alike, engine=engine, ledger=ledger, jobs=jobs, progress=progress)
            progress.keep()
            if outcome.ending is Ending.INTERRUPTED:
                raise KeyboardInterrupt


def with_host_jitter(cells: Iterable[Measured]) -> list[Compared]:
    """Return the simulator with the jitter of hosts compared with itself without, in the emulator's place."""
    return _against_itself(cells, lambda cell, number: cell.with_host_jitter(cell.runs(number)))


def with_other_seeds(cells: Iterable[Measured]) -> list[Compared]:
    """Return the simulator with other seeds, as many runs, compared with itself in the emulator's place."""
    return _against_itself(cells, RandomCell.other_runs)


def samples(cells: Iterable[Measured]) -> list[Sample]:
    """Return simulated runs with other seeds of each drawn cell, as many as say how its runs vary."""
    with closing(Simulator()) as engine, ThreadPoolExecutor(_cores()) as pool:
        drawn_cells = [each.cell for each in cells if seed_of(each.cell.name) is not None]
        found = pool.map(
            lambda cell: sample_of(trial_of(cell, engine, cell.other_runs(SAMPLED_RUNS))), drawn_cells
        )
        return [sample for sample in found if sample is not None]


def sample_of(trial: Trial) -> Sample | None:
    """Return the sample that a trial is; None where its runs have no value, or the median of all is zero."""
    name, values = next(
        (name, values) for name, values in trial.values.items() if Quantity(name=name).scope is Scope.WHOLE
    )
    known = tuple(value for value in values.values() if value is not None)
    if not known or not median(known):
        return None
    succeeded = [record for record in trial.records if record.status is Status.SUCCEEDED]
    company = company_of(trial.cell.runs(1)[0].spec)
    return Sample(
        values=known,
        run_s=median(map(lasted_s, succeeded)) / company.runs_at_once(CORES_OF_A_RUN),
        varies=Quantity(name=name).spread(known[:MOST_REPETITIONS]) > LEAST_SPREAD,
    )


def tested(found: Sequence[Compared]) -> list[Compared]:
    """Return the same, those that are listed and were emulated often enough with what the tests need."""
    with closing(Simulator()) as engine, ThreadPoolExecutor(_cores()) as pool:

        def otherwise(cell: RandomCell) -> _Samples:
            runs = cell.other_runs(TESTED_RUNS)
            return _Samples(
                otherwise=trial_of(cell, engine, runs).values,
                with_jitter=trial_of(cell, engine, cell.with_host_jitter(runs)).values,
            )

        cells = {
            each.measured.cell.name: each.measured.cell
            for each in found
            if each.is_listed and len(each.emulated) >= LEAST_FOR_TEST
        }
        samples = dict(zip(cells, pool.map(otherwise, cells.values()), strict=True))
    return [_with_samples(each, samples.get(each.measured.cell.name, _Samples())) for each in found]


def company_of(spec: RunSpec) -> Company:
    """Return the company that a run bears, by the rate and the round trip of its link."""
    directions = spec.link.forward, spec.link.return_
    rate_bps = max(nominal_bps(direction.capacity) for direction in directions)
    rtt_ns = sum(direction.delay_ns for direction in directions)
    if rate_bps <= FEW_BPS and rtt_ns >= FEW_RTT_NS:
        return Company.FEW_A_CORE
    return Company.ONE_A_CORE if rate_bps <= SOME_BPS and rtt_ns >= SOME_RTT_NS else Company.ALONE


@dataclass(frozen=True, kw_only=True)
class _Samples:
    """Simulated runs of a cell with other seeds, by quantity, without and with the jitter of hosts."""

    otherwise: Mapping[str, Values] = field(default_factory=dict)
    with_jitter: Mapping[str, Values] = field(default_factory=dict)


def _with_samples(found: Compared, samples: _Samples) -> Compared:
    def known(sample: Mapping[str, Values]) -> tuple[float, ...]:
        values = sample.get(found.quantity.name, {}).values()
        return tuple(value for value in values if value is not None)

    return replace(found, otherwise=known(samples.otherwise), with_jitter=known(samples.with_jitter))


def _against_itself(
    cells: Iterable[Measured], runs_of: Callable[[RandomCell, int], Sequence[PlannedRun]]
) -> list[Compared]:
    with closing(Simulator()) as engine, ThreadPoolExecutor(_cores()) as pool:

        def again(measured: Measured) -> list[Compared]:
            runs = runs_of(measured.cell, min(measured.repetitions, MOST_REPETITIONS))
            values = trial_of(measured.cell, engine, runs).values
            return compared(replace(measured, emulated=measured.simulated, simulated=values))

        return [each for found in pool.map(again, cells) for each in found]


def _want(store: Store, cells: Iterable[Measured], repetitions: int) -> None:
    """Simulate cells so often, where they have fewer runs: as many are emulated then."""
    with closing(Simulator()) as engine:
        for each in cells:
            if each.repetitions < repetitions:
                store.put(replace(each, simulated=simulated(each.cell, engine, repetitions).values))


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


def _cores() -> int:
    return len(os.sched_getaffinity(0))
