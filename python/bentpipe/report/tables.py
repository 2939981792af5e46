"""The ledger as CSV: one row per attempt, one row per object, one row per flow."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bentpipe.ledger import Entry
from bentpipe.model.record import ObjectTiming
from bentpipe.printable import printable
from bentpipe.reasons import sentence
from bentpipe.report.flow_rows import COLUMNS, flow_row
from bentpipe.scenario.written import texts
from bentpipe.stats.metrics import BROWSER_METRICS, COUNTS

if TYPE_CHECKING:
    import polars

Row = Mapping[str, object]
"""A row of a table, by column."""

LINES = "\t\r\n"
"""What parts a text."""
FORMULAS = (*texts.FORMULAS, *LINES)
"""What starts a formula, or leads a program astray that looks for its start."""
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def write_runs(path: Path, runs: "polars.DataFrame", rejected: Iterable[Entry]) -> None:
    """Write one row per attempt: identity, status, factors, then every metric under its own name.

    Parameters
    ----------
    path : Path
        The file.
    runs : polars.DataFrame
        The attempts, as of `Attempts.runs`.
    rejected : iterable of Entry
        Those of them that did not succeed, whose reasons are written as sentences.
    """
    write_frame(path, for_people(runs, rejected))


def for_people(runs: "polars.DataFrame", rejected: Iterable[Entry]) -> "polars.DataFrame":
    """Return a table of attempts with sentences for reasons, without what only a browser has, if none ran.

    Metrics that are whole numbers are written as such.
    """
    import polars

    said = [(each.run_id, each.attempt, "; ".join(map(sentence, each.record.reasons))) for each in rejected]
    schema = {"run_id": polars.String, "attempt": polars.Int64, "reasons": polars.String}
    sentences = polars.DataFrame(said, schema=schema, orient="row")
    told = runs.update(sentences, on=["run_id", "attempt"])
    absent = [name for name in BROWSER_METRICS if told[name].null_count() == len(told)]
    return told.drop(absent).with_columns(polars.col(sorted(COUNTS)).cast(polars.Int64))


def write_objects(path: Path, entries: Iterable[Entry]) -> None:
    """Write one row per object of every attempt."""
    rows = (
        {"run_id": entry.run_id, "attempt": entry.attempt, **dict(item)}
        for entry in entries
        for item in entry.record.objects
    )
    _write(path, rows, columns=("run_id", "attempt", "url", "bytes", *ObjectTiming.model_fields))


def write_flows(path: Path, entries: Iterable[Entry]) -> None:
    """Write one row per bulk flow of every attempt."""
    rows = (
        {"run_id": entry.run_id, "attempt": entry.attempt, "flow": place, **flow_row(flow)}
        for entry in entries
        for place, flow in enumerate(entry.record.flows)
    )
    _write(path, rows, columns=("run_id", "attempt", "flow", "cc", "transport", *COLUMNS))


def write_frame(path: Path, frame: "polars.DataFrame") -> None:
    """Write a table as `write_csv` writes rows, a million of them in seconds."""
    import polars

    def cells(column: "polars.Series") -> "polars.Series":
        texts = column.unique().drop_nulls()
        told = polars.Series([_cell(text) for text in texts.to_list()], dtype=polars.String)
        return (
            column if texts.equals(told) else column.replace_strict(texts, told, return_dtype=polars.String)
        )

    written = frame.with_columns(
        cells(column) for column in frame.get_columns() if column.dtype == polars.String
    )
    names = {name: str(_cell(name)) for name in written.columns}
    # Through memory, for Polars calls errors of the disk by names of its own.
    table = io.BytesIO()
    written.rename(names).write_csv(table, line_terminator="\r\n")
    path.write_bytes(table.getbuffer())


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
    _write(path, rows, columns=(*first, *(name for row in rows for name in row)))


def _write(path: Path, rows: Iterable[Row], *, columns: Iterable[str]) -> None:
    """Write rows as they come; columns that are named twice stand where they are first."""
    names = list(dict.fromkeys(columns))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(map(_cell, names))
        writer.writerows([_cell(row.get(name, "")) for name in names] for row in rows)


def _cell(value: object) -> object:
    """Return what a cell has; a text that a spreadsheet would take for a formula starts with an apostrophe.

    That is the rule of OWASP, "CSV Injection". A text that is a number stays one.
    """
    if not isinstance(value, str):
        return value
    is_formula = value.startswith(FORMULAS) and not NUMBER.fullmatch(value)
    text = printable(value, kept=LINES)
    return f"'{text}" if is_formula else text
