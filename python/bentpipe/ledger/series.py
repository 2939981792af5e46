"""Time series as Parquet files, one for each series of an attempt."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bentpipe import invoking_user
from bentpipe.errors import InputError

Series: TypeAlias = Mapping[str, Mapping[str, Sequence[float | None]]]
"""By name, the columns of each table; a column's missing values are None."""


def write_series(path: Path, columns: Mapping[str, Sequence[float | None]]) -> int:
    """Write a table and return its length in bytes.

    Raises
    ------
    OSError
        When the disk does not take it.
    """
    import pyarrow
    import pyarrow.parquet

    # None becomes NaN.
    arrays = {name: pyarrow.array(np.asarray(values, dtype=float)) for name, values in columns.items()}
    # Left over or not: only a file that is made here is written to, whatever stood in its place.
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    with os.fdopen(descriptor, "wb") as file:
        invoking_user.give(descriptor)
        pyarrow.parquet.write_table(pyarrow.table(arrays), file, compression="zstd")
        file.flush()
        return os.fstat(descriptor).st_size


def read_series(path: Path, *, shown: Path) -> dict[str, NDArray[np.float64]]:
    """Return the columns of a table, each of shape (rows,).

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
        # Without threads, so not by `read_table`: Arrow aborts a process that ends while they start.
        table = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content)).read(use_threads=False)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowIOError) as error:
        found = str(error).splitlines()[0]
        raise InputError(
            file=str(shown), field="the whole file", expected="a series as Parquet", found=found
        ) from None
    return {name: table.column(name).to_numpy() for name in table.column_names}
