"""Series made shorter for drawing: neighbouring bins put together."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from bentpipe.stats.counter import BIN_S

Values: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.float64]]"
Series: TypeAlias = Mapping[str, Values]


def rows(series: Series) -> int:
    """Number of bins; none where there is no such series."""
    return len(series.get("time_s", ()))


def bin_rates_bps(link: Series, column: str) -> Values:
    """Bits per second in each bin of a column of bytes. The last bin may be shorter than the others."""
    times = np.asarray(link["time_s"], dtype=float)
    if len(times) == 0:
        return times
    is_whole = len(times) > 1 or times[0] <= 0
    first = BIN_S if is_whole else min(BIN_S, float(times[0]))
    rates: Values = np.asarray(link[column], dtype=float) * 8 / np.diff(times, prepend=times[0] - first)
    return rates


def group_size(count: int, *, most: int) -> int:
    """How many neighbours are put together so that at most `most` groups remain."""
    return max(1, -(-count // most))


def merged(values: Values, size: int, how: Callable[[Values], float]) -> Values:
    """One value for each group of neighbours; the last group may be smaller."""
    if size == 1:
        return np.asarray(values, dtype=float)
    groups = range(0, len(values), size)
    return np.asarray([how(values[start : start + size]) for start in groups], dtype=float)


def last(values: Values) -> float:
    """The last of a group."""
    return float(values[-1])


def mean(values: Values) -> float:
    """The mean of those of a group that are there; NaN where none is."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else float("nan")
