"""How much of a page has arrived over time: a panel for each link, a line for each protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from matplotlib.axes import Axes

import bentpipe
from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing, save_as
from bentpipe.model.record import ObjectTiming

STEM = "arrival"
PROTOCOLS = ("h1s", "h2", "h3")
LINKS = {"geo-viasat2": "GEO (Viasat-2, 597 ms)", "leo-starlink": "LEO (Starlink, 14 to 22 ms)"}
_PANEL_IN = 2.6


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """The objects of one load, in any order."""

    protocol: str
    objects: Sequence[ObjectTiming]

    def steps(self) -> tuple[list[float], list[float]]:
        """Return instants in s from the start of the load, and the page's share from each on in %."""
        ordered = sorted(self.objects, key=lambda item: item.last_byte_s)
        total = sum(item.bytes for item in ordered)
        shares = (100 * so_far / total for so_far in accumulate(item.bytes for item in ordered))
        return [0.0, *(item.last_byte_s for item in ordered)], [0.0, *shares]


def draw(results: bentpipe.Results, path: Path) -> None:
    """Draw the median run of each protocol over each link, and write the figure."""
    panels = {
        title: [
            Arrival(protocol=http, objects=results.record({"link": link, "http": http}).objects)
            for http in PROTOCOLS
        ]
        for link, title in LINKS.items()
    }
    save_as(drawing(panels), path)


@style.applied()
def drawing(panels: Mapping[str, Sequence[Arrival]]) -> Drawing:
    """Draw panels side by side, each with a time axis of its own; keys are their titles."""
    figure, _ = style.canvas(panels=1, panel_height_in=_PANEL_IN)
    figure.clf()
    figure.set_figwidth(2 * style.WIDTH_IN)
    axes: Sequence[Axes] = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axis, (title, arrivals) in zip(axes, panels.items(), strict=True):
        for arrival in arrivals:
            times_s, shares_percent = arrival.steps()
            colour = style.look(arrival.protocol).colour
            axis.plot(times_s, shares_percent, drawstyle="steps-post", color=colour, linewidth=1.8)
            axis.plot(times_s[-1:], shares_percent[-1:], marker="o", color=colour, clip_on=False)
        axis.set_title(title)
        axis.set_xlabel("Time since the start of the load in s")
        axis.set_xlim(left=0.0)
        axis.set_ylim(0.0, 104.0)
    axes[0].set_ylabel("Of the page's bytes complete in %")
    looks = [style.look(protocol) for protocol in PROTOCOLS]
    style.colour_legend(figure, {look.label: look.colour for look in looks}, columns=len(looks))
    return Drawing(name=STEM, title="A page as it arrives", caption="", figure=figure)
