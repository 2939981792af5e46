"""What became of mutants, kept with the project: hours of computing, a file for each crate."""

import csv
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.mutant import Kind, Mutant, Outcome

FOLDER = Path("data/mutants")
_COLUMNS = ("file", "kind", "mutant", "outcome", "digest")


@dataclass(frozen=True, kw_only=True)
class Kept:
    """The outcome of a mutant, and the digest of the file as it was then."""

    outcome: Outcome
    digest: str


class Store:
    """The outcomes of a crate's mutants."""

    def __init__(self, root: Path, crate: str) -> None:
        self._root = root
        self._file = root / FOLDER / f"{crate}.csv"
        self._kept: dict[tuple[str, str, str], Kept] = {}
        if self._file.exists():
            with self._file.open(newline="") as file:
                for row in csv.DictReader(file):
                    key = (row["file"], row["kind"], row["mutant"])
                    self._kept[key] = Kept(outcome=Outcome(row["outcome"]), digest=row["digest"])

    def outcome(self, mutant: Mutant) -> Outcome | None:
        """Return what became of a mutant, none when nobody knows."""
        kept = self._kept.get(_key(mutant))
        return None if kept is None else kept.outcome

    def is_current(self, mutant: Mutant) -> bool:
        """Return whether the file is still what it was when the mutant was judged."""
        kept = self._kept.get(_key(mutant))
        return kept is not None and kept.digest == digest(self._root / mutant.file)

    def add(self, mutant: Mutant, outcome: Outcome) -> None:
        """Keep an outcome, on the disk at once."""
        self._kept[_key(mutant)] = Kept(outcome=outcome, digest=digest(self._root / mutant.file))
        self._write()

    def forget_others(self, mutants: Iterable[Mutant]) -> None:
        """Remove what is kept of mutants that are no longer among these."""
        present = {_key(mutant) for mutant in mutants}
        if any(key not in present for key in self._kept):
            self._kept = {key: kept for key, kept in self._kept.items() if key in present}
            self._write()

    def _write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".part")
        with part.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(_COLUMNS)
            for (name, kind, mutant), kept in sorted(self._kept.items()):
                writer.writerow((name, kind, mutant, kept.outcome.value, kept.digest))
        part.replace(self._file)


def digest(file: Path) -> str:
    """Return what tells a file's text from another's."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def _key(mutant: Mutant) -> tuple[str, str, str]:
    return (str(mutant.file), Kind(mutant.kind).value, mutant.name)
