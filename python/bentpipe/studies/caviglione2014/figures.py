"""The study's figures, drawn from our runs."""

from collections.abc import Iterator

from bentpipe.figures import by_scheme, byte_layers, connections, rates_over_time
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import Stroke
from bentpipe.stats import mean_layers, summarise
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import (
    BY_VOLUME,
    CONSTANT,
    FULL_HANDSHAKES,
    SCHEMES,
    VARIANTS,
    Variant,
)
from bentpipe.studies.caviglione2014.loads import PLT, loads, values
from bentpipe.studies.loads import median_load
from bentpipe.studies.study import Runs, Timeline

FIGURES_NOTE = (
    "Bytes by protocol, connections over time, throughput over time by protocol, and load time by scheme of "
    "bandwidth on demand, as the study draws them."
)

_SEED = 14
_IN_CLEAR_AND_SPDY = ("http10", "h1", "h1-pipelined", "spdy", "h2")


def figures(runs: Runs) -> tuple[Drawing, ...]:
    """Every figure for which there are runs."""
    return (*_bytes(runs), *_by_scheme(runs), *_over_time(runs), *_activities(runs))


def timelines(runs: Runs) -> tuple[Timeline, ...]:
    """SPDY and HTTP/2 with each scheme that was measured."""
    return tuple(
        Timeline(
            name=f"over-time-{variant.name}-{scheme}",
            title=f"{variant.label}, {label}",
            factors=variant.cell(scheme),
        )
        for variant in VARIANTS
        if variant.name in ("spdy", "h2")
        for scheme, label in SCHEMES.items()
        if loads(runs, variant, scheme)
    )


def _bytes(runs: Runs) -> Iterator[Drawing]:
    found = {
        variant.label: mean_layers(loads(runs, variant, CONSTANT)) for variant in (*VARIANTS, FULL_HANDSHAKES)
    }
    rows = {label: layers for label, layers in found.items() if layers is not None}
    if rows:
        yield byte_layers.draw(name="bytes", title="Bytes of the page by protocol", rows=rows)


def _by_scheme(runs: Runs) -> Iterator[Drawing]:
    marks = [marks for variant in VARIANTS if (marks := _marks(runs, variant)).summaries]
    if marks:
        yield by_scheme.draw(
            name="plt-by-scheme",
            title="Load time by scheme of bandwidth on demand",
            axis_label="Page load time in s",
            schemes=list(SCHEMES.values()),
            marks=marks,
        )


def _marks(runs: Runs, variant: Variant) -> by_scheme.Marks:
    found = {
        label: summarise(values(runs, PLT, variant, scheme), seed=_SEED) for scheme, label in SCHEMES.items()
    }
    theirs = {}
    if variant.http in published.LOADS:
        theirs[SCHEMES[CONSTANT]] = published.LOADS[variant.http].plt_s
    if variant.http in published.VBDC_PLT_S:
        theirs[SCHEMES[BY_VOLUME]] = published.VBDC_PLT_S[variant.http]
    return by_scheme.Marks(
        label=variant.label,
        protocol=variant.http,
        stroke=Stroke.DASHED if variant.is_pipelined else Stroke.SOLID,
        summaries={label: summary for label, summary in found.items() if summary is not None},
        published=theirs,
    )


def _over_time(runs: Runs) -> Iterator[Drawing]:
    panels = []
    for variant in VARIANTS:
        run = median_load(runs, variant.cell(CONSTANT))
        if run is not None and len(run.series("link").get("time_s", ())):
            panels.append(
                rates_over_time.Panel(title=variant.label, protocol=variant.http, link=run.series("link"))
            )
    if panels:
        yield rates_over_time.draw(
            name="throughput-over-time", title="Throughput over time by protocol", panels=panels
        )


def _activities(runs: Runs) -> Iterator[Drawing]:
    for variant in VARIANTS:
        run = median_load(runs, variant.cell(CONSTANT)) if variant.name in _IN_CLEAR_AND_SPDY else None
        if run is not None and run.record.objects:
            yield connections.draw(
                name=f"activity-{variant.name}",
                title=f"Connections over time: {variant.label}",
                record=run.record,
                link=run.series("link"),
            )
