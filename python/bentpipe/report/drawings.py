"""The figures of a report: those of its study, or else its headline by cell; and runs over time."""

from collections.abc import Mapping, Sequence

from bentpipe.figures import (
    by_cell,
    byte_layers,
    ccdf,
    connections,
    first_byte,
    link_strip,
    run_over_time,
    shares,
    waterfall,
)
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.flow_looks import Flow, looks
from bentpipe.figures.style import Look
from bentpipe.ledger import Entry
from bentpipe.model.flow import FlowsWorkload
from bentpipe.model.record import RunRecord
from bentpipe.report.best import Best, Rated, behind_text
from bentpipe.report.cells import CellResult
from bentpipe.report.clients import Judged
from bentpipe.report.pings import Pings
from bentpipe.report.source import Source
from bentpipe.scenario.hosts.flows import flow_label
from bentpipe.scenario.link.description import nominal_bps
from bentpipe.stats import cell_label, competitors, cumulative, exceedance, mean_layers
from bentpipe.studies import Study

_MOST_TIMELINES = 6
_MOST_BARS = 24
_MANY_CONNECTIONS = 2
"""A page load of one connection is what its waterfall shows."""
_PROTOCOL_FACTORS = ("http", "bulk.transport")


def figures(
    source: Source,
    cells: Sequence[CellResult],
    study: Study | None,
    pings: Sequence[Pings],
    judged: Judged,
    headlines: Sequence[Drawing],
) -> tuple[Drawing, ...]:
    """Every figure that is drawn into files; those of a study are of the runs that it is judged by."""
    drawn = study.figures(judged.runs) if study else ()
    return (
        *(drawn or headlines),
        *_tails(pings),
        *_first_bytes(cells, pings),
        *_sharings(source, cells),
        *_layers(cells),
        *_activities(source, cells),
        *_timelines(source, judged.cells if study else cells, judged, study),
    )


def headlines(cells: Sequence[CellResult], bests: Sequence[Best]) -> list[Drawing]:
    """One figure per headline quantity, for a scenario may mix workloads; the best cells stand out."""
    rated = {each.cell.label: each for best in bests if best.is_choice for each in best.rated}
    drawings = []
    measured = [cell for cell in cells if cell.headline is not None]
    for quantity in dict.fromkeys(cell.headline[0] for cell in measured if cell.headline):
        marks = [
            by_cell.Mark(
                row=_row(cell),
                protocol=_protocol(cell),
                congestion_control=cell.factors.get("cc", ""),
                summary=cell.headline[1],
                is_best=cell.label in rated and rated[cell.label].contender.is_among_best,
                note=_note(rated.get(cell.label)),
            )
            for cell in measured
            if cell.headline and cell.headline[0] == quantity
        ]
        drawings.append(
            by_cell.draw(
                name=f"{quantity.metric.replace('_', '-')}-by-cell",
                title=f"{quantity.label} by cell",
                axis_label=quantity.heading,
                marks=marks,
            )
        )
    return drawings


def strip(source: Source, cell: CellResult) -> str | None:
    """The link over the cell's median run as small SVG; None without a run or without its series."""
    if cell.median_run is None:
        return None
    link = source.series(cell.median_run.run_id, "link")
    if len(link.get("time_s", ())) == 0:
        return None
    return link_strip.draw(
        link=link,
        protocol=_protocol(cell),
        capacity_bps=_capacity_bps(cell.median_run),
        path=source.series(cell.median_run.run_id, "path"),
    )


def fall(run: Entry) -> str | None:
    """The waterfall of a run's objects as small SVG; None when it has none."""
    return waterfall.draw(run.record) if run.record.objects else None


def _note(rated: Rated | None) -> str:
    """Return what the pointer is told of a cell that is compared."""
    if rated is None:
        return ""
    return f"{behind_text(rated)} against the best" if rated.contender.behind else "best"


def _tails(pings: Sequence[Pings]) -> list[Drawing]:
    """The round trips of all cells that sent pings."""
    curves = {each.label: exceedance(each.rtts_s * 1e3) for each in pings if len(each.rtts_s) > 1}
    if not curves:
        return []
    title = "Round trips of pings: the share above"
    return [ccdf.draw(name="round-trip-tail", title=title, axis_label="Round trip in ms", curves=curves)]


def _first_bytes(cells: Sequence[CellResult], pings: Sequence[Pings]) -> list[Drawing]:
    """The round trips of cells whose terminal asks for its capacity, or could."""
    links = {
        cell.label: cell.median_run.record.spec.link
        for cell in cells
        if cell.median_run and cell.median_run.record.spec.link.return_.capacity.kind == "rcs2"
    }
    schemes = {
        each.label: cumulative(each.rtts_s) for each in pings if each.label in links and len(each.rtts_s)
    }
    if not schemes:
        return []
    round_trips_s = {
        (links[label].forward.delay_ns + links[label].return_.delay_ns) / 1e9 for label in schemes
    }
    return [
        first_byte.draw(
            name="idle-to-first-byte",
            title="From idle to the first byte: round trips of pings",
            schemes=schemes,
            propagation_s=round_trips_s.pop() if len(round_trips_s) == 1 else None,
        )
    ]


def _layers(cells: Sequence[CellResult]) -> list[Drawing]:
    """Where the bytes of page loads went: a bar for each cell, of many for each of the first."""
    loads = (cell for cell in cells if cell.workload == "page-load")
    rows = {cell.label: layers for cell in loads if (layers := mean_layers(cell.runs))}
    if not rows:
        return []
    shown = dict(list(rows.items())[:_MOST_BARS])
    return [byte_layers.draw(name="bytes-by-layer", title="Bytes on the wire by layer", rows=shown)]


