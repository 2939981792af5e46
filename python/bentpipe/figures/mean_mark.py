"""The mark of one cell on its row: the mean, with how far its interval reaches."""

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from bentpipe.figures import style
from bentpipe.stats import Summary


def reach(summary: Summary) -> float:
    """How far the interval of the mean reaches to either side; nothing where there is none."""
    return summary.mean_ci.high - summary.mean if summary.mean_ci else 0.0


def draw(axis: Axes, summary: Summary, row: float, *, look: style.Look, stroke: style.Stroke) -> None:
    """Draw the mean of a protocol's runs at the height of its row."""
    axis.errorbar(
        summary.mean,
        row,
        xerr=reach(summary),
        color=look.colour,
        marker=look.marker,
        markerfacecolor=style.face(stroke, look.colour),
        capsize=2.0,
        elinewidth=0.9,
        linestyle="none",
    )


def ring(axis: Axes, summary: Summary, row: float) -> None:
    """Draw a ring around the mark."""
    axis.plot(
        [summary.mean], [row], marker="o", markersize=9.5, markerfacecolor="none", markeredgecolor="black",
        markeredgewidth=0.8, linestyle="none",
    )  # fmt: skip


def key(look: style.Look, stroke: style.Stroke, *, label: str) -> Line2D:
    """The same mark for the legend."""
    return Line2D(
        [],
        [],
        color=look.colour,
        marker=look.marker,
        markerfacecolor=style.face(stroke, look.colour),
        linestyle="none",
        label=label,
    )
