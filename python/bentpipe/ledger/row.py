"""A row of the index, and what it has to be: the index may be somebody else's, and its names become paths."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import StrictInt, TypeAdapter, ValidationError

from bentpipe.errors import InputError
from bentpipe.model.record import RunRecord

T = TypeVar("T")

_NAME = re.compile(r"[0-9A-Za-z_-]{1,64}")
"""Of a run or a series."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One attempt as it stands in the index.

    Attributes
    ----------
    run_id, attempt, status, repetition
        As in `Entry`.
    factors, record : str
        JSON.
    series_bytes : mapping of str to int
        Length of the file of each of its series.
    """

    run_id: str
    attempt: int
    status: str
    factors: str
    repetition: int
    record: str
    series_bytes: Mapping[str, int]

    @property
    def name(self) -> str:
        """RUN_ID-ATTEMPT, by which its files are called."""
        return f"{self.run_id}-{self.attempt}"


def checked(values: Sequence[Any], *, shown: Path) -> Row:
    """Return the row of these values, those of the table's columns in their order.

    Raises
    ------
    InputError
        When Bentpipe has not written it; the index is called `shown` then.
    """
    run_id, attempt, status, factors, repetition, record, lengths = values
    texts, numbers = (run_id, status, factors, record), (attempt, repetition)
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(one, int) for one in numbers):
        raise not_ours(shown, "a row of other types")
    if not _NAME.fullmatch(run_id) or attempt < 1:
        raise not_ours(shown, f"attempt {attempt} at a run {run_id!r}")
    return Row(
        run_id=run_id,
        attempt=attempt,
        status=status,
        factors=factors,
        repetition=repetition,
        record=record,
        series_bytes=_lengths(lengths, shown=shown),
    )


def factors_of(row: Row, *, shown: Path) -> dict[str, str]:
    """Return the cell of a row; raises as `checked`."""
    return _read(_FACTORS, row.factors, of=f"factors of {row.name}", shown=shown)


def record_of(row: Row, *, shown: Path) -> RunRecord:
    """Return the record of a row; raises as `checked`."""
    return _read(_RECORD, row.record, of=f"a record of {row.name}", shown=shown)


def not_ours(shown: Path, found: str) -> InputError:
    """Return the error for a database that is no index of Bentpipe."""
    return InputError(file=str(shown), field="attempts", expected="a ledger of Bentpipe", found=found)


_FACTORS = TypeAdapter(dict[str, str])
_RECORD = TypeAdapter(RunRecord)
_LENGTHS = TypeAdapter(dict[str, StrictInt])


def _lengths(text: object, *, shown: Path) -> dict[str, int]:
    lengths = _read(_LENGTHS, text, of="lengths of series", shown=shown)
    for name, length in lengths.items():
        if not _NAME.fullmatch(name):
            raise not_ours(shown, f"a series {name!r} of {length!r} bytes")
    return lengths


def _read(adapter: TypeAdapter[T], text: object, *, of: str, shown: Path) -> T:
    if not isinstance(text, str):
        raise not_ours(shown, f"{of} that are no text")
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = "".join(f", {part}" for part in first["loc"])
        raise not_ours(shown, f"{of}{place}: {first['msg']}") from None
