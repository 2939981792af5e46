"""Confidence intervals of a mean and of a median."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bentpipe.stats.moments import Moments

RESAMPLES = 9_999
"""Bootstrap resamples: one fewer than a multiple of 40, so that the 2.5 % point is an order statistic."""


MOST_RESAMPLED = 200
"""Values of a sample that is resampled: of more the interval lies between two of them, in no time."""


_KEPT = 4096
"""Intervals of medians: those of a report's cells and metrics."""

_LENGTHS = 8
"""Of samples whose draws are kept: the cells of a campaign have few; each takes 0.3 MB at 30 values."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A two-sided confidence interval in the unit of the values it was made from."""

    low: float
    high: float
    confidence: float = 0.95

    def excludes(self, value: float) -> bool:
        """Whether `value` lies outside."""
        return value < self.low or value > self.high

    def within(self, low: float, high: float) -> bool:
        """Whether the whole interval lies between `low` and `high`."""
        return low <= self.low and self.high <= high

    def scaled(self, factor: float) -> "Interval":
        """Return the interval in another unit, `factor` of the new one to one of the old; positive."""
        return Interval(low=self.low * factor, high=self.high * factor, confidence=self.confidence)


def mean_interval(values: Sequence[float], *, confidence: float = 0.95) -> Interval | None:
    """Student's t interval of the mean; None below two values.

    Assumes a mean that is normally distributed, which nobody can check with three runs.
    """
    if len(values) < 2:
        return None
    sample = np.asarray(values, dtype=float)
    return _student(float(sample.mean()), float(sample.std(ddof=1)), len(sample), confidence)


def moments_interval(moments: Moments, *, confidence: float = 0.95) -> Interval | None:
    """Return what `mean_interval` says of the values."""
    return _student(moments.mean, moments.sd, moments.count, confidence) if moments.count > 1 else None


def median_interval(values: Sequence[float], *, seed: int, confidence: float = 0.95) -> Interval | None:
    """Percentile bootstrap interval of the median; None below three values.

    The percentile method, since BCa's acceleration rests on the jackknife, which fails for the median
    (Efron, Tibshirani 1993, section 11.6). With three to five values the interval is the range of the
    sample, and the range of n values holds the median with probability 1 - 2^(1 - n): 75 % for three,
    below the nominal 95 % until n = 6.

    Of more than MOST_RESAMPLED values it lies between two order statistics, x_(r) and x_(n + 1 - r), which
    hold the median with probability P(r <= B <= n - r), B binomial with n trials of 1/2 (David, Nagaraja
    2003, Order Statistics, section 7.1); r is the greatest that gives the confidence. No `seed` is in it.
    """
    if len(values) < 3:
        return None
    if len(values) > MOST_RESAMPLED:
        return _between_order_statistics(np.asarray(values, dtype=float), confidence)
    return _between_resampled(tuple(map(float, values)), seed, confidence)


def _student(mean: float, sd: float, count: int, confidence: float) -> Interval:
    reach = _t_quantile(confidence, count - 1) * sd / float(np.sqrt(count))
    return Interval(low=mean - reach, high=mean + reach, confidence=confidence)


@lru_cache(maxsize=_KEPT)
def _between_resampled(values: tuple[float, ...], seed: int, confidence: float) -> Interval:
    """Return what `scipy.stats.bootstrap` does, bit by bit, without sorting each resample.

    It draws the same places for each sample of a length, so how often each place was drawn is known; summed
    up in the order of the values, that says which of them are in the middle.
    """
    sample, length = np.asarray(values), len(values)
    order = np.argsort(sample, kind="stable")
    # At most MOST_RESAMPLED, which a byte holds.
    drawn_so_far = np.cumsum(_times_drawn(length, seed)[order], axis=0, dtype=np.uint8)
    middle = [np.count_nonzero(drawn_so_far <= below, axis=0) for below in ((length - 1) // 2, length // 2)]
    lower, upper = (sample[order][places] for places in middle)
    tail = (1 - confidence) / 2
    low, high = stats.quantile((lower + upper) / 2, np.asarray([tail, 1 - tail]))
    return Interval(low=float(low), high=float(high), confidence=confidence)


@lru_cache(maxsize=_LENGTHS)
def _times_drawn(length: int, seed: int) -> NDArray[np.uint8]:
    """Return how often each place was drawn with replacement, of shape (length, RESAMPLES)."""
    places = np.random.default_rng(seed).integers(0, length, (RESAMPLES, length))
    each = places + np.arange(RESAMPLES)[:, np.newaxis] * length
    counts = np.bincount(each.ravel(), minlength=RESAMPLES * length).astype(np.uint8)
    return np.ascontiguousarray(counts.reshape(RESAMPLES, length).T)


def _between_order_statistics(sample: NDArray[np.float64], confidence: float) -> Interval:
    rank = int(stats.binom.ppf((1 - confidence) / 2, len(sample), 0.5))
    places = (rank - 1, len(sample) - rank)
    low, high = np.partition(sample, places)[list(places)]
    return Interval(low=float(low), high=float(high), confidence=confidence)


@cache
def _t_quantile(confidence: float, degrees_of_freedom: float) -> float:
    return float(stats.t.ppf((1 + confidence) / 2, degrees_of_freedom))
