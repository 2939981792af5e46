"""What a publication prints, in the axes of ours: open marks, and lines where it prints one coordinate."""

from collections.abc import Iterable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bentpipe.figures import style

_COLUMNS = 5
"""As many as fit beside each other."""
_LINE = {"linestyle": (0.0, (1.0, 1.5)), "linewidth": 1.3}


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A published point; without `y` a line across at `x`, without `x` one at the height of `y`."""

    x: float | None = None
    y: float | None = None


def draw(axis: Axes, mark: Mark, colour: str) -> None:
    """Draw it over what is there."""
    if mark.x is not None and mark.y is not None:
        axis.plot(
            [mark.x], [mark.y], marker="D", markersize=5.5, markerfacecolor="white", markeredgecolor=colour,
            markeredgewidth=1.3, linestyle="none", zorder=4, clip_on=False,
        )  # fmt: skip
    elif mark.x is not None:
        axis.axvline(mark.x, color=colour, zorder=1.5, **_LINE)  # type: ignore[arg-type]
    elif mark.y is not None:
        axis.axhline(mark.y, color=colour, zorder=1.5, **_LINE)  # type: ignore[arg-type]


def legend(figure: Figure, congestion_controls: Iterable[str], marks: Iterable[Mark]) -> None:
    """A row above the axes: the colour of each congestion control, and what the published marks look like."""
    looks = [style.control_look(name) for name in congestion_controls]
    keys = [Line2D([], [], color=look.colour, linewidth=4.0, label=look.label) for look in looks]
    shown = list(marks)
    if any(mark.x is not None and mark.y is not None for mark in shown):
        keys.append(point_key())
    if any(mark.x is None or mark.y is None for mark in shown):
        keys.append(line_key())
    figure.legend(
        handles=keys,
        loc="outside upper left",
        ncols=min(len(keys), _COLUMNS),
        handlelength=1.0,
        columnspacing=1.0,
    )


def point_key() -> Line2D:
    """The published mark for a legend."""
    return Line2D(
        [], [], marker="D", markersize=5.5, markerfacecolor="white", markeredgecolor=style.GREY,
        markeredgewidth=1.3, linestyle="none", label="published",
    )  # fmt: skip


def line_key() -> Line2D:
    """The published line for a legend."""
    return Line2D([], [], color=style.GREY, label="published", **_LINE)  # type: ignore[arg-type]
