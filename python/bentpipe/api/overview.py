"""Results at a glance: the headline of each cell with its interval, what has no number, where it is kept."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from bentpipe.campaign.rejections import rejections
from bentpipe.printable import printable
from bentpipe.reasons import sentence
from bentpipe.report import best
from bentpipe.report.cells import CellResult
from bentpipe.scenario import defaults

MOST_ROWS = 40
"""Of more the frames are read."""
MOST_REASONS = 3
UNUSABLE = ("failed", "invalid")
USUAL = {
    "client": defaults.CLIENT,
    "server": defaults.SERVER,
    "pep": defaults.PEP,
    "connections": str(defaults.CONNECTIONS),
}
"""Factors that every cell has, with the values that nobody needs to be told."""


@dataclass(frozen=True, kw_only=True)
class Overview:
    """A table and what stands below it; its first `texts` columns are words, the others numbers."""

    title: str
    heading: tuple[str, ...]
    texts: int
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def of(
    title: str,
    cells: Sequence[CellResult],
    *,
    varied: Sequence[str],
    constants: Mapping[str, str],
    folder: Path,
) -> Overview:
    """Return the overview of cells, of which `varied` are the factors that tell them apart."""
    counts = Counter[str]()
    for cell in cells:
        counts.update(cell.counts)
    ends = [status for status in UNUSABLE if counts[status]]
    headlines = {cell.headline[0] for cell in cells if cell.headline}
    common = headlines.pop() if len(headlines) == 1 else None
    means = ("metric", "mean") if common is None else (common.heading,)
    return Overview(
        title=title,
        heading=(*varied, *means, "95 % interval", "n", *ends),
        texts=len(varied) + len(means) - 1,
        rows=tuple(
            (
                *_factors(cell, varied),
                *_numbers(cell, is_named=common is None),
                *(str(cell.counts[status]) for status in ends),
            )
            for cell in cells[:MOST_ROWS]
        ),
        notes=tuple(_notes(cells, counts, shared=_shared(constants, varied), folder=folder)),
    )


def text(overview: Overview) -> str:
    """Return it as aligned columns."""
    table = [[printable(cell) for cell in row] for row in (overview.heading, *overview.rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        words = [word.ljust(width) for word, width in zip(row, widths, strict=True)][: overview.texts]
        numbers = [word.rjust(width) for word, width in zip(row, widths, strict=True)][overview.texts :]
        lines.append("  ".join([*words, *numbers]).rstrip())
    title = [overview.title] if overview.title else []
    return "\n".join(map(printable, [*title, *lines, *overview.notes]))


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
    title = f"<b>{escape(overview.title)}</b>" if overview.title else ""
    return (
        f"{title}<table><thead>{row(overview.heading, 'th')}</thead><tbody>{body}</tbody></table>"
        f"<small>{notes}</small>"
    )


def _notes(
    cells: Sequence[CellResult], counts: Mapping[str, int], *, shared: str, folder: Path
) -> Iterator[str]:
    """Yield what is best, what is not shown, what all share, why runs have no number, where all is kept."""
    yield from best.sentences(best.gather(cells))
    more = len(cells) - MOST_ROWS
    if more > 0:
        yield f"{more} more cells: .cells has all of them"
    if shared:
        yield f"All: {shared}"
    for each in rejections(run for cell in cells for run in cell.runs)[:MOST_REASONS]:
        yield f"{each.attempts} x {each.status}: {sentence(each.reasons[0])}"
    total = sum(counts.values())
    ends = ", ".join(f"{counts[status]} {status}" for status in ("succeeded", *UNUSABLE))
    yield f"{total} {'run' if total == 1 else 'runs'}: {ends}. Folder: {folder}"


def _shared(constants: Mapping[str, str], varied: Sequence[str]) -> str:
    """Return what holds for all cells, but for what is so unless a scenario says otherwise."""
    return ", ".join(
        f"{name} {value}"
        for name, value in constants.items()
        if name not in varied and USUAL.get(name) != value
    )


def _factors(cell: CellResult, varied: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.factors.get(name, "-") for name in varied)


def _numbers(cell: CellResult, *, is_named: bool) -> tuple[str, ...]:
    """Return mean, interval and n of the headline, after its name where cells have different ones."""
    if cell.headline is None:
        return (*(["-"] if is_named else []), "-", "-", "0")
    quantity, summary = cell.headline
    ci, digits = summary.mean_ci, quantity.decimals
    interval = "-" if ci is None else f"{ci.low:.{digits}f} to {ci.high:.{digits}f}"
    name = [quantity.heading] if is_named else []
    return (*name, f"{summary.mean:.{digits}f}", interval, str(summary.n))
