"""The round trip of one run taken apart: where packets spent their time, over time and on average."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from bentpipe.figures import colours, style
from bentpipe.figures.bins import Series, Values, group_size, last, mean, merged
from bentpipe.figures.drawing import Drawing
from bentpipe.stats import FORWARD_PARTS, RETURN_PARTS, delay_means
from bentpipe.stats.counter import BIN_S

_LABELS = {
    "propagation": "propagation",
    "framing": "framing",
    "burst": "burst",
    "slot": "wait for the slot",
    "request": "request and plan",
    "queue": "queue",
}
"""From below: what is always there first."""
_COLOURS = {
    "propagation": colours.BLUE,
    "framing": colours.GREEN,
    "burst": colours.GREEN,
    "slot": colours.SKY_BLUE,
    "request": colours.ORANGE,
    "queue": colours.VERMILION,
}
_MOST_BINS = 300
_GAP_S = 1.0
"""A silence of this length leaves a gap; across a shorter one the next value counts."""


@style.applied()
def draw(*, name: str, title: str, delays: Series) -> Drawing:
    """Draw the series `delays`: both directions over time, below them their means as bars."""
    figure, (forward, back, means) = style.uneven_canvas(heights_in=[1.6, 1.6, 1.2], legend_rows=2)
    end_s = float(delays["time_s"][-1])
    for axis, parts, heading in (
        (forward, FORWARD_PARTS, "Forward"),
        (back, RETURN_PARTS, "Return"),
    ):
        _draw_areas(axis, delays, parts)
        axis.set_title(heading)
        axis.set_ylabel("ms")
        axis.set_xlim(0.0, end_s)
        axis.set_ylim(bottom=0.0)
    back.set_xlabel("Time since the start of the run in s")
    _draw_means(means, delay_means(delays))
    style.colour_legend(figure, _shown(delays), columns=3)
    caption = (
        "One run. Each value is the mean of the packets that arrived in a bin; the bars are means of these."
    )
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def part_of(column: str) -> str:
    """The part's name in a column such as `return_slot_s`."""
    return column.split("_")[1]


def _ordered(columns: Sequence[str]) -> list[str]:
    """Columns from below."""
    return sorted(columns, key=lambda column: list(_LABELS).index(part_of(column)))


def _shown(delays: Series) -> dict[str, str]:
    """What each colour stands for; two parts that never both occur in a direction share one."""
    found: dict[str, str] = {}
    for column in _ordered((*FORWARD_PARTS, *RETURN_PARTS)):
        if np.any(delays[column] > 0):
            colour, label = _COLOURS[part_of(column)], _LABELS[part_of(column)]
            before = found.get(colour)
            found[colour] = label if before in (None, label) else f"{before} or {label}"
    return {label: colour for colour, label in found.items()}


def _draw_areas(axis: Axes, delays: Series, columns: Sequence[str]) -> None:
    there = ~np.isnan(delays[columns[0]])
    if not there.any():
        return
    size = group_size(int(there.sum()), most=_MOST_BINS)
    ends = merged(delays["time_s"][there], size, last)
    starts = _starts(ends, size * BIN_S)
    below = np.zeros(len(ends))
    for column in _ordered(columns):
        above = below + merged(delays[column][there], size, mean) * 1e3
        x, low, high = _outline(starts, ends, below, above)
        axis.fill_between(x, low, high, color=_COLOURS[part_of(column)], linewidth=0)
        below = above


def _starts(ends: Values, width: float) -> Values:
    """A bin reaches back to the one before it, unless the silence between them is long."""
    before = np.concatenate(([ends[0] - width], ends[:-1]))
    return np.where(ends - before > max(_GAP_S, 2 * width), ends - width, before)


def _outline(starts: Values, ends: Values, low: Values, high: Values) -> tuple[Values, Values, Values]:
    """Corners of the steps, with NaN between those that do not touch."""
    x = np.column_stack([starts, ends, ends]).ravel()
    gap = np.append(starts[1:] > ends[:-1], True)
    corners = []
    for values in (low, high):
        steps = np.column_stack([values, values, np.where(gap, np.nan, values)]).ravel()
        corners.append(steps)
    return x, corners[0], corners[1]


def _draw_means(axis: Axes, means: Mapping[str, float | None]) -> None:
    rows = (("Forward", FORWARD_PARTS), ("Return", RETURN_PARTS))
    for place, (_, columns) in enumerate(rows):
        left = 0.0
        for column in _ordered(columns):
            width = (means[column] or 0.0) * 1e3
            axis.barh(place, width, left=left, height=0.62, color=_COLOURS[part_of(column)])
            left += width
        axis.annotate(
            f"{left:.0f} ms",
            (left, place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
        )
    axis.set_yticks(range(len(rows)), [heading for heading, _ in rows])
    axis.set_ylim(len(rows) - 0.45, -0.55)
    axis.grid(visible=False, axis="y")
    axis.margins(x=0.14)
    axis.set_xlim(left=0.0)
    total = sum(value or 0.0 for value in means.values())
    axis.set_title(f"Means: together {total * 1e3:.0f} ms")
    axis.set_xlabel("ms")
