"""The place of a value, for the error that it may cause."""

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bentpipe.errors import InputError
from bentpipe.printable import printable

LONGEST_QUOTE = 80


@dataclass(frozen=True, kw_only=True)
class Location:
    """A dotted key in a file."""

    file: str
    field: str = ""

    def at(self, key: str) -> "Location":
        """Return the place of a key below this one."""
        return replace(self, field=f"{self.field}.{key}" if self.field else key)

    def above(self) -> "Location":
        """Return the place of the table in which this key stands."""
        return replace(self, field=self.field.rpartition(".")[0])

    def error(self, *, expected: str, found: str, suggestion: str | None = None) -> InputError:
        """Return the error of a bad value here; what others wrote of it is made fit for a terminal."""
        return InputError(
            file=printable(self.file),
            field=printable(self.field or "the whole file"),
            expected=printable(expected),
            found=printable(found),
            suggestion=suggestion,
        )


def quoted(value: object) -> str:
    """Write a value as its author would recognise it, in one line."""
    if isinstance(value, dict):
        return "a table" if value else "an empty table"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, str | bool):
        text = printable(json.dumps(value, ensure_ascii=False))
        return text if len(text) <= LONGEST_QUOTE else f'{text[:LONGEST_QUOTE]}..."'
    if isinstance(value, int) and abs(value) >= 10**LONGEST_QUOTE:
        # Python refuses to write integers of thousands of digits, which hexadecimal ones of TOML may have.
        return f"an integer of more than {LONGEST_QUOTE} digits"
    return str(value)


def quoted_items(values: Iterable[object]) -> str:
    """Write a list as its author would recognise it, for one of a few items."""
    return f"[{', '.join(map(quoted, values))}]"


def closest(word: str, names: Iterable[str]) -> str | None:
    """Return the name that was probably meant by `word`, if one is near."""
    near = difflib.get_close_matches(word, list(names), n=1, cutoff=0.6)
    return near[0] if near else None
