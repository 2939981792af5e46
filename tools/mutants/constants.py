"""Mutants of constants, each number a tenth more, which no operator of cargo-mutants does."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tools.mutants.mutant import Kind, Mutant

_CONSTANT = re.compile(r"^ *(?:pub(?:\([a-z]+\))? )?const ([A-Z][A-Z0-9_]*): [^=]+= ", re.MULTILINE)
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?:0x[0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)(?![A-Za-z0-9_.]*[\"'])"
)
_TESTS = "#[cfg(test)]"
MOST_NUMBERS = 12
"""Of a longer table, so many numbers spread over it: its test compares it as a whole."""


def constants(crate: str, file: Path, text: str) -> Iterator[Mutant]:
    """Yield the mutants of a file's constants, but those of its tests."""
    names: Counter[str] = Counter()
    code = text.split(_TESTS)[0]
    for constant in _CONSTANT.finditer(code):
        end = _end(code, constant.end())
        body = _without_comments(code[constant.end() : end])
        numbers = [number for number in _NUMBER.finditer(body) if _changed(number.group()) is not None]
        for number in _spread(numbers, MOST_NUMBERS):
            replacement = _changed(number.group())
            assert replacement is not None
            name = f"{constant.group(1)}: {number.group()} -> {replacement}"
            names[name] += 1
            if names[name] > 1:
                name = f"{name} ({names[name]})"
            start = constant.end() + number.start()
            yield Mutant(
                crate=crate,
                kind=Kind.CONSTANT,
                file=file,
                name=name,
                start=start,
                end=start + len(number.group()),
                replacement=replacement,
            )


def _end(code: str, start: int) -> int:
    """Return where the expression that starts here ends: at the semicolon that is in no bracket."""
    depth = 0
    for index in range(start, len(code)):
        match code[index]:
            case "(" | "[" | "{":
                depth += 1
            case ")" | "]" | "}":
                depth -= 1
            case ";" if depth == 0:
                return index
            case _:
                pass
    return len(code)


def _without_comments(code: str) -> str:
    """Return code of the same length with blanks for comments and strings."""
    return re.sub(r"//[^\n]*|\"[^\"]*\"", lambda found: " " * len(found.group()), code)


def _changed(number: str) -> str | None:
    """Return a number that is a tenth more, one at least if it is whole; none for zero."""
    plain = number.replace("_", "")
    if plain.startswith("0x"):
        value = int(plain, 16)
        return hex(value + max(1, round(value / 10)))
    if "." in plain or "e" in plain:
        value_f = float(plain)
        return None if value_f == 0.0 else repr(value_f * 1.1)
    whole = int(plain)
    return None if whole == 0 else str(whole + max(1, round(whole / 10)))


def _spread(numbers: list[re.Match[str]], most: int) -> list[re.Match[str]]:
    if len(numbers) <= most:
        return numbers
    return [numbers[index * len(numbers) // most] for index in range(most)]
