"""The figure: simulate against emulate, one point per cell, and the error of each cell below."""

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing
from tools.agreement.comparing import Comparison, Verdict

PANEL_IN = 2.9
RATIOS = (1.0, 0.45)
MOST_COLUMNS = 3
TITLE_CHARACTERS = 32
"""What stands above a panel in one line."""
ROOM = 1.3
"""Factor between the outermost point and the edge of a panel."""
ERROR_ROOM = 1.25
BAND = "#E3E3E3"
STEPS = (1.0, 2.0, 5.0)
"""Where the marks of a logarithmic axis stand in each decade."""
CLOSE_STEPS = (1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
CLOSE = 5.0
"""Factor between the ends of an axis below which its marks stand closer."""
PATH_COLOURS = {
    "50 ms": "#E69F00",
    "300 ms": "#0072B2",
    "600 ms": "#CC79A7",
    "leo-starlink": "#E69F00",
    "leo-starlink-inactive": "#D55E00",
    "leo-oneweb": "#0072B2",
    "meo-o3b": "#CC79A7",
}
"""Of flows, by the round trip of a pipe or the preset (Okabe, Ito 2008); no panel has both."""
OPEN_CONTROLS = {"vivace", "bbr"}
"""Beside another one in a panel: their points are open."""
PATH_MARKERS = {
    "50 ms": "v",
    "300 ms": "s",
    "600 ms": "D",
    "leo-starlink": "v",
    "leo-starlink-inactive": "^",
    "leo-oneweb": "s",
    "meo-o3b": "D",
}


@style.applied()
def draw(verdicts: Sequence[Verdict]) -> Drawing:
    """Draw a pair of panels per kind: above both engines against each other, below the error."""
    columns = min(len(verdicts), MOST_COLUMNS)
    rows = -(-len(verdicts) // columns)
    figure = Figure(figsize=(PANEL_IN * columns, PANEL_IN * sum(RATIOS) * rows))
    parts = figure.subfigures(rows, columns, squeeze=False).flat
    for part, verdict in zip(parts, verdicts, strict=False):
        upper, lower = part.subplots(2, 1, sharex=True, height_ratios=RATIOS)
        _draw_medians(upper, verdict)
        _draw_errors(lower, verdict)
        upper.set_title(textwrap.fill(verdict.kind.title, TITLE_CHARACTERS))
        upper.set_ylabel(f"simulate ({verdict.kind.quantity.unit})")
        lower.set_ylabel("error (%)")
        lower.set_xlabel(f"{verdict.kind.quantity.title}, emulate ({verdict.kind.quantity.unit})")
    caption = "One point per cell, medians. Band: the bar of a single cell; ring: a cell beyond it."
    return Drawing(name="agreement", title="Simulate against emulate", caption=caption, figure=figure)


def _draw_medians(axis: Axes, verdict: Verdict) -> None:
    kind = verdict.kind
    medians = [
        median * kind.quantity.scale
        for cell in verdict.cells
        for median in (cell.emulated_median, cell.simulated_median)
    ]
    ends = np.array([min(medians) / ROOM, max(medians) * ROOM])
    axis.set_xscale("log")
    axis.set_yscale("log")
    if kind.judgement.has_medians:
        bar = kind.bars.worst
        axis.fill_between(ends, ends * (1 - bar), ends * (1 + bar), color=BAND, linewidth=0)
    axis.plot(ends, ends, color=style.GREY, linewidth=0.8)
    for cell in verdict.cells:
        _draw_cell(axis, verdict, cell, cell.simulated_median * kind.quantity.scale)
    steps = STEPS if ends[1] / ends[0] > CLOSE else CLOSE_STEPS
    _mark(axis.xaxis, steps)
    _mark(axis.yaxis, steps)
    axis.set_xlim(*ends)
    axis.set_ylim(*ends)
    axis.legend(handles=_keys(verdict.cells), loc="upper left", handletextpad=0.2, borderpad=0.1)


def _draw_errors(axis: Axes, verdict: Verdict) -> None:
    bar = 100 * verdict.kind.bars.worst
    reach = ERROR_ROOM * max(bar, 100 * abs(verdict.worst.error))
    if verdict.kind.judgement.has_medians:
        axis.axhspan(-bar, bar, color=BAND, linewidth=0)
    axis.axhline(0.0, color=style.GREY, linewidth=0.8)
    for cell in verdict.cells:
        _draw_cell(axis, verdict, cell, 100 * cell.error)
    axis.set_ylim(-reach, reach)


def _mark(axis: Axis, steps: Sequence[float]) -> None:
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _draw_cell(axis: Axes, verdict: Verdict, cell: Comparison, height: float) -> None:
    colour, marker, face = _look(cell)
    place = cell.emulated_median * verdict.kind.quantity.scale
    if cell in verdict.beyond:
        axis.plot(
            place, height, marker="o", markersize=10.0, markerfacecolor="none", color="black", linewidth=0
        )
    axis.plot(place, height, marker=marker, color=colour, markerfacecolor=face, alpha=0.8, markersize=4.0)


def _look(cell: Comparison) -> tuple[str, str, str]:
    """Return colour, marker and filling: by protocol and congestion control, or by path and the latter."""
    protocol = cell.factors.get("http")
    if protocol is None:
        path = _path(cell)
        colour = PATH_COLOURS[path]
        return colour, PATH_MARKERS[path], "white" if cell.factors["cc"] in OPEN_CONTROLS else colour
    look = style.look(protocol)
    return look.colour, look.marker, style.face(style.stroke(cell.factors["cc"]), look.colour)


def _path(cell: Comparison) -> str:
    """Return what a flow's path goes by: the round trip of a pipe, or the link's name."""
    return cell.factors.get("link.rtt") or cell.factors["link"]


def _keys(cells: Sequence[Comparison]) -> list[Line2D]:
    controls = {cell.factors["cc"] for cell in cells}
    keys = {_label(cell, among=len(controls)): _look(cell) for cell in cells}
    return [
        Line2D([], [], color=colour, marker=marker, markerfacecolor=face, linestyle="none", label=label)
        for label, (colour, marker, face) in keys.items()
    ]


def _label(cell: Comparison, *, among: int) -> str:
    """Return what a point stands for; of several congestion controls, also whose."""
    protocol = cell.factors.get("http")
    first = _path(cell) if protocol is None else style.look(protocol).label
    return first if among == 1 else f"{first}, {style.control_label(cell.factors['cc'])}"
