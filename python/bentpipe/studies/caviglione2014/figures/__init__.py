"""The study's figures as it draws them, from our runs, with what it prints in the same axes."""

from collections.abc import Iterator

from bentpipe.figures.drawing import Drawing
from bentpipe.stats import select
from bentpipe.studies.caviglione2014.cells import H1, SPDY
from bentpipe.studies.caviglione2014.figures import connections, data, schemes, throughput
from bentpipe.studies.study import Runs, Timeline

FIGURES_NOTE = (
    "Fig. 2 to 7 of the study, as it draws them: data by protocol, connections over time, throughput over "
    "time of HTTP/1.0, HTTP/1.1 and SPDY, and load time by scheme of bandwidth on demand. What it prints is "
    "in the same axes."
)


def figures(runs: Runs) -> tuple[Drawing, ...]:
    """Every figure for which there are runs."""
    return tuple(_drawn(runs))


def timelines(runs: Runs) -> tuple[Timeline, ...]:
    """HTTP/1.1 and SPDY over the forward link."""
    return tuple(
        Timeline(
            name=f"over-time-{variant.http}",
            title=f"{variant.label}, scheme mixed",
            factors=variant.forward(),
        )
        for variant in (H1, SPDY)
        if select(runs, **variant.forward())
    )


def _drawn(runs: Runs) -> Iterator[Drawing]:
    yield from data.draw(runs)
    yield from connections.draw(runs)
    yield from throughput.draw(runs)
    yield from schemes.draw(runs)
