"""The study's figures, drawn from our runs."""

from collections.abc import Iterator

from bentpipe.figures import by_page_size, byte_layers, connections
from bentpipe.figures.by_page_size import OBJECTS, Curve, Panel
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import Stroke, look
from bentpipe.stats import Summary, mean_layers, select, summarise, values_of
from bentpipe.studies.loads import median_load
from bentpipe.studies.secchi2018.cells import (
    EAGER,
    MANY,
    PATHS,
    PATIENT,
    PEP,
    PROTOCOLS,
    SIZES_KB,
    TOTALS_KB,
    TUNNEL,
    cell,
    objects,
    page,
)
from bentpipe.studies.study import Runs, Timeline

FIGURES_NOTE = (
    "Load time against the number of objects with and without the PEP and with either retry timeout, and the "
    "traffic of 500 objects of 5 kB with the activity of connections below it, as the study draws them; "
    "bytes by layer besides."
)

_SEED = 18
_STROKES = {EAGER: Stroke.SOLID, PATIENT: Stroke.DASHED}


def figures(runs: Runs) -> tuple[Drawing, ...]:
    """Every figure for which there are runs."""
    return (*_load_times(runs), *_bytes(runs), *_activities(runs))


def timelines(runs: Runs) -> tuple[Timeline, ...]:
    """500 objects of 5 kB by each protocol that keeps its connections, with and without the PEP."""
    return tuple(
        Timeline(
            name=f"over-time-{http}-{pep}",
            title=f"{look(http).label}, {page(*MANY)}, {PATHS[pep]}",
            factors=factors,
        )
        for http in PROTOCOLS
        if http != "h1s"
        for pep in PATHS
        if select(runs, **(factors := {**cell(http, pep=pep), "page": page(*MANY)}))
    )


def _load_times(runs: Runs) -> Iterator[Drawing]:
    for total in TOTALS_KB:
        panels = [
            Panel(
                title=title[0].upper() + title[1:],
                axis_label="Page load time in s",
                curves=[
                    curve
                    for http in PROTOCOLS
                    for retry in _STROKES
                    if (curve := _curve(runs, http, pep, retry, total)).points
                ],
            )
            for pep, title in PATHS.items()
        ]
        shown = [panel for panel in panels if panel.curves]
        if shown:
            yield by_page_size.draw(
                name=f"plt-{total}k",
                title=f"Load time of {total} kB against the number of objects",
                panels=shown,
                note="The objects of a panel together are as large, whatever their number.",
                across=OBJECTS,
            )


def _curve(runs: Runs, http: str, pep: str, retry: str, total: int) -> Curve:
    points: list[tuple[int, Summary]] = []
    for size in SIZES_KB:
        times = values_of(runs, "plt_s", **cell(http, pep=pep, retry=retry), page=page(total, size))
        summary = summarise(times, seed=_SEED)
        if summary is not None:
            points.append((objects(total, size), summary))
    return Curve(protocol=http, stroke=_STROKES[retry], stroke_label=f"retry after {retry}", points=points)


def _bytes(runs: Runs) -> Iterator[Drawing]:
    name = page(*MANY)
    found = {
        look(http).label: mean_layers(select(runs, **cell(http, pep=TUNNEL, retry=PATIENT), page=name))
        for http in PROTOCOLS
    }
    rows = {label: layers for label, layers in found.items() if layers is not None}
    if rows:
        yield byte_layers.draw(
            name="bytes-500-objects", title="Bytes of 500 objects of 5 kB without the PEP", rows=rows
        )


def _activities(runs: Runs) -> Iterator[Drawing]:
    """The median load of 500 objects by HTTPS and by both kinds of HTTP/2."""
    for http in ("h1s", "spdy", "h2"):
        for pep in (PEP, TUNNEL):
            run = median_load(runs, {**cell(http, pep=pep), "page": page(*MANY)})
            if run is not None and run.record.objects:
                yield connections.draw(
                    name=f"activity-{http}-{pep}",
                    title=f"Traffic and connections of 500 objects of 5 kB: {look(http).label}, {PATHS[pep]}",
                    record=run.record,
                    link=run.series("link"),
                )
