"""Time series as Parquet files: series/<name>/<run id>-<attempt>.parquet."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Series: TypeAlias = Mapping[str, Mapping[str, Sequence[float | None]]]
"""By name, the columns of each table; a column's missing values are None."""


def series_path(folder: Path, *, name: str, run_id: str, attempt: int) -> Path:
    """Return where a series is kept."""
    return folder / "series" / name / f"{run_id}-{attempt}.parquet"


def write_series(path: Path, columns: Mapping[str, Sequence[float | None]]) -> None:
    """Write a table under a temporary name, then give it its own: a file under its name is complete."""
    import pyarrow
    import pyarrow.parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".writing")
    # None becomes NaN.
    arrays = {name: pyarrow.array(np.asarray(values, dtype=float)) for name, values in columns.items()}
    pyarrow.parquet.write_table(pyarrow.table(arrays), temporary, compression="zstd")
    temporary.replace(path)


def read_series(path: Path) -> dict[str, NDArray[np.float64]]:
    """Return the columns of a table; none when the run has no such series."""
    import pyarrow.parquet

    if not path.exists():
        return {}
    table = pyarrow.parquet.read_table(path)
    return {name: table.column(name).to_numpy() for name in table.column_names}


def series_files(folder: Path) -> Iterator[Path]:
    """Yield every file of the series' folder, complete or not."""
    yield from (path for path in (folder / "series").glob("*/*") if path.is_file())
