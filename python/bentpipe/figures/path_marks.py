"""What figures over time show of a path that changes: its handovers, its interruptions and its capacity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bentpipe.figures import style
from bentpipe.figures.bins import Series, Values, group_size, mean, merged, rows
from bentpipe.stats import Interruption, Way, handover_times_s, open_capacity_bps, stretches

NO_PATH: Series = MappingProxyType({})
"""Of a run whose path stands still."""
SHADES: Mapping[Interruption, str] = {Interruption.SILENCE: "#D8DEE6", Interruption.OUTAGE: "#F5CFC4"}
"""What a band is filled with."""
MOST_HANDOVERS = 60
"""More lines than these would cover what they mark."""

_LABELS = {Interruption.SILENCE: "silence", Interruption.OUTAGE: "outage"}
_DASHES = (0.0, (3.0, 2.0))
_LONG_DASHES = (0.0, (4.0, 2.0))
_MOST_STEPS = 1200
_BEHIND = 0.5


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """A capacity over time, in steps that end at `end_s`; a constant one has no times."""

    end_s: "Values | None"
    bps: Values


def draw_on(axes: Sequence[Axes], path: Series) -> None:
    """Draw bands and lines behind everything in each of the axes, whose x is the time in s."""
    bands = stretches(path) if rows(path) else ()
    lines = handovers(path)
    for axis in axes:
        for band in bands:
            # The line around a band keeps a short one visible.
            axis.axvspan(
                band.from_s, band.to_s, color=SHADES[band.kind], linewidth=0.4, zorder=_BEHIND, clip_on=True
            )
        for at_s in lines:
            axis.axvline(at_s, color=style.GREY, linewidth=0.6, linestyle=_DASHES, zorder=_BEHIND + 0.1)


def keys(path: Series) -> list[Artist]:
    """Return what a legend says of the marks that there are; nothing without any."""
    found: list[Artist] = []
    if len(handovers(path)):
        found.append(Line2D([], [], color=style.GREY, linewidth=0.8, linestyle=_DASHES, label="handover"))
    kinds = {band.kind for band in (stretches(path) if rows(path) else ())}
    found += [Patch(facecolor=SHADES[kind], label=label) for kind, label in _LABELS.items() if kind in kinds]
    return found


def handovers(path: Series) -> Values:
    """Return when the handovers are that are drawn: all, or none of too many."""
    if not rows(path):
        return np.empty(0)
    times_s = handover_times_s(path)
    return times_s if len(times_s) <= MOST_HANDOVERS else np.empty(0)


def capacity(path: Series, way: Way, *, otherwise_bps: float | None) -> Capacity | None:
    """Return the capacity of a direction outside of its silences, or a constant one where it stands still."""
    if rows(path):
        bps = open_capacity_bps(path, way)
        if not np.isnan(bps).all():
            size = group_size(len(bps), most=_MOST_STEPS)
            return Capacity(end_s=merged(path["time_s"], size, np.max), bps=merged(bps, size, mean))
    return None if otherwise_bps is None else Capacity(end_s=None, bps=np.asarray([otherwise_bps]))


def draw_capacity(axis: Axes, found: Capacity) -> None:
    """Draw it dashed, in Mbit/s."""
    if found.end_s is None:
        axis.axhline(float(found.bps[0]) / 1e6, color=style.GREY, linewidth=1.0, linestyle=_LONG_DASHES)
    else:
        times, rates = stepped(found.end_s, found.bps / 1e6)
        axis.step(times, rates, where="pre", color=style.GREY, linewidth=1.0, linestyle=_LONG_DASHES)


def stepped(end_s: Values, values: Values) -> tuple[Values, Values]:
    """Return steps that end at these instants with the beginning of the first."""
    return np.concatenate([[0.0], end_s]), np.concatenate([values[:1], values])
