"""Figures of the study: none."""

from bentpipe.figures.drawing import Drawing
from bentpipe.studies.study import Runs, Timeline

FIGURES_NOTE = "The study has no figure of its own here."


def figures(runs: Runs) -> tuple[Drawing, ...]:
    """Every figure for which there are runs."""
    del runs
    return ()


def timelines(runs: Runs) -> tuple[Timeline, ...]:
    """The cells whose median run is worth a figure over time."""
    del runs
    return ()
