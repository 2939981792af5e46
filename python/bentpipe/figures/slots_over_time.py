"""A return link's slots over one run: granted by kind, used, asked for, and what waits for them."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from bentpipe.figures import style
from bentpipe.figures.bins import Series, Values, group_size, mean, merged
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.superframe import KIND_COLOURS
from bentpipe.stats import GRANTS

_KINDS = dict(zip(GRANTS, ("CRA", "RBDC", "VBDC", "FCA"), strict=True))
_REQUESTS = {"requested_rate_slots": "RBDC", "requested_volume_slots": "VBDC"}
_REQUEST_WORDS = {"RBDC": "rate per superframe (RBDC)", "VBDC": "volume (VBDC)"}
_USED = "used"
_MOST_STEPS = 250
_FADE_DB = 0.1
"""An Es/N0 that moves less is not drawn."""
_NEAR = 0.3
"""Grants below this share of all slots would be flat at the bottom beside a line of all slots."""


@style.applied()
def draw(*, name: str, title: str, dama: Series) -> Drawing:
    """Draw the series `dama`; of many superframes, neighbours are put together by their means."""
    size = group_size(len(dama["time_s"]), most=_MOST_STEPS)
    steps = {column: merged(values, size, mean) for column, values in dama.items()}
    edges = _edges(dama["time_s"], size)
    shares = bool(np.any(dama["allocated_slots"] > sum(dama[column] for column in GRANTS)))
    fades = float(np.ptp(steps["es_n0_db"])) > _FADE_DB
    asked = {column: kind for column, kind in _REQUESTS.items() if np.any(steps[column] > 0)}
    heights = [1.9, *([1.1] if shares else []), *([1.3] if asked else []), 1.1, *([1.1] if fades else [])]
    figure, axes = style.uneven_canvas(heights_in=heights)
    panels = iter(axes)
    _draw_granted(next(panels), edges, steps)
    if shares:
        _draw_all(next(panels), edges, steps)
    if asked:
        _draw_requests(next(panels), edges, steps, asked)
    waiting = next(panels)
    _draw_line(waiting, edges, steps["backlog_bytes"] / 1000, title="Waiting in the terminal", unit="kB")
    for axis in axes[: len(axes) - fades]:
        style.from_zero(axis)
    waiting.set_ylim(top=max(1.0, waiting.get_ylim()[1]))
    if fades:
        _draw_line(next(panels), edges, steps["es_n0_db"], title="Es/N0 at the hub", unit="dB")
    for axis in axes:
        axis.set_xlim(0.0, float(edges[-1]))
    axes[-1].set_xlabel("Time since the start of the run in s")
    style.colour_legend(figure, {**_shown(steps), _USED: "black"}, columns=5)
    caption = "One run, return direction, slots per superframe" + (
        f", means over {size} superframes." if size > 1 else "."
    )
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _edges(starts: Values, size: int) -> Values:
    """Starts of the steps, and the end of the last one."""
    length = float(np.median(np.diff(starts))) if len(starts) > 1 else 1.0
    return np.append(starts[::size], starts[-1] + length)


def _shown(steps: Series) -> dict[str, str]:
    return {kind: KIND_COLOURS[kind] for column, kind in _KINDS.items() if np.any(steps[column] > 0)}


def _draw_granted(axis: Axes, edges: Values, steps: Series) -> None:
    below = np.zeros(len(edges) - 1)
    for column, kind in _KINDS.items():
        above = below + steps[column]
        axis.stairs(above, edges, baseline=below, fill=True, color=KIND_COLOURS[kind], linewidth=0)
        below = above
    axis.stairs(steps["used_slots"], edges, baseline=None, color="black", linewidth=1.0)
    most = float(steps["capacity_slots"].max())
    if below.max() > _NEAR * most:
        _draw_capacity(axis, edges, steps)
    axis.set_title(f"Granted to the terminal (areas) and used (line), of {most:.0f} slots")
    axis.set_ylabel("slots")


def _draw_all(axis: Axes, edges: Values, steps: Series) -> None:
    axis.stairs(steps["allocated_slots"], edges, fill=True, color=style.GREY, alpha=0.5, linewidth=0)
    _draw_capacity(axis, edges, steps)
    axis.set_title("Granted to all terminals")
    axis.set_ylabel("slots")


def _draw_capacity(axis: Axes, edges: Values, steps: Series) -> None:
    capacity = steps["capacity_slots"]
    axis.stairs(capacity, edges, baseline=None, color=style.GREY, linewidth=1.0, linestyle=(0, (4, 2)))
    axis.annotate(
        "all slots", (1, float(capacity[-1])), xycoords=("axes fraction", "data"),
        xytext=(0, 2), textcoords="offset points", ha="right", color=style.GREY, fontsize=8,
    )  # fmt: skip


def _draw_requests(axis: Axes, edges: Values, steps: Series, asked: Mapping[str, str]) -> None:
    for column, kind in asked.items():
        axis.stairs(steps[column], edges, baseline=None, color=KIND_COLOURS[kind], linewidth=1.3)
    axis.set_title(f"Asked for: {', '.join(_REQUEST_WORDS[kind] for kind in asked.values())}")
    axis.set_ylabel("slots")


def _draw_line(axis: Axes, edges: Values, values: Values, *, title: str, unit: str) -> None:
    axis.stairs(values, edges, baseline=None, color=KIND_COLOURS["CRA"], linewidth=1.3)
    axis.set_title(title)
    axis.set_ylabel(unit)
