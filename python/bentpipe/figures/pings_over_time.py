"""Round trips of a quiet link over days: a point for each of many, and every long one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bentpipe.figures import published_mark, style
from bentpipe.figures.drawing import Drawing

MOST_POINTS = 3000
"""Of the common ones; more would not be seen and would make large files."""
LONG_PERCENT = 99.9
"""Beyond this percentile each is drawn."""


@style.applied()
def draw(
    *,
    name: str,
    title: str,
    interval_s: float,
    rtt_ms: NDArray[np.float64],
    published: Sequence[published_mark.Mark],
) -> Drawing:
    """Draw the round trips in the order in which they were asked for; NaN is a lost one and is left out."""
    figure, (axis,) = style.canvas(panels=1)
    came = np.flatnonzero(~np.isnan(rtt_ms))
    thinned = came[:: max(1, len(came) // MOST_POINTS)]
    is_long = rtt_ms[came] > np.percentile(rtt_ms[came], LONG_PERCENT)
    shown = np.union1d(thinned, came[is_long])
    axis.plot(
        shown * interval_s / 3600, rtt_ms[shown], ".", markersize=1.5, color=style.PALETTE[0], rasterized=True
    )
    for mark in published:
        published_mark.draw(axis, mark, "black")
    axis.set_xlabel("Time in hours, run after run")
    axis.set_ylabel("Round trip in ms")
    axis.set_xlim(0.0, len(rtt_ms) * interval_s / 3600)
    style.from_zero(axis)
    published_mark.legend(figure, (), published)
    caption = (
        f"{len(came)} pings that came back; drawn are every {max(1, len(came) // MOST_POINTS)}th "
        f"and the longest {100 - LONG_PERCENT:.1f} %. Lines: the published minimum, mean and maximum."
    )
    return Drawing(name=name, title=title, caption=caption, figure=figure)
