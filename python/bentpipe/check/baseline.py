"""What a site is compared with: another version of it, measured here, or runs that are there already."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bentpipe.check.budget import Budget, BudgetFile
from bentpipe.check.page_version import OneVersion, PageVersion, conditions
from bentpipe.check.runs import Run, Wanted, run_of, seeds
from bentpipe.check.saved import SavedCheck, read_saved, require_version, run_of_saved
from bentpipe.engine import simulate
from bentpipe.ledger import Ledger
from bentpipe.model.record import Status
from bentpipe.scenario import Cell, Override
from bentpipe.scenario.page.pages import FOLDER, HAR, PAGES
from bentpipe.scenario.written.command_line import COMMAND_LINE
from bentpipe.scenario.written.location import Location, quoted

WHERE = Location(file=COMMAND_LINE, field="--baseline")


class Baseline(Protocol):
    """What cells of budgets are compared with."""

    @property
    def name(self) -> str:
        """As the user has it."""

    def seeds(self, cell: Cell, *, seed: int, runs: int) -> tuple[int, ...]:
        """Return the seeds of which it can have runs, at most so many; none of a cell that it has not."""

    def runs(self, cell: Cell, chosen: Sequence[int]) -> Wanted | tuple[Run, ...]:
        """Return the runs of these seeds, or what is to be measured for them."""


@dataclass(frozen=True, kw_only=True)
class OtherVersion:
    """Another version of the page of all budgets, measured by the same seeds."""

    name: str
    cells: Mapping[str, Cell]
    """By their conditions."""

    def seeds(self, cell: Cell, *, seed: int, runs: int) -> tuple[int, ...]:
        """See Baseline."""
        return seeds(cell.spec, seed=seed, runs=runs) if conditions(cell.spec) in self.cells else ()

    def runs(self, cell: Cell, chosen: Sequence[int]) -> Wanted:
        """See Baseline."""
        return Wanted(cell=self.cells[conditions(cell.spec)], seeds=chosen)


@dataclass(frozen=True, kw_only=True)
class Stored:
    """Runs of a folder of results, or of a file of a check; the cells here are run by their seeds."""

    name: str
    cells: Mapping[str, Mapping[str, Mapping[int, Run]]]
    """By conditions and page, by their seeds."""
    compared: frozenset[str]
    """The pages of the budgets: runs of one of them are not those of another."""

    def seeds(self, cell: Cell, *, seed: int, runs: int) -> tuple[int, ...]:
        """See Baseline: those that a check has come first."""
        there = self._of(cell)
        own = [each for each in seeds(cell.spec, seed=seed, runs=runs) if each in there]
        return tuple(own or sorted(there)[:runs])

    def runs(self, cell: Cell, chosen: Sequence[int]) -> tuple[Run, ...]:
        """See Baseline."""
        there = self._of(cell)
        return tuple(there[seed] for seed in chosen)

    def _of(self, cell: Cell) -> Mapping[int, Run]:
        """Return the runs of a cell: of its page by name, or of the only other one under its conditions."""
        own = PageVersion.of(cell.spec)
        pages = self.cells.get(own.conditions, {})
        others = [runs for page, runs in pages.items() if page not in self.compared]
        return pages.get(own.page, others[0] if len(others) == 1 else {})


def baseline(written: str, file: BudgetFile) -> Baseline:
    """Return the baseline that `--baseline` names.

    Parameters
    ----------
    written : str
        A page (`har:FILE`, `dir:FOLDER` or a name), a folder of results, or a file of `--save`.
    file : BudgetFile
        The budgets that it is for.

    Raises
    ------
    InputError
        When it is none of these, or there is nothing in it that a budget is about.
    """
    if not _compared(file):
        expected = "a budget with `regression`, as that compares"
        raise WHERE.error(expected=expected, found=f"none in {file.where.file}")
    if written.startswith((HAR, FOLDER)) or written in PAGES:
        return _other_version(written, file)
    path = Path(written)
    if not path.exists():
        expected = f"{HAR}FILE, {FOLDER}FOLDER, a page, a folder of results or a file of --save"
        raise WHERE.error(expected=expected, found=quoted(written))
    compared = [(cell, budget.scenario.seed) for budget in _compared(file) for cell in budget.cells]
    found = Stored(
        name=written,
        cells=_of_folder(path) if path.is_dir() else _of_file(path),
        compared=frozenset(PageVersion.of(cell.spec).page for cell, _ in compared),
    )
    if not any(found.seeds(cell, seed=seed, runs=1) for cell, seed in compared):
        expected = "runs under the conditions of a budget with `regression`"
        raise WHERE.error(expected=expected, found=f"none in {written}")
    return found


def _compared(file: BudgetFile) -> list[Budget]:
    return [budget for budget in file.budgets if budget.is_compared]


def _other_version(written: str, file: BudgetFile) -> OtherVersion:
    compared = _compared(file)
    names = sorted({name for budget in compared for name in _pages(budget)})
    if len(names) > 1:
        expected = "one page in the budgets with `regression`, as this is one version of it"
        raise WHERE.error(expected=expected, found=", ".join(names))
    cells: dict[str, Cell] = {}
    for budget in compared:
        page = Override(key="page", value=_from(budget.written.folder, written))
        # Of a scenario without pages the key would be refused.
        if _pages(budget):
            cells |= {conditions(cell.spec): cell for cell in budget.written.resolved([page]).cells}
    return OtherVersion(name=written, cells=cells)


def _pages(budget: Budget) -> set[str]:
    return {page for cell in budget.cells if (page := PageVersion.of(cell.spec).page)}


def _from(folder: Path, page: str) -> str:
    """Return a page as it is named in a folder: paths of the command line start elsewhere."""
    for kind in (HAR, FOLDER):
        path = page.removeprefix(kind)
        if path != page and path:
            return kind + os.path.relpath(path, folder)
    return page


def _of_folder(path: Path) -> Mapping[str, Mapping[str, Mapping[int, Run]]]:
    cells, versions = _Cells(), OneVersion()
    where = Location(file=str(path), field="--baseline")
    with Ledger(path) as ledger:
        for entry in ledger.best():
            record = entry.record
            if record.engine.value != simulate.NAME:
                expected = "runs in virtual time, as the budgets' are"
                raise WHERE.error(expected=expected, found=f"those of --engine {record.engine} in {path}")
            require_version(record.provenance["bentpipe"], WHERE)
            if record.status is Status.SUCCEEDED:
                found = PageVersion.of_record(record)
                versions.require(found, where)
                cells.add(found.conditions, found.page, [run_of(record)])
    return cells.found


def _of_file(path: Path) -> Mapping[str, Mapping[str, Mapping[int, Run]]]:
    cells = _Cells()
    saved: SavedCheck = read_saved(path, WHERE)
    for cell in saved.cells:
        try:
            cells.add(cell.conditions, cell.page, [run_of_saved(cell, run) for run in cell.runs])
        except IndexError:
            place = Location(file=str(path), field="cells.runs.timings.object")
            raise place.error(expected="places in the list of objects", found="one beyond") from None
    return cells.found


class _Cells:
    """Runs by conditions, page and seed."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, dict[int, Run]]] = defaultdict(lambda: defaultdict(dict))

    def add(self, under: str, page: str, runs: Iterable[Run]) -> None:
        self.found[under][page] |= {run.seed: run for run in runs}
