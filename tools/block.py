"""A part of a page that is generated, between two marks."""

from collections.abc import Sequence
from pathlib import Path


def fill(path: Path, mark: str, lines: Sequence[str]) -> Path:
    """Write the lines between `<!-- MARK -->` and `<!-- /MARK -->` of a page, and return the page.

    Raises
    ------
    ValueError
        When the page has not got the marks.
    """
    before, _, after = _split(path, mark)
    inside = "".join(f"{line}\n" for line in lines)
    path.write_text(before + inside + after, encoding="utf-8")
    return path


def shown(path: Path, mark: str) -> list[str]:
    """Return the lines that a page has between the marks."""
    return _split(path, mark)[1].splitlines()


def row(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(cell.strip().replace("|", "\\|") for cell in cells) + " |"


def _split(path: Path, mark: str) -> tuple[str, str, str]:
    start, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    text = path.read_text(encoding="utf-8")
    before, found, rest = text.partition(start)
    inside, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"{path} has no {start.strip()} followed by {end}")
    return before + start, inside, end + after
