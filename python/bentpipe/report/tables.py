"""The ledger as CSV: one row per attempt, one row per object, one row per flow."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bentpipe.ledger import Entry
from bentpipe.printable import printable
from bentpipe.reasons import sentence
from bentpipe.scenario.written import texts
from bentpipe.stats import metrics_of

Row = Mapping[str, object]
"""A row of a table, by column."""

LINES = "\t\r\n"
"""What parts a text."""
FORMULAS = (*texts.FORMULAS, *LINES)
"""What starts a formula, or leads a program astray that looks for its start."""
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def write_runs(path: Path, entries: Sequence[Entry]) -> None:
    """Write one row per attempt: identity, status, factors, then every metric under its own name."""
    rows = [
        {
            "run_id": entry.run_id,
            "attempt": entry.attempt,
            "repetition": entry.repetition,
            "status": entry.status,
            "reasons": "; ".join(map(sentence, entry.record.reasons)),
            "engine": entry.record.engine,
            **{f"factor_{name}": value for name, value in entry.factors.items()},
            **metrics_of(entry.record),
        }
        for entry in entries
    ]
    write_csv(path, rows, first=("run_id", "attempt", "repetition", "status", "reasons", "engine"))


def write_objects(path: Path, entries: Sequence[Entry]) -> None:
    """Write one row per object of every attempt."""
    rows = [
        {"run_id": entry.run_id, "attempt": entry.attempt, **dict(item)}
        for entry in entries
        for item in entry.record.objects
    ]
    write_csv(path, rows, first=("run_id", "attempt", "url", "bytes"))


def write_flows(path: Path, entries: Sequence[Entry]) -> None:
    """Write one row per bulk flow of every attempt."""
    rows = [
        {"run_id": entry.run_id, "attempt": entry.attempt, "flow": place, **dict(flow)}
        for entry in entries
        for place, flow in enumerate(entry.record.flows)
    ]
    write_csv(path, rows, first=("run_id", "attempt", "flow", "cc", "transport"))


def write_csv(path: Path, rows: Iterable[Row], *, first: Sequence[str] = ()) -> None:
    """Write rows as CSV that a spreadsheet and a terminal may show whatever names and texts are in it.

    Parameters
    ----------
    path : Path
        The file.
    rows : iterable of mappings
        By column; what a row does not have is empty.
    first : sequence of str
        Columns that come first, and are there without rows too.
    """
    rows = list(rows)
    columns = list(dict.fromkeys([*first, *(name for row in rows for name in row)]))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(map(_cell, columns))
        writer.writerows([_cell(row.get(name, "")) for name in columns] for row in rows)


def _cell(value: object) -> object:
    """Return what a cell has; a text that a spreadsheet would take for a formula starts with an apostrophe.

    That is the rule of OWASP, "CSV Injection". A text that is a number stays one.
    """
    if not isinstance(value, str):
        return value
    is_formula = value.startswith(FORMULAS) and not NUMBER.fullmatch(value)
    text = printable(value, kept=LINES)
    return f"'{text}" if is_formula else text
