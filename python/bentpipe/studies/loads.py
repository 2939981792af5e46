"""What page loads came to beyond their metrics: rates over time, what they carried, the median one."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from bentpipe.stats import Counter, representative, select
from bentpipe.stats.counter import BIN_S
from bentpipe.studies.study import Run, Runs

Factors: TypeAlias = Mapping[str, str]

_CONTENT = ("tls", "framing", "header", "body")
"""The layers above the transport."""


def median_load(runs: Runs, cell: Factors) -> Run | None:
    """The succeeded load of a cell whose time is the median one; None without any."""
    times = [(run, plt_s) for run in select(runs, **cell) if (plt_s := run.record.metrics.plt_s) is not None]
    if not times:
        return None
    return times[representative([plt_s for _, plt_s in times])][0]


FORWARD, RETURN = "forward", "return"
"""Directions of the link, as the columns of its series begin."""


def busiest_bps(
    runs: Sequence[Run], *, window_s: float, directions: Sequence[str] = (FORWARD,)
) -> list[float]:
    """The most that the link delivered in any window of each run, in bit/s; of those with a series."""
    found = []
    for run in runs:
        link = run.series("link")
        ends = np.asarray(link.get("time_s", ()), dtype=float)
        if len(ends):
            amount = sum(np.asarray(link[f"{each}_delivered_bytes"], dtype=float) for each in directions)
            counted = Counter.of_bins(end_s=ends, amount=amount, bin_s=BIN_S)
            found.append(float((counted.at(ends) - counted.at(ends - window_s)).max()) * 8 / window_s)
    return found


def content_bytes(runs: Sequence[Run], *, directions: Sequence[str] = ("down",)) -> list[float]:
    """What TCP carried to each client: bodies, header fields, frames and TLS; of those that counted it."""
    counted = (layers for run in runs if (layers := run.record.bytes_by_layer))
    return [
        float(
            sum(getattr(getattr(layers, each), f"{layer}_bytes") for each in directions for layer in _CONTENT)
        )
        for layers in counted
    ]


def wire_bytes(runs: Sequence[Run]) -> list[float]:
    """IP bytes of each load, both directions."""
    metrics = (run.record.metrics for run in runs)
    return [float(each.wire_bytes_down + each.wire_bytes_up) for each in metrics]
