"""From a file of budgets to findings: runs are made, more where a comparison is not certain, and judged."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bentpipe import __version__
from bentpipe.campaign import requirements
from bentpipe.campaign.engine import Engine
from bentpipe.check.baseline import Baseline
from bentpipe.check.budget import Bound, Budget, BudgetFile
from bentpipe.check.load_change import LoadChange
from bentpipe.check.page_version import OneVersion, PageVersion
from bentpipe.check.runs import Progressing, Run, Runs, Wanted, seeds
from bentpipe.check.saved import SavedCell, saved_cell
from bentpipe.check.verdict import Finding, Verdict, change_of_loads, compared, judged, unjudged
from bentpipe.engine.host import cpu_time
from bentpipe.ledger import Ledger
from bentpipe.model.spec import RunSpec
from bentpipe.scenario import Cell
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.stats import ALPHA

LOOKS = (1, 2, 4, 8)
"""Times the repetitions of a budget, by which a comparison is judged as long as it is not certain."""


@dataclass(frozen=True, kw_only=True)
class Changed:
    """What became of a page load in a cell, and the runs that it is told by."""

    cell: Cell
    change: LoadChange


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a check comes to.

    Attributes
    ----------
    file : BudgetFile
        What was checked.
    baseline : str or None
        What it was compared with, as the user has it.
    findings : sequence of Finding
        Of each budget in each cell each limit.
    changes : sequence of Changed
        Of page loads that were compared and are not what they were.
    """

    file: BudgetFile
    baseline: str | None
    findings: Sequence[Finding]
    changes: Sequence[Changed]

    @property
    def is_kept(self) -> bool:
        """Whether no limit is broken."""
        return all(finding.verdict is not Verdict.BROKEN for finding in self.findings)


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be checked.

    Attributes
    ----------
    file : BudgetFile
        The budgets.
    baseline : Baseline or None
        What those with a regression are compared with.
    folder : Path or None
        Of the runs, which are not made again; None for one that is removed.
    is_saved : bool
        Whether the runs are saved, by which a page has one version.
    jobs : int or None
        Runs at once; None for what this machine can take.
    """

    file: BudgetFile
    baseline: Baseline | None = None
    folder: Path | None = None
    is_saved: bool = False
    jobs: int | None = None


@dataclass(frozen=True, kw_only=True)
class _Task:
    """A cell of a budget, and the seeds that it is judged by; `pairs` are those that its baseline has too."""

    budget: Budget
    cell: Cell
    seeds: tuple[int, ...]
    pairs: tuple[int, ...]


def check(order: Order, *, engine: Engine, progress: Progressing) -> tuple[Checked, tuple[SavedCell, ...]]:
    """Judge every budget, and return the runs by which a later version can be compared with this one.

    The verdict is a function of budgets, site and version alone: every run is in virtual time, by seeds that
    follow from its conditions.

    Raises
    ------
    InputError
        When a budget asks for what there is not in virtual time, or for another version of a page than one
        before it where runs are kept, or the folder has something else, such as runs of another version.
    KeyboardInterrupt
        After Ctrl-C.
    StorageError
        When the disk does not take a run.
    """
    file = order.file
    cells = [(budget, cell) for budget in file.budgets for cell in budget.cells]
    for budget in file.budgets:
        specs = [RunSpec.model_validate({**cell.spec, "seed": 0}) for cell in budget.cells]
        requirements.require(engine, specs, written=budget.written.place)
    if order.is_saved or order.folder is not None:
        _require_one_version(cells)
    first = [RunSpec.model_validate({**cell.spec, "seed": 0}) for _, cell in cells]
    jobs = order.jobs or cpu_time.runs_at_once(first)
    with _ledger(order, engine) as ledger:
        where = Location(file=str(order.folder), field="--out") if order.folder else None
        runs = Runs(engine=engine, ledger=ledger, jobs=jobs, progress=progress, where=where)
        findings: dict[int, list[Finding]] = {}
        changes: dict[PageVersion, Changed] = {}
        left = list(enumerate(cells))
        for look, times in enumerate(LOOKS):
            tasks = {number: _task(order.baseline, *pair, times=times) for number, pair in left}
            runs.measure(_wanted(order.baseline, list(tasks.values())))
            for task in tasks.values():
                _require_metric(task, runs)
            for number, task in tasks.items():
                findings[number] = list(_findings(order.baseline, task, runs))
                changed = _changed(order.baseline, task, runs)
                if changed is not None:
                    changes[PageVersion.of(task.cell.spec)] = changed
            left = [(n, cells[n]) for n, task in tasks.items() if _may_gain(findings[n], task, look)]
            if not left:
                break
        saved = _saved(cells, runs)
    return Checked(
        file=file,
        baseline=None if order.baseline is None else order.baseline.name,
        findings=[finding for number in sorted(findings) for finding in findings[number]],
        changes=list(changes.values()),
    ), saved


@contextmanager
def _ledger(order: Order, engine: Engine) -> Iterator[Ledger]:
    """Open the folder of the runs, or one that is removed in the end."""
    document = {
        "name": f"check-{order.file.name}", "kind": "check", "engine": engine.name, "bentpipe": __version__,
    }  # fmt: skip
    if order.folder is not None:
        with Ledger.claim(order.folder, document) as ledger:
            yield ledger
        return
    with (
        tempfile.TemporaryDirectory(prefix="bentpipe-check-") as folder,
        Ledger.claim(Path(folder) / "runs", document) as ledger,
    ):
        yield ledger


def _task(baseline: Baseline | None, budget: Budget, cell: Cell, *, times: int) -> _Task:
    seed, repetitions = budget.scenario.seed, budget.scenario.repetitions
    pairs: tuple[int, ...] = ()
    if baseline is not None and budget.is_compared:
        pairs = baseline.seeds(cell, seed=seed, runs=repetitions * times)
    return _Task(budget=budget, cell=cell, seeds=seeds(cell.spec, seed=seed, runs=repetitions), pairs=pairs)


def _wanted(baseline: Baseline | None, tasks: Sequence[_Task]) -> list[Wanted]:
    wanted = [Wanted(cell=task.cell, seeds=(*task.seeds, *task.pairs)) for task in tasks]
    if baseline is not None:
        before = [baseline.runs(task.cell, task.pairs) for task in tasks if task.pairs]
        wanted += [each for each in before if isinstance(each, Wanted)]
    return wanted


def _require_one_version(cells: Sequence[tuple[Budget, Cell]]) -> None:
    """Raise an InputError at the first budget of which a page has another version than that of one before."""
    versions = OneVersion()
    for budget, cell in cells:
        versions.require(PageVersion.of(cell.spec), budget.where)


def _require_metric(task: _Task, runs: Runs) -> None:
    """Raise an InputError where runs succeeded and none has the metric of a budget."""
    metric = task.budget.metric.name
    found = [run.metrics for run in runs.of(Wanted(cell=task.cell, seeds=task.seeds)) if not run.failure]
    if found and not any(metric in metrics for metrics in found):
        place = task.budget.where.at("metric")
        expected = f"a metric that these runs have: {', '.join(found[0])}"
        raise place.error(expected=expected, found=quoted(metric), suggestion=closest(metric, found[0]))


def _findings(baseline: Baseline | None, task: _Task, runs: Runs) -> Iterator[Finding]:
    budget, cell = task.budget, task.cell
    for limit in budget.limits:
        if limit.bound is not Bound.REGRESSION:
            yield judged(budget, cell, limit, runs.of(Wanted(cell=cell, seeds=task.seeds)))
        elif baseline is None:
            yield unjudged(budget, cell, limit, why="there is no --baseline")
        elif not task.pairs:
            yield unjudged(budget, cell, limit, why=f"{baseline.name} has no such runs")
        else:
            yield compared(
                budget,
                cell,
                limit,
                runs.of(Wanted(cell=cell, seeds=task.pairs)),
                _before(baseline, task, runs),
                confidence=_confidence(budget),
            )


def _before(baseline: Baseline, task: _Task, runs: Runs) -> tuple[Run, ...]:
    there = baseline.runs(task.cell, task.pairs)
    return runs.of(there) if isinstance(there, Wanted) else there


def _confidence(budget: Budget) -> float:
    """Return that of each interval: those of all cells and looks of a budget hold together (Dunn 1961)."""
    return 1 - ALPHA / (len(budget.cells) * len(LOOKS))


def _changed(baseline: Baseline | None, task: _Task, runs: Runs) -> Changed | None:
    if baseline is None or not task.pairs:
        return None
    now = runs.of(Wanted(cell=task.cell, seeds=task.pairs))
    change = change_of_loads(now, _before(baseline, task, runs))
    return None if change is None or not change.is_one else Changed(cell=task.cell, change=change)


def _may_gain(findings: Sequence[Finding], task: _Task, look: int) -> bool:
    """Whether more runs may make a comparison certain that is not."""
    repetitions = task.budget.scenario.repetitions
    open_ones = [finding for finding in findings if not finding.is_certain]
    # One pair tells nothing yet; two may be the same.
    is_in_vain = len(task.pairs) > 1 and all(
        (finding.needed_pairs or 0) > repetitions * LOOKS[-1] for finding in open_ones
    )
    if not task.pairs or not open_ones or is_in_vain:
        return False
    return len(task.pairs) == repetitions * LOOKS[look]


def _saved(cells: Sequence[tuple[Budget, Cell]], runs: Runs) -> tuple[SavedCell, ...]:
    """Return the runs of each cell under each page, those of all budgets together."""
    found: dict[PageVersion, tuple[Cell, dict[int, Run]]] = {}
    for budget, cell in cells:
        chosen = seeds(cell.spec, seed=budget.scenario.seed, runs=budget.scenario.repetitions)
        made: Mapping[int, Run] = {run.seed: run for run in runs.of(Wanted(cell=cell, seeds=chosen))}
        found.setdefault(PageVersion.of(cell.spec), (cell, {}))[1].update(made)
    return tuple(
        saved_cell(of, factors=cell.factors, runs=list(by_seed.values()))
        for of, (cell, by_seed) in found.items()
    )
