"""A row of the index, and what it has to be: the index may be somebody else's, and its names become paths."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bentpipe.errors import InputError

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
    series_bytes : mapping of str to int, or None
        Length of the file of each of its series; None in folders from before these were kept.
    """

    run_id: str
    attempt: int
    status: str
    factors: str
    repetition: int
    record: str
    series_bytes: Mapping[str, int] | None

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
        series_bytes=None if lengths is None else _lengths(lengths, shown=shown),
    )


def factors_of(row: Row, *, shown: Path) -> dict[str, Any]:
    """Return the cell of a row; raises as `checked`."""
    return _object(row.factors, shown=shown)


def record_of(row: Row, *, shown: Path) -> dict[str, Any]:
    """Return the record of a row; raises as `checked`."""
    record = _object(row.record, shown=shown)
    if not isinstance(record.get("status"), str) or not isinstance(record.get("reasons"), list):
        raise not_ours(shown, f"a record of {row.name} without status or reasons")
    return record


def not_ours(shown: Path, found: str) -> InputError:
    """Return the error for a database that is no index of Bentpipe."""
    return InputError(file=str(shown), field="attempts", expected="a ledger of Bentpipe", found=found)


def _lengths(text: Any, *, shown: Path) -> dict[str, int]:
    lengths = _object(text, shown=shown)
    for name, length in lengths.items():
        if not _NAME.fullmatch(name) or type(length) is not int:
            raise not_ours(shown, f"a series {name!r} of {length!r} bytes")
    return lengths


def _object(text: Any, *, shown: Path) -> dict[str, Any]:
    try:
        content = json.loads(text)
    # Besides text that is no JSON: numbers too long, and nesting too deep, for Python.
    except (TypeError, ValueError, RecursionError) as error:
        raise not_ours(shown, str(error)) from None
    if not isinstance(content, dict):
        raise not_ours(shown, "JSON that is no object")
    return content
