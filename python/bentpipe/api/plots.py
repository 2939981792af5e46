"""The figures of results: those of reports, for the metric and the run that are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bentpipe.api.plot import Plot
from bentpipe.figures.live import waterfall as live_waterfall
from bentpipe.ledger import Entry
from bentpipe.report import best, drawings
from bentpipe.report.cells import CellResult
from bentpipe.report.quantities import Quantity
from bentpipe.report.source import Source
from bentpipe.stats import cell_label, cumulative, metric_values, summarise

WATERFALL = (
    "Grey: known, not yet asked for. Pale: waiting for the first byte. Full: receiving. Connections come "
    "first, dark while connecting, amber during TLS."
)


def by_cell(cells: Sequence[CellResult], quantity: Quantity) -> Plot:
    """Return a dot with its interval for each cell that has the quantity, of which there must be one."""
    headed = [headed_by(cell, quantity) for cell in cells]
    (drawing,) = drawings.headlines(headed, best.gather(headed))
    return Plot.of(drawing)


def boxes(cells: Sequence[CellResult], quantity: Quantity) -> Plot:
    """Return a box for each cell, by congestion control in groups of the other factors."""
    from bentpipe.figures import boxes

    panel = boxes.Panel(title="", axis_label=quantity.heading, groups=_by_control(cells, quantity))
    title = f"{quantity.label}: quartiles of the runs"
    return Plot.of(boxes.draw(name=f"{_stem(quantity)}-boxes", title=title, panels=[panel]))


def cdf(cells: Sequence[CellResult], quantity: Quantity) -> Plot:
    """Return the distribution over the runs of each cell, a panel for each value of the other factors."""
    from bentpipe.figures import cdf

    panels = [
        cdf.Panel(title=group, curves={control: cumulative(sample) for control, sample in samples.items()})
        for group, samples in _by_control(cells, quantity).items()
    ]
    return Plot.of(
        cdf.draw(
            name=f"{_stem(quantity)}-cdf",
            title=f"{quantity.label}: the share of runs at or below",
            axis_label=quantity.heading,
            panels=panels,
            values="runs",
        )
    )


def waterfall(run: Entry, label: str) -> Plot | None:
    """Return the waterfall of a page load; None of a run without objects."""
    svg = drawings.fall(run)
    if svg is None:
        return None
    return Plot(
        title=f"Waterfall: {label}",
        caption=WATERFALL,
        svg=svg,
        interactive=lambda: live_waterfall.draw(run.record),
    )


def over_time(source: Source, run: Entry, label: str) -> Plot | None:
    """Return rate, queue, window and round trip of a run over time; None of a run without series."""
    drawing = drawings.run_timeline(source, run, name="over-time", title=f"Over time: {label}")
    return None if drawing is None else Plot.of(drawing)


def headed_by(cell: CellResult, quantity: Quantity) -> CellResult:
    """Return the cell with a quantity for its headline."""
    # Seeds drive the interval of the median, which is not drawn.
    summary = summarise(_values(cell, quantity), seed=0)
    return replace(cell, summaries=() if summary is None else ((quantity, summary),))


def _values(cell: CellResult, quantity: Quantity) -> list[float]:
    return [value * quantity.scale for value in metric_values(cell.runs, quantity.metric)]


def _by_control(
    cells: Sequence[CellResult], quantity: Quantity
) -> Mapping[str, Mapping[str, Sequence[float]]]:
    """Return the values of each cell by its other factors, then by its congestion control."""
    groups: dict[str, dict[str, list[float]]] = {}
    for cell in cells:
        values = _values(cell, quantity)
        if values:
            others = {
                name: cell.factors[name] for name in cell.varied if name in cell.factors and name != "cc"
            }
            label = cell_label(others, order=cell.varied) or cell.factors.get("link", cell.workload)
            groups.setdefault(label, {})[cell.factors.get("cc", cell.workload)] = values
    return groups


def _stem(quantity: Quantity) -> str:
    return quantity.metric.replace("_", "-")
