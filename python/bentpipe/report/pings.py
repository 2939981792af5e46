"""The pings of each cell that sent any: all its runs together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bentpipe.report.cells import CellResult
from bentpipe.report.source import Source
from bentpipe.stats import LossRuns, loss_runs


@dataclass(frozen=True, kw_only=True)
class Pings:
    """A cell's losses and the round trips of what came back; two runs of a cell are no row of losses."""

    label: str
    losses: LossRuns
    rtts_s: NDArray[np.float64]


def gather(source: Source, cells: Sequence[CellResult]) -> tuple[Pings, ...]:
    """Read the succeeded runs of every cell whose workload is ping; cells without any are left out."""
    pinging = [cell for cell in cells if cell.workload == "ping"]
    wanted = {
        run.run_id: (run.attempt, place)
        for place, cell in enumerate(pinging)
        for run in cell.runs
        if run.status == "succeeded"
    }
    runs: list[list[NDArray[np.float64]]] = [[] for _ in pinging]
    # In the order of the files, each of which has runs of many cells.
    for run_id, number, columns in source.every_series("ping") if wanted else ():
        attempt, place = wanted.get(run_id, (0, 0))
        if number == attempt and "rtt_s" in columns:
            runs[place].append(columns["rtt_s"])
    return tuple(_pings(cell.label, some) for cell, some in zip(pinging, runs, strict=True) if some)


def _pings(label: str, runs: Sequence[NDArray[np.float64]]) -> Pings:
    together = np.concatenate(runs)
    return Pings(label=label, losses=loss_runs(runs), rtts_s=together[~np.isnan(together)])
