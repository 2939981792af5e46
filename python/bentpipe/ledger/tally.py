"""A ledger counted, for those who watch it while it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bentpipe.ledger.entry import SUCCEEDED
from bentpipe.ledger.index import Index
from bentpipe.ledger.row import not_ours, texts_of
from bentpipe.stats.moments import Moments

JUDGED = f"""
CASE status
WHEN '{SUCCEEDED}' THEN NOT EXISTS (
    SELECT 1 FROM attempts AS other
    WHERE other.run_id = attempts.run_id AND other.status = '{SUCCEEDED}' AND other.id < attempts.id
)
ELSE NOT EXISTS (
    SELECT 1 FROM attempts AS other
    WHERE other.run_id = attempts.run_id AND (other.status = '{SUCCEEDED}' OR other.id > attempts.id)
)
END
"""
"""A condition on attempts that holds for one of each run, the one to be judged (`bentpipe.ledger.judged`)."""
_ROWS_AT_ONCE = 1000
"""In memory: who watches for hours shall not grow with the runs, and fewer are not read faster."""


@dataclass(frozen=True, kw_only=True)
class CellTally:
    """The runs of a cell: how many ended how, and metrics of those that succeeded, in their own units."""

    statuses: dict[str, int] = field(default_factory=dict)
    values: dict[str, Moments] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Tally:
    """A ledger at one moment.

    Attributes
    ----------
    attempts : int
        All of them.
    cells : sequence of factors and CellTally
        Those that have a run.
    unusable : mapping of (status, reasons) to (int, int)
        Of runs that did not succeed, by the codes of their reasons: how many, and the id of the last attempt.
    """

    attempts: int
    cells: Sequence[tuple[Mapping[str, str], CellTally]]
    unusable: Mapping[tuple[str, str], tuple[int, int]]


def tally(index: Index, *, metrics: Sequence[str], shown: Path) -> Tally:
    """Count a ledger, series that have been lost apart; what is in memory does not grow with the runs.

    Parameters
    ----------
    index
        Of the ledger.
    metrics
        Those whose values are wanted.
    shown
        The index as the user knows it.

    Raises
    ------
    InputError
        When Bentpipe has not written what is in the index.
    """
    last_id = index.last_id
    cells: dict[int, CellTally] = {}
    unusable: dict[tuple[str, str], tuple[int, int]] = {}
    names = ("id", "status", "reasons", "factors")
    for rows in index.columns([*names, *metrics], last_id=last_id, where=JUDGED, rows_at_once=_ROWS_AT_ONCE):
        for number, status, reasons, factors, *values in rows:
            if not isinstance(number, int) or not isinstance(factors, int):
                raise not_ours(shown, "a row of other types")
            cell = cells.setdefault(factors, CellTally())
            ending = str(status)
            cell.statuses[ending] = cell.statuses.get(ending, 0) + 1
            if ending != SUCCEEDED:
                kind = (ending, str(reasons))
                unusable[kind] = unusable.get(kind, (0, 0))[0] + 1, number
                continue
            for name, value in zip(metrics, values, strict=True):
                if isinstance(value, float):
                    cell.values.setdefault(name, Moments()).add(value)
    return Tally(
        attempts=last_id,
        cells=[(texts_of(index.shared(one), of="factors", shown=shown), cell) for one, cell in cells.items()],
        unusable=unusable,
    )
