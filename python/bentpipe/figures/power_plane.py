"""Throughput against delay, with lines of equal power: what a publication has beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bentpipe.figures import published_mark, style
from bentpipe.figures.drawing import Drawing, count_range

_POWERS = (25, 50, 100, 150, 200)
"""Mbit/s per second of delay."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Mean delay in seconds and mean throughput in Mbit/s."""

    delay_s: float
    throughput_mbps: float


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A phase: ours by congestion control, what is published, and how many runs stand behind ours."""

    title: str
    ours: Mapping[str, Place]
    published: Mapping[str, Place]
    counts: Sequence[int]


@style.applied()
def draw(*, name: str, title: str, panels: Sequence[Panel]) -> Drawing:
    """Draw the panels one below the other; a line joins the published mark with ours."""
    figure, axes = style.canvas(panels=len(panels), panel_height_in=1.9)
    for panel, axis in zip(panels, axes, strict=True):
        _draw_panel(axis, panel)
    axes[-1].set_xlabel("Mean round trip in s")
    controls = list(dict.fromkeys(control for panel in panels for control in panel.ours))
    looks = [style.control_look(control) for control in controls]
    keys = [
        Line2D([], [], color=look.colour, marker=look.marker, linestyle="none", label=look.label)
        for look in looks
    ]
    keys.append(published_mark.point_key())
    figure.legend(
        handles=keys, loc="outside upper left", ncols=len(keys), handlelength=1.0, columnspacing=1.0
    )
    n = count_range([count for panel in panels for count in panel.counts])
    caption = f"Filled: ours, means over n = {n} runs; open: published. Dotted: equal power in Mbit/s per s."
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _draw_panel(axis: Axes, panel: Panel) -> None:
    places = [*panel.ours.values(), *panel.published.values()]
    longest_s = 1.12 * max(place.delay_s for place in places)
    shortest_s = 0.9 * min(place.delay_s for place in places)
    most = 1.15 * max(place.throughput_mbps for place in places)
    delays = np.linspace(shortest_s, longest_s, 50)
    for power in _POWERS:
        end_s = min(longest_s, most / power)
        if end_s > shortest_s:
            axis.plot(delays, power * delays, color=style.GREY, linewidth=0.7, linestyle=":")
            axis.annotate(
                f"{power}", (end_s, power * end_s), color=style.GREY, fontsize=7, ha="right", va="top"
            )
    for control, place in panel.ours.items():
        look = style.control_look(control)
        theirs = panel.published[control]
        axis.plot(
            [theirs.delay_s, place.delay_s],
            [theirs.throughput_mbps, place.throughput_mbps],
            color=look.colour,
            linewidth=0.7,
        )
        published_mark.draw(
            axis, published_mark.Mark(x=theirs.delay_s, y=theirs.throughput_mbps), look.colour
        )
        axis.plot([place.delay_s], [place.throughput_mbps], marker=look.marker, color=look.colour)
    axis.set_xlim(shortest_s, longest_s)
    axis.set_ylim(0.0, most)
    axis.set_ylabel("Mbit/s")
    axis.set_title(panel.title)
