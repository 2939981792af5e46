"""Columns of tables, each with what stands in it for an item: key, heading and value in one place."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from bentpipe.studies.measure import mean_of, reach_of
from bentpipe.studies.study import RUNS, Column, Row

Item = TypeVar("Item")
Item_contra = TypeVar("Item_contra", contravariant=True)
Value: TypeAlias = str | float | None


@dataclass(frozen=True, kw_only=True)
class Filled(Generic[Item_contra]):
    """A column, and what stands in it for an item; None is what was not measured."""

    column: Column
    of: Callable[[Item_contra], Value]


def filled(
    key: str, heading: str, of: Callable[[Item], Value], *, decimals: int | None = None
) -> Filled[Item]:
    """A column by its key in JSON (with the unit), its heading and its decimals."""
    return Filled(column=Column(key=key, heading=heading, decimals=decimals), of=of)


def mean_and_reach(
    key: str,
    heading: str,
    of: Callable[[Item], Sequence[float]],
    *,
    decimals: int = 1,
    reach_decimals: int = 1,
) -> tuple[Filled[Item], Filled[Item]]:
    """A column with the mean of the runs' values, and one with what its interval reaches on either side."""
    quantity, _, unit = key.rpartition("_")
    return (
        filled(key, heading, lambda item: mean_of(of(item)), decimals=decimals),
        filled(f"{quantity}_ci_{unit}", "±", lambda item: reach_of(of(item)), decimals=reach_decimals),
    )


def count(of: Callable[[Item], int]) -> Filled[Item]:
    """The column that says how many runs there are."""
    return Filled(column=RUNS, of=of)


def headings(columns: Iterable[Filled[Item]]) -> tuple[Column, ...]:
    """The columns alone."""
    return tuple(each.column for each in columns)


def rows(columns: Sequence[Filled[Item]], items: Iterable[Item]) -> tuple[Row, ...]:
    """A row for each item."""
    return tuple({each.column.key: each.of(item) for each in columns} for item in items)
