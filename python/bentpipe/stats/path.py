"""The series `path` of a run: how often and for how long nothing got through, and its rates and delays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bentpipe.stats.counter import BIN_S

Way = Literal["forward", "return"]
WAYS: tuple[Way, ...] = ("forward", "return")
Table = Mapping[str, ArrayLike]
Values = NDArray[np.float64]


class Interruption(Enum):
    """Why nothing gets through a path."""

    SILENCE = "silence"
    """Nothing is sent, and the queue is kept."""
    OUTAGE = "outage"
    """What is sent is lost."""


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """A while in which nothing got through, in s from the start of the workload."""

    kind: Interruption
    from_s: float
    to_s: float
    duration_s: float


@dataclass(frozen=True, kw_only=True)
class Durations:
    """The durations of so many interruptions of one kind in s; zeros of none."""

    count: int
    total_s: float
    median_s: float
    longest_s: float


@dataclass(frozen=True, kw_only=True)
class Range:
    """The least, the mean and the greatest of a quantity."""

    least: float
    mean: float
    greatest: float


@dataclass(frozen=True, kw_only=True)
class DirectionSummary:
    """One direction: the means of its capacity over seconds outside of silences, and its one-way delays.

    `capacity_bps` is None where the path was silent throughout.
    """

    capacity_bps: Range | None
    delay_s: Range


@dataclass(frozen=True, kw_only=True)
class PathSummary:
    """A path over `length_s`; a direction that does not change is None, as is an elevation nobody knows."""

    length_s: float
    silences: Durations
    outages: Durations
    handovers: int
    forward: DirectionSummary | None
    return_: DirectionSummary | None
    elevation_deg: Range | None


def path_summary(path: Table) -> PathSummary | None:
    """Sum up the series `path`, columns of shape (rows,); None without a row."""
    ends = _column(path, "time_s")
    if len(ends) == 0:
        return None
    found = stretches(path)
    return PathSummary(
        length_s=float(_lengths_s(ends).sum()),
        silences=_durations(found, Interruption.SILENCE),
        outages=_durations(found, Interruption.OUTAGE),
        handovers=round(float(np.nansum(_column(path, "handovers")))),
        forward=_direction(path, "forward"),
        return_=_direction(path, "return"),
        elevation_deg=_range(_column(path, "elevation_deg")),
    )


def stretches(path: Table) -> tuple[Stretch, ...]:
    """Return the maximal stretches of touching rows in which either direction was interrupted, in order.

    Rows tell how long they were interrupted, not when: within the first of several it is at its end, within
    the last at its beginning, and within one alone in its middle.
    """
    ends = _column(path, "time_s")
    silent, lost = (_either(path, kind) for kind in Interruption)
    stopped = interrupted_s(path)
    edges = np.flatnonzero(np.diff(stopped > 0, prepend=False, append=False))
    return tuple(
        _stretch(ends[first:after], stopped[first:after], _kind(silent[first:after], lost[first:after]))
        for first, after in zip(edges[::2], edges[1::2], strict=True)
    )


def interrupted_s(path: Table) -> Values:
    """Return how much of each row either direction was interrupted."""
    stopped = sum((_either(path, kind) for kind in Interruption), np.zeros(len(_column(path, "time_s"))))
    within: Values = np.minimum(stopped, _lengths_s(_column(path, "time_s")))
    return within


def handover_times_s(path: Table) -> Values:
    """Return when handovers were: the middle of each row that has any."""
    ends = _column(path, "time_s")
    if len(ends) == 0:
        return ends
    middles: Values = ends - _lengths_s(ends) / 2
    return middles[np.nan_to_num(_column(path, "handovers")) > 0]


def open_capacity_bps(path: Table, way: Way) -> Values:
    """Return the capacity of each row outside of its silences; NaN where it is silent all the while."""
    lengths = _lengths_s(_column(path, "time_s"))
    open_s = lengths - _column(path, f"{way}_silence_s")
    capacity: Values = np.full(len(lengths), np.nan)
    # Below a microsecond it is what is left of the sum of parts.
    np.divide(_column(path, f"{way}_capacity_bps") * lengths, open_s, out=capacity, where=open_s > 1e-6)
    return capacity


def _direction(path: Table, way: Way) -> DirectionSummary | None:
    delay_s = _range(_column(path, f"{way}_delay_s"))
    return None if delay_s is None else DirectionSummary(capacity_bps=_capacity(path, way), delay_s=delay_s)


def _capacity(path: Table, way: Way) -> Range | None:
    """Means of each second outside of silences; the last second counts if it is whole or the only one."""
    ends = _column(path, "time_s")
    lengths = _lengths_s(ends)
    # In the middle of a row, so that no rounding moves it into the second beside it.
    seconds = np.floor(ends - lengths / 2).astype(int)
    open_s = np.bincount(seconds, weights=lengths - _column(path, f"{way}_silence_s"))
    bits = np.bincount(seconds, weights=lengths * _column(path, f"{way}_capacity_bps"))
    is_whole = np.bincount(seconds, weights=lengths) > 1 - BIN_S / 2
    is_counted = (open_s > 1e-6) & (is_whole if is_whole.any() else True)
    if not is_counted.any():
        return None
    means = bits[is_counted] / open_s[is_counted]
    whole = float(bits[is_counted].sum() / open_s[is_counted].sum())
    return Range(least=float(means.min()), mean=whole, greatest=float(means.max()))


def _stretch(ends: Values, stopped: Values, kind: Interruption) -> Stretch:
    if len(ends) == 1:
        middle = float(ends[0]) - BIN_S / 2
        from_s, to_s = middle - float(stopped[0]) / 2, middle + float(stopped[0]) / 2
    else:
        from_s, to_s = float(ends[0] - stopped[0]), float(ends[-2] + stopped[-1])
    return Stretch(kind=kind, from_s=from_s, to_s=to_s, duration_s=float(stopped.sum()))


def _kind(silent: Values, lost: Values) -> Interruption:
    return Interruption.OUTAGE if lost.sum() > silent.sum() else Interruption.SILENCE


def _either(path: Table, kind: Interruption) -> Values:
    """The longer of both directions in each row."""
    both = (np.nan_to_num(_column(path, f"{way}_{kind.value}_s")) for way in WAYS)
    longer: Values = np.maximum(*both)
    return longer


def _durations(found: Sequence[Stretch], kind: Interruption) -> Durations:
    durations = np.array([each.duration_s for each in found if each.kind is kind])
    if len(durations) == 0:
        return Durations(count=0, total_s=0.0, median_s=0.0, longest_s=0.0)
    return Durations(
        count=len(durations),
        total_s=float(durations.sum()),
        median_s=float(np.median(durations)),
        longest_s=float(durations.max()),
    )


def _range(values: Values) -> Range | None:
    there = values[~np.isnan(values)]
    if len(there) == 0:
        return None
    return Range(least=float(there.min()), mean=float(there.mean()), greatest=float(there.max()))


def _lengths_s(ends: Values) -> Values:
    """Of the rows; the first one starts with the workload and is a whole one but where it is the only one."""
    if len(ends) == 0:
        return ends
    first = BIN_S if len(ends) > 1 else min(BIN_S, float(ends[0]))
    lengths: Values = np.diff(ends, prepend=ends[0] - first)
    return lengths


def _column(table: Table, name: str) -> Values:
    # None, as JSON has it, becomes NaN.
    return np.asarray(table[name], dtype=float)
