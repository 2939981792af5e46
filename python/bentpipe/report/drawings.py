"""The figures of a report: those of its study, or else its headline by cell; and runs over time."""

from collections.abc import Sequence

from bentpipe.figures import by_cell, link_strip, run_over_time, waterfall
from bentpipe.figures.drawing import Drawing
from bentpipe.ledger import Entry
from bentpipe.report.cells import CellResult
from bentpipe.report.source import Source
from bentpipe.stats import cell_label
from bentpipe.studies import Study

_MOST_TIMELINES = 6
_PROTOCOL_FACTORS = ("http", "bulk.transport")


def figures(source: Source, cells: Sequence[CellResult], study: Study | None) -> tuple[Drawing, ...]:
    """Every figure that is drawn into files."""
    drawn = study.figures(source.best) if study else ()
    return (*(drawn or _headlines(cells)), *_timelines(source, cells, study))


def strip(source: Source, cell: CellResult) -> str | None:
    """The link over the cell's median run as small SVG; None without a run or without its series."""
    if cell.median_run is None:
        return None
    link = source.series(cell.median_run.run_id, "link")
    if len(link.get("time_s", ())) == 0:
        return None
    return link_strip.draw(link=link, protocol=_protocol(cell), capacity_bps=_capacity_bps(cell.median_run))


def fall(run: Entry) -> str | None:
    """The waterfall of a run's objects as small SVG; None when it has none."""
    return waterfall.draw(run.record) if run.record["objects"] else None


def _headlines(cells: Sequence[CellResult]) -> list[Drawing]:
    """One figure per headline quantity: a scenario may mix workloads."""
    drawings = []
    measured = [cell for cell in cells if cell.headline is not None]
    for quantity in dict.fromkeys(cell.headline[0] for cell in measured if cell.headline):
        marks = [
            by_cell.Mark(
                row=_row(cell),
                protocol=_protocol(cell),
                congestion_control=cell.factors.get("cc", ""),
                summary=cell.headline[1],
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


def _timelines(source: Source, cells: Sequence[CellResult], study: Study | None) -> list[Drawing]:
    measured = [cell for cell in cells if cell.median_run is not None and cell.workload != "ping"]
    if study:
        chosen = [
            (timeline.name, timeline.title, cell)
            for timeline in study.timelines(source.best)
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


def _timeline(source: Source, cell: CellResult, *, name: str, title: str) -> Drawing | None:
    assert cell.median_run is not None
    link, sender = (source.series(cell.median_run.run_id, series) for series in ("link", "sender"))
    if len(link.get("time_s", ())) == 0 and len(sender.get("time_s", ())) == 0:
        return None
    return run_over_time.draw(
        name=name,
        title=f"The median run over time: {title}",
        protocol=_protocol(cell),
        link=link,
        sender=sender,
        capacity_bps=_capacity_bps(cell.median_run),
    )


def _row(cell: CellResult) -> str:
    rest = {
        k: cell.factors[k] for k in cell.varied if k in cell.factors and k not in (*_PROTOCOL_FACTORS, "cc")
    }
    return cell_label(rest, order=cell.varied) or cell.factors.get("link", "all")


def _protocol(cell: CellResult) -> str:
    return next((cell.factors[name] for name in _PROTOCOL_FACTORS if name in cell.factors), cell.workload)


def _capacity_bps(run: Entry) -> float | None:
    capacity = run.record["spec"]["link"]["forward"]["capacity"]
    return float(capacity["rate_bps"]) if capacity["kind"] == "constant" else None
