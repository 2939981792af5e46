"""What moves a metric most: a bar for each factor, the longest at the top."""

from collections.abc import Sequence
from dataclasses import dataclass

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing
from bentpipe.stats import Difference

MOST_BARS = 30
_ROW_IN = 0.19


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A factor and by how much it changes the metric, a fraction of the base's."""

    label: str
    change: Difference


@style.applied()
def draw(*, name: str, title: str, axis_label: str, bars: Sequence[Bar], caption: str) -> Drawing:
    """Draw the bars with their intervals, in the order of their length; `MOST_BARS` at most."""
    ordered = sorted(bars, key=lambda bar: -abs(bar.change.value))
    shown = ordered[:MOST_BARS]
    figure, (axis,) = style.canvas(panels=1, panel_height_in=0.6 + _ROW_IN * max(len(shown), 1))
    for place, bar in enumerate(shown):
        percent = 100 * bar.change.value
        colour = style.PALETTE[1] if percent > 0 else style.PALETTE[0]
        axis.barh(place, percent, height=0.7, color=colour, alpha=0.75, linewidth=0)
        if bar.change.ci is not None:
            low, high = 100 * bar.change.ci.low, 100 * bar.change.ci.high
            axis.plot([low, high], [place, place], color="black", linewidth=0.9)
    axis.axvline(0.0, color="black", linewidth=0.7)
    axis.set_yticks(range(len(shown)), [bar.label for bar in shown], fontsize=7.5)
    axis.set_ylim(max(len(shown), 1) - 0.4, -0.6)
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(axis_label)
    left_out = len(ordered) - len(shown)
    more = f" The {left_out} that change least are left out." if left_out else ""
    return Drawing(name=name, title=title, caption=caption + more, figure=figure)
