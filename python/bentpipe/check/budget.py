"""A file of budgets, read and resolved: which cells each is about, and what their runs are held to."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bentpipe.check.budget_schema import BudgetFileTable, BudgetTable
from bentpipe.check.measured import Written, written
from bentpipe.check.metric import Metric, Statistic, metric, share, statistic
from bentpipe.scenario import Cell, Scenario, defaults
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.table import validated
from bentpipe.scenario.written.toml import read_toml


class Bound(Enum):
    """How a limit bounds: the statistic, or its change for the worse against a baseline."""

    BELOW = "below"
    ABOVE = "above"
    REGRESSION = "regression"


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A bound, with its value in the metric's own unit, of a regression as a ratio less one."""

    bound: Bound
    value: float


@dataclass(frozen=True, kw_only=True)
class Budget:
    """One budget.

    Attributes
    ----------
    name : str
        As its author calls it, or else its number.
    metric : Metric
        What is bounded.
    statistic : Statistic
        Of the runs of a cell.
    limits : tuple of Limit
        All are to be kept in each cell.
    scenario : Scenario
        The cells, how often each is run, and the seed.
    written : Written
        What the scenario was made of.
    where : Location
        The budget in its file.
    """

    name: str
    metric: Metric
    statistic: Statistic
    limits: tuple[Limit, ...]
    scenario: Scenario
    written: Written
    where: Location

    @property
    def cells(self) -> Sequence[Cell]:
        """The cells that it is about."""
        return self.scenario.cells

    @property
    def is_compared(self) -> bool:
        """Whether it bounds a change against a baseline."""
        return any(limit.bound is Bound.REGRESSION for limit in self.limits)


@dataclass(frozen=True, kw_only=True)
class BudgetFile:
    """The budgets of a file."""

    name: str
    budgets: tuple[Budget, ...]
    where: Location


def read_budgets(path: Path) -> BudgetFile:
    """Return the budgets of a file.

    Raises
    ------
    InputError
        For everything in it that cannot be used; nothing has been run then.
    """
    where = Location(file=str(path))
    table = validated(BudgetFileTable, read_toml(path), where)
    if not table.budget:
        raise where.at("budget").error(expected="one budget at least", found="an empty list")
    places = [where.at(f"budget.{number}") for number in range(1, len(table.budget) + 1)]
    budgets = tuple(
        _budget(table, each, number=number, path=path, place=place)
        for number, (each, place) in enumerate(zip(table.budget, places, strict=True), start=1)
    )
    seen: set[str] = set()
    for budget, place in zip(budgets, places, strict=True):
        if budget.name in seen:
            expected = "a name that no other budget has"
            raise place.at("name").error(expected=expected, found=quoted(budget.name))
        seen.add(budget.name)
    return BudgetFile(name=table.name or path.stem, budgets=budgets, where=where)


def _budget(head: BudgetFileTable, table: BudgetTable, *, number: int, path: Path, place: Location) -> Budget:
    of = metric(table.metric, place.at("metric"))
    by = statistic(table.statistic or defaults.CHECK_STATISTIC, place.at("statistic"))
    limits = _limits(table, of, by, place)
    measured = written(head, table, path=path, place=place, repetitions=defaults.CHECK_REPETITIONS)
    return Budget(
        name=table.name or f"budget {number}",
        metric=of,
        statistic=by,
        limits=limits,
        scenario=measured.resolved(),
        written=measured,
        where=place,
    )


def _limits(table: BudgetTable, of: Metric, by: Statistic, place: Location) -> tuple[Limit, ...]:
    limits = [
        Limit(bound=bound, value=of.limit(value, place.at(bound.value)))
        for bound, value in ((Bound.BELOW, table.below), (Bound.ABOVE, table.above))
        if value is not None
    ]
    if table.regression is not None:
        where = place.at("regression")
        if not by.has_interval:
            expected = f"nothing, as runs do not say how sure the {by.name} of them is"
            raise where.error(expected=expected, found=quoted(table.regression))
        limits.append(Limit(bound=Bound.REGRESSION, value=share(table.regression, where)))
    if not limits:
        raise place.error(expected="a limit: below, above or regression", found="none")
    return tuple(limits)
