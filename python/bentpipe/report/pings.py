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
    found = []
    for cell in cells:
        if cell.workload != "ping":
            continue
        series = (source.series(run.run_id, "ping") for run in cell.runs if run.status == "succeeded")
        runs = [columns["rtt_s"] for columns in series if "rtt_s" in columns]
        if runs:
            together = np.concatenate(runs)
            rtts_s = together[~np.isnan(together)]
            found.append(Pings(label=cell.label, losses=loss_runs(runs), rtts_s=rtts_s))
    return tuple(found)
