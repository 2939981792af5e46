"""What page loads came to beyond their metrics: rates over time, what they carried, the median one."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from bentpipe.model.record import RunRecord
from bentpipe.stats import Counter, representative, select
from bentpipe.stats.counter import BIN_S
from bentpipe.studies.study import Run, Runs

Factors: TypeAlias = Mapping[str, str]

_CONTENT = ("tls", "framing", "header", "body")
"""The layers above the transport."""


def median_load(runs: Runs, cell: Factors) -> Run | None:
    """The succeeded load of a cell whose time is the median one; None without any."""
    times = [(run, plt_s) for run in select(runs, **cell) if (plt_s := run.metrics.get("plt_s")) is not None]
    if not times:
        return None
    return times[representative([plt_s for _, plt_s in times])][0]


FORWARD, RETURN = "forward", "return"
"""Directions of the link, as the columns of its series begin."""


def busiest_bps(run: Run, *, window_s: float, directions: tuple[str, ...] = (FORWARD,)) -> float | None:
    """The most that the link delivered in any window of a run, in bit/s; None without its series."""
    return run.derived(_busiest_bps, window_s, directions)


def busiest_of_each_bps(runs: Sequence[Run], *, window_s: float) -> list[float]:
    """The same of the forward link of each run that has its series."""
    found = (busiest_bps(run, window_s=window_s) for run in runs)
    return [each for each in found if each is not None]


def content_bytes(record: RunRecord, *, direction: str) -> float | None:
    """What TCP carried "down" to a client or "up" from it; None where it was not counted.

    Bodies, header fields, frames and TLS.
    """
    if not record.bytes_by_layer:
        return None
    layers = getattr(record.bytes_by_layer, direction)
    return float(sum(getattr(layers, f"{layer}_bytes") for layer in _CONTENT))


def _busiest_bps(run: Run, window_s: float, directions: tuple[str, ...]) -> float | None:
    link = run.series("link")
    ends = np.asarray(link.get("time_s", ()), dtype=float)
    if not len(ends):
        return None
    amount = sum(np.asarray(link[f"{each}_delivered_bytes"], dtype=float) for each in directions)
    counted = Counter.of_bins(end_s=ends, amount=amount, bin_s=BIN_S)
    return float((counted.at(ends) - counted.at(ends - window_s)).max()) * 8 / window_s
