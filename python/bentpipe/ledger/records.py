"""The records of a pack: one line of JSON for each attempt, all of them compressed together.

What other attempts have too, the specification and the provenance, stands beside them in the index once.
"""

import zlib
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from bentpipe.ledger.row import not_ours, record_of
from bentpipe.model.record import RunRecord

MOST_BYTES = 2**30
"""Of the records of a pack: a second of the fastest engine has a thousandth of it."""

MOST_KEPT_CHARACTERS = 2**26
"""Of unpacked records in memory. A commit has runs of every cell: who reads cell by cell comes back to it."""


class Texts(Protocol):
    """The part of the index that records are read from."""

    def records(self, pack: int) -> bytes:
        """Return the records of a pack as they were written."""

    def shared(self, number: int) -> str:
        """Return a text that attempts share."""


def packed(records: Iterable[str]) -> bytes:
    """Return records as the index keeps them."""
    return zlib.compress("\n".join(records).encode())


class Records:
    """Reads records; `shown` is the index as the user knows it. The packs read last are kept unpacked."""

    def __init__(self, texts: Texts, *, shown: Path) -> None:
        self._texts, self._shown = texts, shown
        self._kept: OrderedDict[int, list[str]] = OrderedDict()
        """The lines of packs, the one read last at the end."""
        self._kept_characters = 0

    def record(self, number: int, *, pack: int, spec: int, seed: int, provenance: int) -> RunRecord:
        """Return the record of the attempt of this id in the index.

        Raises
        ------
        InputError
            When Bentpipe has not written it.
        """
        lines, place = self._lines(pack), number - pack
        if not 0 <= place < len(lines):
            raise not_ours(self._shown, f"no record of attempt {number} in pack {pack}")
        texts = self._texts
        whole = _with(texts.shared(spec), "seed", str(seed))
        text = _with(_with(lines[place], "spec", whole), "provenance", texts.shared(provenance))
        return record_of(text, of=f"attempt {number}", shown=self._shown)

    def _lines(self, pack: int) -> list[str]:
        """Return the records of a pack, which is then the last to be given up; one stays, however long."""
        if pack not in self._kept:
            self._kept[pack] = self._unpacked(pack)
            self._kept_characters += _characters(self._kept[pack])
            while self._kept_characters > MOST_KEPT_CHARACTERS and len(self._kept) > 1:
                _, lines = self._kept.popitem(last=False)
                self._kept_characters -= _characters(lines)
        self._kept.move_to_end(pack)
        return self._kept[pack]

    def _unpacked(self, pack: int) -> list[str]:
        reader = zlib.decompressobj()
        try:
            content = reader.decompress(self._texts.records(pack), MOST_BYTES)
            if not reader.eof:
                raise not_ours(self._shown, f"records of pack {pack} that have no end")
            return content.decode().split("\n")
        except (zlib.error, UnicodeDecodeError) as error:
            raise not_ours(self._shown, f"records of pack {pack}: {error}") from None


def _characters(lines: Iterable[str]) -> int:
    return sum(map(len, lines))


def _with(written: str, key: str, value: str) -> str:
    """Return an object of JSON with one more key, whose value is JSON too.

    What is no object becomes no JSON at all, as which it is refused.
    """
    before = written.rstrip().removesuffix("}")
    comma = "" if before.rstrip() == "{" else ","
    return f'{before}{comma}"{key}":{value}}}'
