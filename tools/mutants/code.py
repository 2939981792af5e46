"""Mutants of code, as cargo-mutants finds them; it only lists them, and we run them as those of constants."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from tools.mutants.mutant import Kind, Mutant

CARGO_MUTANTS = Path("build/cargo-mutants/bin/cargo-mutants")


class _Place(BaseModel):
    line: int
    column: int


class _Span(BaseModel):
    start: _Place
    end: _Place


class _Function(BaseModel):
    function_name: str


class _Listed(BaseModel):
    """What is read of an entry of `cargo mutants --list --json`."""

    package: str
    file: Path
    function: _Function | None
    span: _Span
    replacement: str
    genre: str


def listed(root: Path, crate: str) -> Iterator[Mutant]:
    """Yield the mutants of a crate.

    Raises
    ------
    subprocess.CalledProcessError
        When cargo-mutants cannot read the crate.
    """
    command = [str(root / CARGO_MUTANTS), "mutants", "--list", "--json", "--package", f"bentpipe-{crate}"]
    output = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout
    names: Counter[tuple[Path, str]] = Counter()
    for entry in json.loads(output):
        found = _Listed.model_validate(entry)
        text = (root / found.file).read_text()
        start, end = _offset(text, found.span.start), _offset(text, found.span.end)
        place = "" if found.function is None else f" in {found.function.function_name}"
        # Of a whole body only the beginning.
        was = " ".join(text[start:end].split())
        was = was if len(was) <= 40 else was[:37] + "..."
        name = f"{was} -> {found.replacement or 'nothing'}{place}"
        names[found.file, name] += 1
        if names[found.file, name] > 1:
            name = f"{name} ({names[found.file, name]})"
        yield Mutant(
            crate=crate,
            kind=Kind.CODE,
            file=found.file,
            name=name,
            start=start,
            end=end,
            replacement=found.replacement,
        )


def _offset(text: str, place: _Place) -> int:
    """Return the index in the text of a line and a column, both counted from one."""
    lines = text.splitlines(keepends=True)
    return sum(len(line) for line in lines[: place.line - 1]) + place.column - 1
