"""What the link delivered over time, one panel for each protocol."""

from collections.abc import Sequence
from dataclasses import dataclass

from bentpipe.figures import style
from bentpipe.figures.bins import Series
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.run_over_time import bin_rates_bps


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One run: `link` is its series of that name, in bins of 100 ms."""

    title: str
    protocol: str
    link: Series


@style.applied()
def draw(*, name: str, title: str, panels: Sequence[Panel]) -> Drawing:
    """Draw the panels one below the other, rates on one scale, each with a time of its own."""
    figure, axes = style.canvas(panels=len(panels), panel_height_in=1.1, legend_rows=0)
    rates = [bin_rates_bps(panel.link, "forward_delivered_bytes") / 8e3 for panel in panels]
    most = max((float(each.max()) for each in rates if len(each)), default=1.0)
    for panel, axis, rate in zip(panels, axes, rates, strict=True):
        colour = style.look(panel.protocol).colour
        axis.step(panel.link["time_s"], rate, where="pre", color=colour, linewidth=1.0)
        axis.fill_between(panel.link["time_s"], rate, step="pre", color=colour, alpha=0.35, linewidth=0)
        axis.set_title(panel.title)
        axis.set_ylabel("kB/s")
        axis.set_ylim(0.0, most * 1.06)
        axis.set_xlim(0.0, float(panel.link["time_s"][-1]))
    axes[-1].set_xlabel("Time since the start of the run in s")
    caption = "The median run of each. Bytes that the link delivered to the client, in bins of 100 ms."
    return Drawing(name=name, title=title, caption=caption, figure=figure)
