"""A metric by cell of any scenario: one row per combination of the other factors, one mark per protocol."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D

from bentpipe.figures import mean_mark, style
from bentpipe.figures.drawing import Drawing, interval_caption
from bentpipe.figures.live import means
from bentpipe.figures.style import Look, Stroke
from bentpipe.stats import Summary

RING = "A ring marks the best of each condition, and what cannot be told from it."
_ROW_HEIGHT_IN = 0.2
_LINE_HEIGHT_IN = 0.16
_MOST_LETTERS, _MOST_LINES = 28, 3
"""Of the name of a row, so that half of the figure's width is left for what it shows."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One cell: the row it stands in, its protocol and congestion control, and its summary.

    `is_best` rings it; `note` is what the pointer is told of how it stands to the best.
    """

    row: str
    protocol: str
    congestion_control: str
    summary: Summary
    is_best: bool = False
    note: str = ""


@style.applied()
def draw(*, name: str, title: str, axis_label: str, marks: Sequence[Mark]) -> Drawing:
    """Draw a dot with its interval for each cell; rows in the order of their first mark."""
    rows = list(dict.fromkeys(mark.row for mark in marks))
    variants = list(dict.fromkeys((mark.protocol, mark.congestion_control) for mark in marks))
    names = [_lines(row) for row in rows]
    of_names = _LINE_HEIGHT_IN * (1 + max(name.count("\n") for name in names))
    height = max(1.2, len(rows) * max(_ROW_HEIGHT_IN * (1 + 0.3 * len(variants)), of_names))
    figure, (axis,) = style.canvas(
        panels=1, panel_height_in=height + 0.5, legend_rows=1 + (len(variants) - 1) // 2
    )
    places = [_place(mark, rows, variants) for mark in marks]
    for mark, place in zip(marks, places, strict=True):
        look, stroke = _look(mark.protocol, mark.congestion_control, variants)
        mean_mark.draw(axis, mark.summary, place, look=look, stroke=stroke)
        if mark.is_best:
            mean_mark.ring(axis, mark.summary, place)
    axis.set_yticks(range(len(rows)), names)
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.set_xlim(left=min(0.0, axis.get_xlim()[0]))
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(axis_label)
    keys = [_key(*variant, variants) for variant in variants]
    figure.legend(handles=keys, loc="outside upper left", ncols=2)
    caption = interval_caption([mark.summary.n for mark in marks])
    if any(mark.is_best for mark in marks):
        caption += f" {RING}"
    return Drawing(
        name=name,
        title=title,
        caption=caption,
        figure=figure,
        live=lambda: means.draw(
            [_live(mark, place, variants) for mark, place in zip(marks, places, strict=True)],
            rows=rows,
            axis_label=axis_label,
        ),
    )


def _lines(row: str) -> str:
    """Return the name of a row in lines; "…" stands for the rest of a long one, such as a link's table."""
    wrapper = textwrap.TextWrapper(
        width=_MOST_LETTERS, max_lines=_MOST_LINES, placeholder=" …", break_on_hyphens=False
    )
    # What stands in one word, such as a pipe, breaks after its commas.
    return wrapper.fill(", ".join(part.strip() for part in row.split(",")))


def _place(mark: Mark, rows: Sequence[str], variants: Sequence[tuple[str, str]]) -> float:
    """Return the height of a mark in rows from above; the marks of a row stand one below the other."""
    place = variants.index((mark.protocol, mark.congestion_control))
    return rows.index(mark.row) + (place - (len(variants) - 1) / 2) * 0.8 / len(variants)


def _look(protocol: str, control: str, variants: Sequence[tuple[str, str]]) -> tuple[Look, Stroke]:
    """Return how a mark looks: protocols differ by colour and controls by stroke.

    Of one protocol the controls have the colours, where they are more than strokes tell apart.
    """
    is_by_control = len({name for name, _ in variants}) == 1 and len(variants) > len(Stroke)
    if is_by_control:
        return style.control_look(control), Stroke.SOLID
    return style.look(protocol), style.stroke(control)


def _live(mark: Mark, place: float, variants: Sequence[tuple[str, str]]) -> means.Mark:
    look, stroke = _look(mark.protocol, mark.congestion_control, variants)
    series = _series(mark.protocol, mark.congestion_control)
    return means.Mark(
        label=f"{mark.row} · {series}",
        series=series,
        place=place,
        colour=look.colour,
        marker=look.marker,
        is_open=stroke is not Stroke.SOLID,
        is_best=mark.is_best,
        summary=mark.summary,
        note=mark.note,
    )


def _series(protocol: str, congestion_control: str) -> str:
    parts = (style.look(protocol).label, style.control_label(congestion_control))
    return ", ".join(filter(None, parts))


def _key(protocol: str, congestion_control: str, variants: Sequence[tuple[str, str]]) -> Line2D:
    look, stroke = _look(protocol, congestion_control, variants)
    return mean_mark.key(look, stroke, label=_series(protocol, congestion_control))
