"""What the link delivered over time, both directions, one panel for each protocol."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.artist import Artist
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bentpipe.figures import path_marks, published_mark, style
from bentpipe.figures.bins import Series, Values, bin_rates_bps
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.path_marks import NO_PATH
from bentpipe.stats.counter import BIN_S, Counter

SECOND_S = 1.0
_COLUMNS = ("forward_delivered_bytes", "return_delivered_bytes")


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One run: `link` is its series of that name, in bins of 100 ms; `published_kbps` a level in print.

    `path` is the series of that name, where the run's path changes.
    """

    title: str
    protocol: str
    link: Series
    published_kbps: float | None = None
    path: Series = field(default_factory=lambda: NO_PATH)


@style.applied()
def draw(*, name: str, title: str, panels: Sequence[Panel]) -> Drawing:
    """Draw the panels one below the other, rates on one scale, each with a time of its own."""
    figure, axes = style.canvas(panels=len(panels), panel_height_in=1.5, legend_rows=1)
    levels = [panel.published_kbps for panel in panels if panel.published_kbps is not None]
    most = max([1.0, *levels])
    for panel, axis in zip(panels, axes, strict=True):
        path_marks.draw_on([axis], panel.path)
        colour = style.look(panel.protocol).colour
        rates = sum(bin_rates_bps(panel.link, column) for column in _COLUMNS) / 8e3
        ends, seconds = _by_seconds(panel.link)
        most = max(most, float(seconds.max(initial=0.0)), float(np.max(rates, initial=0.0)))
        axis.fill_between(panel.link["time_s"], rates, step="pre", color=colour, alpha=0.25, linewidth=0)
        axis.step(ends, seconds, where="pre", color=colour, linewidth=1.3)
        if panel.published_kbps is not None:
            published_mark.draw(axis, published_mark.Mark(y=panel.published_kbps), style.GREY)
            axis.annotate(
                f"{panel.published_kbps:g}",
                (1.0, panel.published_kbps),
                xycoords=("axes fraction", "data"),
                xytext=(2, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                annotation_clip=False,
            )
        axis.set_title(panel.title)
        axis.set_ylabel("kB/s")
        axis.set_xlim(0.0, float(panel.link["time_s"][-1]))
    for axis in axes:
        axis.set_ylim(0.0, most * 1.06)
    axes[-1].set_xlabel("Time since the start of the run in s")
    keys: list[Artist] = [
        Line2D([], [], color=style.GREY, linewidth=1.3, label="by seconds"),
        Patch(facecolor=style.GREY, alpha=0.25, label="by 100 ms"),
    ]
    keys += {mark.get_label(): mark for panel in panels for mark in path_marks.keys(panel.path)}.values()
    if levels:
        keys.append(published_mark.line_key())
    figure.legend(handles=keys, loc="outside upper left", ncols=max(3, len(keys)), handlelength=1.4)
    caption = "The median run of each. IP bytes that the link delivered, both directions together."
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _by_seconds(link: Series) -> tuple[Values, Values]:
    """Ends of whole seconds from the start on, and kB/s in each."""
    ends = np.asarray(link["time_s"], dtype=float)
    both = sum(np.asarray(link[column], dtype=float) for column in _COLUMNS)
    counted = Counter.of_bins(end_s=ends, amount=both, bin_s=BIN_S)
    edges = np.arange(0.0, float(ends[-1]) + SECOND_S, SECOND_S)
    rates: Values = np.diff(counted.at(edges)) / SECOND_S / 1e3
    return edges[1:], rates
