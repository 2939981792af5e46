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


def busiest_bps(runs: Sequence[Run], *, window_s: float) -> list[float]:
    """The most that the link delivered to each client in any window, in bit/s; of those with a series."""
    found = []
    for run in runs:
        link = run.series("link")
        ends = np.asarray(link.get("time_s", ()), dtype=float)
        if len(ends):
            counted = Counter.of_bins(end_s=ends, amount=link["forward_delivered_bytes"], bin_s=BIN_S)
            found.append(float((counted.at(ends) - counted.at(ends - window_s)).max()) * 8 / window_s)
    return found


def content_bytes(runs: Sequence[Run]) -> list[float]:
    """What TCP carried to each client: bodies, header fields, frames and TLS; of those that counted it."""
    counted = (layers for run in runs if (layers := run.record.bytes_by_layer))
    return [float(sum(getattr(layers.down, f"{layer}_bytes") for layer in _CONTENT)) for layers in counted]


def wire_bytes(runs: Sequence[Run]) -> list[float]:
    """IP bytes of each load, both directions."""
    metrics = (run.record.metrics for run in runs)
    return [float(each.wire_bytes_down + each.wire_bytes_up) for each in metrics]
