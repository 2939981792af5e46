"""CSV files of measured values: what holds for all rows stands once at the head, as `# name: value`."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

Row = Mapping[str, str]


def read(file: Path) -> list[dict[str, str]]:
    """Return the rows, each with what the head says of all; none where there is no such file."""
    if not file.is_file():
        return []
    with file.open(newline="", encoding="utf-8") as text:
        lines = list(text)
    head = [line for line in lines if line.startswith("# ")]
    shared = dict(line.removeprefix("# ").rstrip("\n").split(": ", 1) for line in head)
    return [{**shared, **row} for row in csv.DictReader(lines[len(head) :])]


def write(file: Path, rows: Sequence[Row], *, columns: Sequence[str], facts: Sequence[str]) -> None:
    """Write rows in one piece; a fact that is the same in all of them goes to the head.

    Parameters
    ----------
    file : Path
        Its folder is made.
    rows : sequence of mapping
        With a text for each column and each fact.
    columns, facts : sequence of str
        What a row measures, and what it was measured with.
    """
    shared = {fact: rows[0][fact] for fact in facts if len({row[fact] for row in rows}) == 1}
    own = [*columns, *(fact for fact in facts if fact not in shared)]
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(".writing")
    with temporary.open("w", newline="", encoding="utf-8") as text:
        text.writelines(f"# {name}: {value}\n" for name, value in shared.items())
        writer = csv.DictWriter(text, own, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    temporary.replace(file)
