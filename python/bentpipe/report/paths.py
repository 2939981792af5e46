"""The path of each cell whose link changes: that of its median run in numbers, of some cells over time."""

from collections.abc import Sequence
from dataclasses import dataclass

from bentpipe.figures import path_over_time
from bentpipe.figures.drawing import Drawing
from bentpipe.ledger import Entry
from bentpipe.model.spec import PingWorkload
from bentpipe.report.cells import CellResult
from bentpipe.report.satellite import drawn_runs
from bentpipe.report.source import Series, Source
from bentpipe.stats import PathSummary, path_summary


@dataclass(frozen=True, kw_only=True)
class CellPath:
    """The path of a cell's median run, and its figure where it is drawn."""

    label: str
    run_id: str
    summary: PathSummary
    drawing: Drawing | None


def gather(source: Source, cells: Sequence[CellResult]) -> tuple[CellPath, ...]:
    """Every cell whose median run has a series of its path."""
    found = [
        (cell, cell.median_run, summary)
        for cell in cells
        if cell.median_run is not None
        and (path := source.series(cell.median_run.run_id, "path"))
        and (summary := path_summary(path)) is not None
    ]
    drawn = drawn_runs([run for _, run, _ in found])
    numbers = {run.run_id: number for number, run in enumerate(drawn, start=1)}
    return tuple(
        CellPath(
            label=cell.label,
            run_id=run.run_id,
            summary=summary,
            drawing=_drawing(source, cell, run, numbers[run.run_id]) if run.run_id in numbers else None,
        )
        for cell, run, summary in found
    )


def _drawing(source: Source, cell: CellResult, run: Entry, number: int) -> Drawing:
    return path_over_time.draw(
        name=f"path-{number}",
        title=f"Path over time: {cell.label}",
        path=source.series(run.run_id, "path"),
        pings=_pings(run, source.series(run.run_id, "ping")),
    )


def _pings(run: Entry, ping: Series) -> path_over_time.Pings | None:
    workload = run.record.spec.workload
    if not isinstance(workload, PingWorkload) or not {"sequence", "rtt_s"} <= ping.keys():
        return None
    return path_over_time.Pings(
        sent_s=ping["sequence"] * workload.interval_ns / 1e9,
        rtt_s=ping["rtt_s"],
    )
