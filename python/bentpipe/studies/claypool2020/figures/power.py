"""Table X as a picture: throughput against round trip, in which power is a slope."""

import numpy as np

from bentpipe.figures import power_plane
from bentpipe.figures.drawing import Drawing
from bentpipe.stats import Phase
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.downloads import RTT, THROUGHPUT, Downloads, values
from bentpipe.studies.claypool2020.figures.phases import TITLES, with_phase


def draw(downloads: Downloads) -> Drawing:
    """A panel for each phase; the published places are the means that Table X is made of."""
    panels = []
    for phase, title in TITLES.items():
        had = with_phase(downloads, phase)
        ours = {
            control: power_plane.Place(
                delay_s=float(np.mean(values(found, phase, RTT))) / 1e3,
                throughput_mbps=float(np.mean(values(found, phase, THROUGHPUT))),
            )
            for control, found in had.items()
        }
        if ours:
            counts = [len(found) for found in had.values()]
            panels.append(power_plane.Panel(title=title, ours=ours, published=_places(phase), counts=counts))
    title = "Power: throughput over round trip"
    return power_plane.draw(name="power", title=title, panels=panels)


def _places(phase: Phase) -> dict[str, power_plane.Place]:
    return {
        control: power_plane.Place(
            delay_s=published.RTT_MS[phase][control].value / 1e3,
            throughput_mbps=published.THROUGHPUT_MBPS[phase][control].value,
        )
        for control in published.THROUGHPUT_MBPS[phase]
    }
