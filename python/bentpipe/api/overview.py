"""Results at a glance: the headline of each cell with its interval, what has no number, and where it is kept."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from bentpipe.report.cells import CellResult
from bentpipe.report.quantities import Quantity
from bentpipe.stats import Summary

MOST_ROWS = 40
"""Of more the frames are read."""


@dataclass(frozen=True, kw_only=True)
class Overview:
    """A table with its heading and what stands below it; `texts` of the columns are left-aligned, others numbers."""

    title: str
    heading: tuple[str, ...]
    texts: int
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def of(title: str, cells: Sequence[CellResult], varied: Sequence[str], *, folder: Path) -> Overview:
    """Return the overview of cells, of which `varied` are the factors that tell them apart."""
    counts = Counter[str]()
    for cell in cells:
        counts.update(cell.counts)
    total = ", ".join(f"{counts[status]} {status}" for status in ("succeeded", "failed", "invalid"))
    more = len(cells) - MOST_ROWS
    return Overview(
        title=title,
        heading=(*varied, "metric", "mean", "95 % interval", "n", "failed", "invalid"),
        texts=len(varied) + 1,
        rows=tuple(_row(cell, varied) for cell in cells[:MOST_ROWS]),
        notes=(
            *([f"{more} more cells: .cells has all of them"] if more > 0 else []),
            f"{counts.total()} runs: {total}. Folder: {folder}",
        ),
    )


def text(overview: Overview) -> str:
    """Return it as aligned columns."""
    table = [overview.heading, *overview.rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        words = [word.ljust(width) for word, width in zip(row, widths, strict=True)][: overview.texts]
        numbers = [word.rjust(width) for word, width in zip(row, widths, strict=True)][overview.texts :]
        lines.append("  ".join([*words, *numbers]).rstrip())
    return "\n".join([overview.title, *lines, *overview.notes])


def html(overview: Overview) -> str:
    """Return it as a table of HTML, in the colours of the page around it."""

    def row(cells: Sequence[str], tag: str) -> str:
        sides = ["left"] * overview.texts + ["right"] * (len(cells) - overview.texts)
        inner = (
            f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(inner)}</tr>"

    body = "".join(row(cells, "td") for cells in overview.rows)
    notes = "<br>".join(map(escape, overview.notes))
    return (
        f"<table><caption style=\"text-align:left\"><b>{escape(overview.title)}</b></caption>"
        f"<thead>{row(overview.heading, 'th')}</thead><tbody>{body}</tbody></table>"
        f"<small>{notes}</small>"
    )


def _row(cell: CellResult, varied: Sequence[str]) -> tuple[str, ...]:
    factors = tuple(cell.factors.get(name, "-") for name in varied)
    ends = (str(cell.counts["failed"]), str(cell.counts["invalid"]))
    if cell.headline is None:
        return (*factors, "-", "-", "-", "0", *ends)
    quantity, summary = cell.headline
    mean = f"{summary.mean:.{quantity.decimals}f} {quantity.unit}".rstrip()
    return (*factors, quantity.label, mean, _interval(quantity, summary), str(summary.n), *ends)


def _interval(quantity: Quantity, summary: Summary) -> str:
    ci = summary.mean_ci
    return "-" if ci is None else f"{ci.low:.{quantity.decimals}f} to {ci.high:.{quantity.decimals}f}"
