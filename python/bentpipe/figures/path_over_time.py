"""A path that changes, over time: capacity, one-way delay and elevation, with handovers and interruptions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bentpipe.figures import colours, path_marks, style
from bentpipe.figures.bins import Series, Values, group_size, last, merged, rows
from bentpipe.figures.drawing import Drawing
from bentpipe.stats import Way
from bentpipe.stats.path import WAYS

COLOURS: Mapping[Way, str] = {"forward": colours.BLUE, "return": colours.ORANGE}
PANEL_IN = 1.45

Panel: TypeAlias = Callable[[Axes], None]

_MOST_STEPS = 1200
_MOST_PINGS = 3000
_DELAY_ROOM = 0.15
_LEAST_ROOM_MS = 0.5


@dataclass(frozen=True, kw_only=True)
class Pings:
    """Round trips of pings by when they were sent, both in s and of shape (pings,); NaN is a lost one."""

    sent_s: Values
    rtt_s: Values


@style.applied()
def draw(*, name: str, title: str, path: Series, pings: Pings | None = None) -> Drawing:
    """Draw the series `path`, of shape (rows,) each column, which has a row at least, and the run's pings."""
    drawn = list(panels(path))
    if pings is not None:
        drawn.append(partial(_draw_pings, path=path, pings=pings))
    figure, axes = style.canvas(panels=len(drawn), panel_height_in=PANEL_IN)
    for axis, draw_on in zip(axes, drawn, strict=True):
        draw_on(axis)
    axes[-1].set_xlabel("Time since the start of the run in s")
    style.colour_legend(figure, _colour_of(path), columns=5, marks=path_marks.keys(path))
    caption = "One run, in rows of 100 ms; the capacity is that outside of silences."
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def panels(path: Series) -> Sequence[Panel]:
    """Return what draws each panel with its marks: capacity, delay, and elevation where it is known."""
    found: list[Panel] = [
        partial(_draw_capacity, path=path),
        partial(_draw_delay, path=path),
    ]
    if not np.isnan(np.asarray(path["elevation_deg"], dtype=float)).all():
        found.append(partial(_draw_elevation, path=path))
    return found


def legend_above(axis: Axes, path: Series) -> None:
    """Say at the right of an axis' title what colours and marks of the panels are, in a figure of others."""
    keys = [
        *(Line2D([], [], color=colour, label=label) for label, colour in _colour_of(path).items()),
        *path_marks.keys(path),
    ]
    axis.legend(
        handles=keys,
        loc="lower right",
        bbox_to_anchor=(1.0, 0.98),
        ncols=len(keys),
        fontsize=7.5,
        handlelength=1.2,
        columnspacing=0.9,
    )


def ways(path: Series) -> Sequence[Way]:
    """Return the directions that change."""
    return [way for way in WAYS if not np.isnan(np.asarray(path[f"{way}_delay_s"], dtype=float)).all()]


def _colour_of(path: Series) -> Mapping[str, str]:
    return {way: COLOURS[way] for way in ways(path)}


def _draw_capacity(axis: Axes, path: Series) -> None:
    axis.set_title("Capacity")
    axis.set_ylabel("Mbit/s")
    for way in ways(path):
        found = path_marks.capacity(path, way, otherwise_bps=None)
        if found is not None and found.end_s is not None:
            times, rates = path_marks.stepped(found.end_s, found.bps / 1e6)
            axis.step(times, rates, where="pre", color=COLOURS[way])
    _finish(axis, path)


def _draw_delay(axis: Axes, path: Series) -> None:
    axis.set_title("One-way delay of propagation")
    axis.set_ylabel("ms")
    shown = ways(path)
    for place, way in enumerate(shown):
        times, delays = _steps(path, f"{way}_delay_s")
        # Dashes let a line that covers another show it.
        dash = "-" if place == 0 else (0.0, (3.0, 3.0))
        axis.step(times, delays * 1e3, where="pre", color=COLOURS[way], linestyle=dash)
    _finish(axis, path)
    # Not from zero: of a hundred milliseconds a few change.
    low, high = float(axis.dataLim.y0), float(axis.dataLim.y1)
    room = max(_DELAY_ROOM * (high - low), _LEAST_ROOM_MS)
    axis.set_ylim(max(0.0, low - room), high + room)


def _draw_elevation(axis: Axes, path: Series) -> None:
    axis.set_title("Elevation of the satellite that serves")
    axis.set_ylabel("Degrees")
    times, degrees = _steps(path, "elevation_deg")
    axis.step(times, degrees, where="pre", color="black", linewidth=1.1)
    _finish(axis, path)
    axis.set_ylim(0.0, 92.0)
    axis.set_yticks([0.0, 30.0, 60.0, 90.0])


def _draw_pings(axis: Axes, path: Series, pings: Pings) -> None:
    axis.set_title("Round trips of pings (a tick below: lost)")
    axis.set_ylabel("ms")
    is_lost = np.isnan(pings.rtt_s)
    came = np.flatnonzero(~is_lost)
    shown = came[:: group_size(len(came), most=_MOST_PINGS)]
    axis.plot(pings.sent_s[shown], pings.rtt_s[shown] * 1e3, ".", color="black", markersize=2.0)
    _finish(axis, path)
    axis.plot(
        pings.sent_s[is_lost], np.zeros(int(is_lost.sum())), "|", color=colours.VERMILION, markersize=8,
        clip_on=False,
    )  # fmt: skip


def _finish(axis: Axes, path: Series) -> None:
    path_marks.draw_on([axis], path)
    axis.set_xlim(0.0, float(path["time_s"][-1]) if rows(path) else 1.0)
    style.from_zero(axis)


def _steps(path: Series, column: str) -> tuple[Values, Values]:
    values = np.asarray(path[column], dtype=float)
    size = group_size(len(values), most=_MOST_STEPS)
    return path_marks.stepped(merged(path["time_s"], size, np.max), merged(values, size, last))
