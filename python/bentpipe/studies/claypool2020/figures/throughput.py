"""Figures 5 and 8: percentiles of the throughput's seconds and its mean, as boxes over downloads."""

from bentpipe.figures import boxes
from bentpipe.figures.drawing import Drawing
from bentpipe.stats import Phase
from bentpipe.stats.flow import PERCENTILES
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.downloads import THROUGHPUT, Downloads
from bentpipe.studies.claypool2020.figures.phases import TITLES, with_phase


def draw(downloads: Downloads) -> Drawing:
    """A panel for each phase, with Tables II, V and VIII beside our means."""
    panels = []
    for phase, title in TITLES.items():
        had = with_phase(downloads, phase).items()
        means = {control: [found.phases[phase] for found in each] for control, each in had}
        groups = {
            f"{percent} %": {
                control: [mean.throughput_percentiles_bps[place] / 1e6 for mean in each]
                for control, each in means.items()
            }
            for place, percent in enumerate(PERCENTILES)
        }
        groups["mean"] = {control: [THROUGHPUT.of(mean) for mean in each] for control, each in means.items()}
        if means:
            panels.append(
                boxes.Panel(
                    title=title, axis_label="Mbit/s", groups=groups, published={"mean": _table(phase)}
                )
            )
    title = "Throughput of downloads: percentiles of their seconds, and mean"
    return boxes.draw(name="throughput", title=title, panels=panels)


def _table(phase: Phase) -> dict[str, boxes.MeanSd]:
    row = published.THROUGHPUT_MBPS[phase]
    return {control: boxes.MeanSd(mean=number.value, sd=number.sd or 0.0) for control, number in row.items()}
