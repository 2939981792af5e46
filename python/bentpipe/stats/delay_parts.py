"""A satellite link over one run: where its packets waited."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

FORWARD_PARTS = ("forward_queue_s", "forward_framing_s", "forward_propagation_s")
RETURN_PARTS = (
    "return_queue_s",
    "return_request_s",
    "return_slot_s",
    "return_burst_s",
    "return_propagation_s",
)
"""Columns of the series `delays`, in the order in which a packet meets them."""

Table = Mapping[str, ArrayLike]


def delay_means(delays: Table) -> Mapping[str, float | None]:
    """Mean of each part of the delay over the bins in which packets arrived; None where none ever did."""
    return {name: _mean(_column(delays, name)) for name in (*FORWARD_PARTS, *RETURN_PARTS)}


def _column(table: Table, name: str) -> NDArray[np.float64]:
    # None, as JSON has it, becomes NaN.
    return np.asarray(table[name], dtype=float)


def _mean(values: NDArray[np.float64]) -> float | None:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else None
