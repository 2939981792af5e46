"""Tables for Arrow and Parquet that say what they are: a version of their schema, and units of columns."""

from pathlib import Path

import pyarrow
import pyarrow.ipc
import pyarrow.parquet

from bentpipe import __version__
from bentpipe.errors import InputError
from bentpipe.export.crux import NAMES
from bentpipe.stats.units import unit_of

SCHEMA_VERSION = 1
"""Of all tables; a new one says that a column has another meaning, or is gone."""
KINDS = ("parquet", "arrow")
"""By which files are named; Arrow's are in its file format, which is Feather's second version."""


def described(table: pyarrow.Table, name: str) -> pyarrow.Table:
    """Return a table with metadata: `bentpipe:table`, `bentpipe:schema_version` and `bentpipe:version`.

    Fields have their `unit`, `1` of a plain number; those of browsers that Chrome's UX Report has, too, the
    name that it has there as `crux`.
    """
    fields = [field.with_metadata(_of_field(field)) for field in table.schema]
    own = {
        "bentpipe:table": name,
        "bentpipe:schema_version": str(SCHEMA_VERSION),
        "bentpipe:version": __version__,
    }
    return table.cast(pyarrow.schema(fields, metadata=own))


def write_table(path: Path, table: pyarrow.Table, name: str) -> None:
    """Write a table to a file of the kind that its suffix says, one of KINDS."""
    content = described(table, name)
    # By a stream of Python's: pyarrow calls errors of the disk by names of its own.
    with path.open("wb") as file:
        if path.suffix == ".parquet":
            pyarrow.parquet.write_table(content, file, compression="zstd")
            return
        with pyarrow.ipc.new_file(file, content.schema) as writer:
            writer.write_table(content)


def read_table(content: bytes, *, shown: Path) -> pyarrow.Table:
    """Return the table of a file of the ledger; raises InputError where the file `shown` is none."""
    try:
        # Without threads: Arrow aborts a process that ends while they start.
        return pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content)).read(use_threads=False)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowIOError, pyarrow.ArrowNotImplementedError) as error:
        found = str(error).splitlines()[0]
        raise InputError(
            file=str(shown), field="the whole file", expected="a series as Parquet", found=found
        ) from None


def _of_field(field: pyarrow.Field) -> dict[str, str]:
    is_number = pyarrow.types.is_integer(field.type) or pyarrow.types.is_floating(field.type)
    unit = unit_of(field.name) if is_number else None
    told = {} if unit is None else {"unit": unit}
    return {**told, "crux": NAMES[field.name]} if field.name in NAMES else told
