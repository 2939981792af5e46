"""Claims of a study in one figure: ours with interval, the region in which it agrees, and the verdict."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing
from bentpipe.stats import Interval

BOUND_PERCENT = 120.0
"""What lies beyond is drawn as an arrow at the edge."""

_WIDTH_IN = 7.0
"""A page's, as labels are long."""
_ROW_IN = 0.17
_COLOURS = {"agrees": "#009E73", "decided": "#E69F00", "differs": "#D55E00", "not testable": style.GREY}
_MARKERS = {"agrees": "o", "decided": "D", "differs": "s", "not testable": "x"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One comparison.

    Attributes
    ----------
    label : str
        What is compared.
    percent : float
        Ours.
    ci : Interval or None
        Its interval, in percent.
    low, high : float
        The region in which it agrees, in percent; infinite where it is open.
    verdict : str
        "agrees", "decided", "differs" or "not testable".
    """

    label: str
    percent: float
    ci: Interval | None
    low: float
    high: float
    verdict: str


@style.applied()
def draw(*, name: str, title: str, caption: str, groups: Mapping[str, Sequence[Row]]) -> Drawing:
    """Draw the rows of each group under its name."""
    count = sum(len(rows) + 1 for rows in groups.values())
    figure, (axis,) = style.canvas(panels=1, panel_height_in=0.6 + _ROW_IN * count)
    figure.set_figwidth(_WIDTH_IN)
    ticks: dict[float, str] = {}
    headings = set()
    at = 0.0
    for group, rows in groups.items():
        ticks[at + 0.5] = group
        headings.add(at + 0.5)
        at += 1.0
        for row in rows:
            _draw_row(axis, at + 0.5, row)
            ticks[at + 0.5] = row.label
            at += 1.0
    axis.axvline(0.0, color="black", linewidth=0.6)
    axis.set_yticks(list(ticks), list(ticks.values()), fontsize=6.5)
    axis.tick_params(axis="y", length=0)
    for place, label in zip(ticks, axis.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if place in headings else "normal")
    axis.set_ylim(at + 0.2, 0.0)
    axis.set_xlim(-BOUND_PERCENT, BOUND_PERCENT)
    axis.grid(visible=False, axis="y")
    axis.set_xlabel("Ours in % (of some claims: in points, in s)", fontsize=7.5)
    shown = {row.verdict for rows in groups.values() for row in rows}
    keys = [_key(verdict) for verdict in _COLOURS if verdict in shown]
    keys.append(
        Rectangle((0, 0), 1, 1, facecolor="#DDE8F0", edgecolor="none", label="region in which it agrees")  # type: ignore[arg-type]
    )
    figure.legend(handles=keys, loc="outside upper left", ncols=len(keys), handlelength=1.0, fontsize=7.5)
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _draw_row(axis: Axes, place: float, row: Row) -> None:
    low, high = (max(-BOUND_PERCENT, row.low), min(BOUND_PERCENT, row.high))
    axis.add_patch(
        Rectangle((low, place - 0.4), high - low, 0.8, facecolor="#DDE8F0", edgecolor="none", zorder=0.5)
    )
    colour = _COLOURS[row.verdict]
    if abs(row.percent) > BOUND_PERCENT:
        edge = math.copysign(BOUND_PERCENT, row.percent)
        marker = ">" if edge > 0 else "<"
        axis.plot([edge], [place], marker=marker, color=colour, markersize=4.0, clip_on=False)
        axis.annotate(
            f"{row.percent:+.0f}",
            xy=(edge, place),
            xytext=(math.copysign(5.0, -edge), 0.0),
            textcoords="offset points",
            color=colour,
            fontsize=6.5,
            va="center",
            ha="right" if edge > 0 else "left",
        )
        return
    if row.ci is not None:
        reach = [max(-BOUND_PERCENT, row.ci.low), min(BOUND_PERCENT, row.ci.high)]
        axis.plot(reach, [place, place], color=colour, linewidth=0.9)
    axis.plot([row.percent], [place], marker=_MARKERS[row.verdict], color=colour, markersize=3.2)


def _key(verdict: str) -> Line2D:
    return Line2D([], [], color=_COLOURS[verdict], marker=_MARKERS[verdict], linestyle="none", label=verdict)