def _activities(source: Source, cells: Sequence[CellResult]) -> list[Drawing]:
    """The median run of cells that open several connections; of many cells, of the first of each protocol."""
    chosen: dict[str, CellResult] = {}
    several = [
        cell
        for cell in cells
        if cell.median_run and len(cell.median_run.record.client_connections) >= _MANY_CONNECTIONS
    ]
    for cell in several:
        chosen.setdefault(cell.label if len(several) <= _MOST_TIMELINES else _protocol(cell), cell)
    return [
        connections.draw(
            name=f"connections-{n}",
            title=f"Connections over time: {cell.label}",
            record=cell.median_run.record,
            link=source.series(cell.median_run.run_id, "link"),
            path=source.series(cell.median_run.run_id, "path"),
        )
        for n, cell in enumerate(list(chosen.values())[:_MOST_TIMELINES], start=1)
        if cell.median_run is not None and cell.median_run.record.objects
    ]


def _sharings(source: Source, cells: Sequence[CellResult]) -> list[Drawing]:
    """The median run of each cell of several flows."""
    runs = [(cell.label, cell.median_run) for cell in cells if cell.workload == "flows" and cell.median_run]
    return [
        _sharing(source, run, name=f"shares-{n}", title=f"Flows over time: {label}")
        for n, (label, run) in enumerate(runs[:_MOST_TIMELINES], start=1)
    ]


def _sharing(source: Source, run: Entry, *, name: str, title: str) -> Drawing:
    duration_ns = _workload(run).duration_ns
    found = competitors(
        run.record.flows,
        source.series(run.run_id, "progress"),
        common_end_s=None if duration_ns is None else duration_ns / 1e9,
    )
    lines = [
        shares.Line(**vars(flow), flow=competitor)
        for flow, competitor in zip(_flows(run), found, strict=True)
    ]
    return shares.draw(name=name, title=title, lines=lines, path=source.series(run.run_id, "path"))


def _flows(run: Entry) -> list[Flow]:
    return [
        Flow(label=flow_label(flow), congestion_control=flow.cc, transport=flow.transport)
        for flow in _workload(run).flows
    ]


def _workload(run: Entry) -> FlowsWorkload:
    workload = run.record.spec.workload
    assert isinstance(workload, FlowsWorkload), workload.kind
    return workload


def _flow_looks(run: Entry) -> dict[int, Look]:
    """The looks of several flows by the client's port; nothing of another workload."""
    if not isinstance(run.record.spec.workload, FlowsWorkload):
        return {}
    found = zip(run.record.flows, looks(_flows(run)), strict=True)
    return {flow.client_port: look for flow, look in found if flow.client_port is not None}


def _timelines(
    source: Source, cells: Sequence[CellResult], judged: Judged, study: Study | None
) -> list[Drawing]:
    measured = [cell for cell in cells if cell.median_run is not None and cell.workload != "ping"]
    if study:
        chosen = [
            (timeline.name, timeline.title, cell)
            for timeline in study.timelines(judged.runs)
            for cell in measured
            if timeline.factors.items() <= cell.factors.items()
        ]
    elif len(measured) <= _MOST_TIMELINES:
        chosen = [(f"over-time-{n}", cell.label, cell) for n, cell in enumerate(measured, start=1)]
    else:
        chosen = []
    return [
        drawing
        for name, title, cell in chosen
        if (drawing := _timeline(source, cell, name=name, title=title)) is not None
    ]


def run_timeline(source: Source, run: Entry, *, name: str, title: str) -> Drawing | None:
    """A run over time; None without its series."""
    link, sender = (source.series(run.run_id, series) for series in ("link", "sender"))
    if len(link.get("time_s", ())) == 0 and len(sender.get("time_s", ())) == 0:
        return None
    return run_over_time.draw(
        name=name,
        title=title,
        protocol=_protocol_of(run.factors, run.record.spec.workload.kind),
        link=link,
        sender=sender,
        capacity_bps=_capacity_bps(run),
        flows=_flow_looks(run),
        path=source.series(run.run_id, "path"),
        phases=_resume_phases(run.record),
    )


def _resume_phases(record: RunRecord) -> Sequence[tuple[float, str]]:
    """Return those of the connection that went through most of them: the other end has looked only."""
    connections = (*record.origin_connections, *record.client_connections)
    steps = max((one.resumption or () for one in connections), key=len, default=())
    return [(step.at_ns / 1e9, step.phase.value) for step in steps]


def _timeline(source: Source, cell: CellResult, *, name: str, title: str) -> Drawing | None:
    assert cell.median_run is not None
    return run_timeline(source, cell.median_run, name=name, title=f"The median run over time: {title}")


def _row(cell: CellResult) -> str:
    rest = {
        k: cell.factors[k] for k in cell.varied if k in cell.factors and k not in (*_PROTOCOL_FACTORS, "cc")
    }
    return cell_label(rest, order=cell.varied) or cell.factors.get("link", "all")


def _protocol(cell: CellResult) -> str:
    return _protocol_of(cell.factors, cell.workload)


def _protocol_of(factors: Mapping[str, str], workload: str) -> str:
    return next((factors[name] for name in _PROTOCOL_FACTORS if name in factors), workload)


def _capacity_bps(run: Entry) -> float:
    return float(nominal_bps(run.record.spec.link.forward.capacity))
