"""The study's figures, drawn from our downloads and pings, with what is published in the same axes."""

from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import control_label
from bentpipe.stats import select
from bentpipe.studies.claypool2020.downloads import CONTROLS, downloads, echoes
from bentpipe.studies.claypool2020.figures import (
    distributions,
    object_times,
    over_time,
    power,
    quiet_link,
    throughput,
)
from bentpipe.studies.study import Runs, Timeline

FIGURES_NOTE = (
    "Throughput as box plots, round trips and retransmissions as distributions, the time that the first "
    "megabytes take, power, and one download of each congestion control over time, as the study draws them; "
    "the quiet link. What the study prints stands in the same axes."
)


def figures(runs: Runs) -> tuple[Drawing, ...]:
    """Every figure for which there are runs."""
    quiet = echoes(runs)
    drawn = (quiet_link.over_time(quiet), quiet_link.tail(quiet)) if quiet else ()
    found = downloads(runs)
    if not any(found.values()):
        return drawn
    return (
        *drawn,
        over_time.draw(found),
        throughput.draw(found),
        distributions.round_trips(found),
        distributions.resent(found),
        object_times.draw(found),
        power.draw(found),
    )


def timelines(runs: Runs) -> tuple[Timeline, ...]:
    """The median download of each congestion control with its link, window and queue."""
    return tuple(
        Timeline(
            name=f"over-time-{control}",
            title=f"{control_label(control)}, download",
            factors={"cc": control, "bulk.direction": "down"},
        )
        for control in CONTROLS
        if select(runs, cc=control)
    )
