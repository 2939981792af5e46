"""The study's figures, drawn from our runs with what it published in the same axes."""

from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import control_label, look
from bentpipe.stats import values_of
from bentpipe.studies.alshagri2023 import overhead
from bentpipe.studies.alshagri2023.cells import PROTOCOLS, SATELLITE, SIZES_BYTES, STRUCTURES, cell, page
from bentpipe.studies.alshagri2023.figures import by_size, ladder, objects
from bentpipe.studies.study import Runs, Timeline

FIGURES_NOTE = (
    "The objects of the pages are the study's Figure 6, page load time by page structure Figures 7 and 8, by "
    "congestion control Figure 9, FCP, LCP and PLT by page structure Figures 10, 12 and 13, the ladder "
    "Figure 11, the overhead its table 6. Of Figures 7 to 13 it prints no numbers: bands and words are what "
    "its text says."
)


def figures(runs: Runs) -> tuple[Drawing, ...]:
    """Every figure for which there are runs."""
    drawings = [
        objects.drawing(runs),
        *(by_size.structure(runs, name) for name in STRUCTURES),
        by_size.congestion_control(runs),
        by_size.page_structure(runs),
        ladder.drawing(runs),
        overhead.drawing(runs),
    ]
    return tuple(drawing for drawing in drawings if drawing is not None)


def timelines(runs: Runs) -> tuple[Timeline, ...]:
    """The largest uniform page on the satellite link, once for each protocol and congestion control."""
    for size in reversed(SIZES_BYTES):
        found = tuple(
            Timeline(
                name=f"over-time-{http}-{cc}",
                title=f"{look(http).label} with {control_label(cc)}, {page('uniform', size)}, satellite",
                factors=factors,
            )
            for http in PROTOCOLS
            for cc in ("bbr", "cubic")
            if values_of(
                runs, "plt_s", **(factors := {**cell(SATELLITE, http, cc), "page": page("uniform", size)})
            )
        )
        if found:
            return found
    return ()
