"""Time series as Parquet files: one for each series of a pack, its attempts one below the other.

The columns `run_id` and `attempt` say whose a row is. A value that is missing is NaN; a column that an
attempt does not have is null in its rows, for the tables of a pack may have different columns.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bentpipe import invoking_user
from bentpipe.errors import InputError

if TYPE_CHECKING:
    import pyarrow

Columns: TypeAlias = Mapping[str, Sequence[float | None]]
"""The columns of a table; missing values are None."""
Series: TypeAlias = Mapping[str, Columns]
"""The tables of an attempt by name."""
Arrays: TypeAlias = dict[str, NDArray[np.float64]]
"""The columns of a table as they are read, each of shape (rows,)."""

_RUN, _ATTEMPT = "run_id", "attempt"


@dataclass(frozen=True, kw_only=True)
class Table:
    """A series of one attempt."""

    run_id: str
    attempt: int
    columns: Columns

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return rows_of(self.columns)


def rows_of(columns: Columns) -> int:
    """Return the number of rows of a table."""
    return max(map(len, columns.values()), default=0)


def write_series(path: Path, tables: Sequence[Table]) -> int:
    """Write the tables of a pack to one file and return its length in bytes.

    Raises
    ------
    OSError
        When the disk does not take it.
    """
    import pyarrow
    import pyarrow.parquet

    rows = [table.rows for table in tables]
    runs = pyarrow.array([table.run_id for table in tables]).take(np.repeat(np.arange(len(tables)), rows))
    attempts = pyarrow.array(np.repeat([table.attempt for table in tables], rows), type=pyarrow.int32())
    names = dict.fromkeys(name for table in tables for name in table.columns)
    values = {name: _joined(name, tables, rows) for name in names}
    # Left over or not: only a file that is made here is written to, whatever stood in its place.
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    with os.fdopen(descriptor, "wb") as file:
        invoking_user.give(descriptor)
        content = pyarrow.table({_RUN: runs, _ATTEMPT: attempts, **values})
        pyarrow.parquet.write_table(content, file, compression="zstd")
        file.flush()
        return os.fstat(descriptor).st_size


class SeriesOfPack:
    """A series of all attempts of a pack, read from its file."""

    def __init__(self, table: "pyarrow.Table") -> None:
        runs = table.column(_RUN).combine_chunks().dictionary_encode()
        numbers = runs.indices.to_numpy(zero_copy_only=False)
        attempts = table.column(_ATTEMPT).to_numpy()
        is_first = np.ones(len(numbers), dtype=bool)
        is_first[1:] = (np.diff(numbers) != 0) | (np.diff(attempts) != 0)
        starts = np.flatnonzero(is_first)
        ends = np.append(starts[1:], len(numbers))
        names = runs.dictionary.to_pylist()
        self._rows = {
            (names[numbers[start]], int(attempts[start])): slice(int(start), int(end))
            for start, end in zip(starts, ends, strict=True)
        }
        others = [name for name in table.column_names if name not in (_RUN, _ATTEMPT)]
        self._columns = {name: table.column(name).to_numpy() for name in others}
        self._is_there = {
            name: table.column(name).is_valid().to_numpy() for name in others if table.column(name).null_count
        }

    @property
    def attempts(self) -> Iterator[tuple[str, int]]:
        """The attempts that have it, as run id and number."""
        return iter(self._rows)

    def of(self, run_id: str, attempt: int) -> Arrays:
        """Return the columns of an attempt; none when it does not have the series."""
        rows = self._rows.get((run_id, attempt))
        if rows is None:
            return {}
        return {
            name: values[rows]
            for name, values in self._columns.items()
            if name not in self._is_there or self._is_there[name][rows].any()
        }


def read_series(path: Path, *, shown: Path) -> SeriesOfPack:
    """Return what is in a file.

    Raises
    ------
    InputError
        When the file, which the user knows as `shown`, is no such table.
    OSError
        When it cannot be read.
    """
    import pyarrow
    import pyarrow.parquet

    # Opened apart, for pyarrow calls errors of the disk by the name of its own.
    with path.open("rb") as file:
        content = file.read()
    try:
        table = pyarrow.parquet.read_table(pyarrow.BufferReader(content))
        kinds = {
            name: {_RUN: pyarrow.string(), _ATTEMPT: pyarrow.int32()}.get(name, pyarrow.float64())
            for name in (_RUN, _ATTEMPT, *table.column_names)
        }
        return SeriesOfPack(table.select(list(kinds)).cast(pyarrow.schema(kinds)))
    except (pyarrow.ArrowInvalid, pyarrow.ArrowIOError, pyarrow.ArrowNotImplementedError, KeyError) as error:
        found = str(error).splitlines()[0]
        raise InputError(
            file=str(shown), field="the whole file", expected="a series as Parquet", found=found
        ) from None


def _joined(name: str, tables: Sequence[Table], rows: Sequence[int]) -> "pyarrow.Array":
    """Return a column of all tables one below the other."""
    import pyarrow

    # None becomes NaN.
    parts = [
        np.asarray(table.columns[name], dtype=float) if name in table.columns else np.full(length, np.nan)
        for table, length in zip(tables, rows, strict=True)
    ]
    has_it = [name in table.columns for table in tables]
    lacks = None if all(has_it) else np.repeat(np.logical_not(has_it), rows)
    return pyarrow.array(np.concatenate(parts), mask=lacks, from_pandas=False)
