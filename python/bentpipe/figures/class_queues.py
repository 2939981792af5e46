"""What waits in each class of service over one run: a row for each class, a column for each direction."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bentpipe.figures import style
from bentpipe.figures.bins import Series, group_size, last, merged
from bentpipe.figures.drawing import Drawing

OTHER = "other"
"""The class of packets of no class."""

_COLUMN = re.compile(r"(?P<direction>forward|return)_(?P<queue>.+)_queue_bytes")
_HEADINGS = {"forward": "Forward", "return": "Return"}
_MOST_BINS = 150
_ROW_HEIGHT_IN = 0.95


@style.applied()
def draw(*, name: str, title: str, classes: Series, order: Sequence[str]) -> Drawing:
    """Draw the series `classes`; `order` names the classes, the most urgent first."""
    columns = _columns(classes)
    directions = [direction for direction in _HEADINGS if columns[direction]]
    rows = [row for row in (*order, OTHER) if any(row in columns[direction] for direction in directions)]
    figure = Figure(figsize=(style.WIDTH_IN, _ROW_HEIGHT_IN * len(rows) + 0.4))
    axes = figure.subplots(len(rows), len(directions), squeeze=False, sharex=True)
    for place, direction in enumerate(directions):
        titles = {row: f"{_HEADINGS[direction]}: {row}" for row in rows}
        _draw_direction(list(axes[:, place]), classes, columns[direction], titles)
        axes[-1, place].set_xlabel("Time in s")
    for axis in axes[:, 0]:
        axis.set_ylabel("kB")
    caption = (
        "One run: bytes waiting in each class, the most urgent class first. Each panel has its own scale."
    )
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _columns(classes: Series) -> Mapping[str, Mapping[str, str]]:
    """The column of each class by direction."""
    found: dict[str, dict[str, str]] = {direction: {} for direction in _HEADINGS}
    for column in classes:
        if match := _COLUMN.fullmatch(column):
            found[match["direction"]][match["queue"]] = column
    return found


def _draw_direction(
    axes: Sequence[Axes], classes: Series, columns: Mapping[str, str], titles: Mapping[str, str]
) -> None:
    size = group_size(len(classes["time_s"]), most=_MOST_BINS)
    ends = merged(classes["time_s"], size, last)
    for place, (axis, (row, title)) in enumerate(zip(axes, titles.items(), strict=True)):
        if row not in columns:
            axis.set_axis_off()
            continue
        axis.set_title(title)
        colour = style.PALETTE[place % len(style.PALETTE)]
        waiting = merged(classes[columns[row]], size, np.max) / 1000
        axis.fill_between(ends, waiting, step="pre", color=colour, alpha=0.35, linewidth=0)
        axis.step(ends, waiting, where="pre", color=colour, linewidth=1.1)
        axis.set_xlim(0.0, float(ends[-1]))
        axis.set_ylim(0.0, max(1.06 * float(waiting.max()), 1.0))
