"""The study's figures as it draws them, from our runs, with what it prints in the same axes."""

from collections.abc import Iterator

from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import look
from bentpipe.stats import select
from bentpipe.studies.secchi2018.cells import DECIDING, MANY, PATHS, Keeping, cell, page
from bentpipe.studies.secchi2018.figures import dynamics, initial_window, load_times, topology
from bentpipe.studies.study import Runs, Timeline

FIGURES_NOTE = (
    "Fig. 1 to 5 and table 1 of the study, as it draws them: the path, the traffic of 500 objects "
    "over HTTPS and HTTP/2 "
    "with the activity of connections below, and load time against the number of objects with and "
    "without the PEP and "
    "with either retry timeout. Published points are black."
)


def figures(runs: Runs) -> tuple[Drawing, ...]:
    """Every figure for which there are runs."""
    return tuple(_drawn(runs))


def timelines(runs: Runs) -> tuple[Timeline, ...]:
    """500 objects of 5 kB over persistent connections, with and without the PEP."""
    return tuple(
        Timeline(
            name=f"over-time-{http}-{pep}",
            title=f"{look(http).label}, {page(*MANY)}, {PATHS[pep]}",
            factors=factors,
        )
        for http in ("h1", DECIDING)
        for pep in PATHS
        if select(runs, **(factors := {**cell(http, pep=pep, keeping=Keeping.ALL), "page": page(*MANY)}))
    )


def _drawn(runs: Runs) -> Iterator[Drawing]:
    yield from topology.draw(runs)
    yield from dynamics.draw(runs)
    yield from load_times.draw(runs)
    yield from initial_window.draw(runs)
