"""Which of many means is the least: subsets that hold it with a given probability (Gupta 1965).

Means are of logarithms, so that a difference is a ratio: times of 3 s and of 30 s scatter by the same share.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

OWN_SPREAD_RUNS = 8
"""From so many runs on a sample's spread is its own; before, it is at least that of all samples together."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The variance within several samples, each about its own mean, and its degrees of freedom."""

    variance: float
    freedom: int


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A mean of logarithms with its variance, and the degrees of freedom of that."""

    mean: float
    variance: float
    freedom: float


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How far one mean lies above another, relative to it: each bound holds at its own level."""

    value: float
    low: float
    high: float


def pooled_spread(samples: Iterable[Sequence[float]]) -> Spread:
    """Return the spread of the logarithms within samples of positive values."""
    squares, freedom = 0.0, 0
    for sample in samples:
        if len(sample) > 1:
            logs = np.log(np.asarray(sample, dtype=float))
            squares += float(((logs - logs.mean()) ** 2).sum())
            freedom += len(sample) - 1
    return Spread(variance=squares / freedom if freedom else math.inf, freedom=freedom)


def log_estimate(sample: Sequence[float], pooled: Spread) -> Estimate:
    """Return the estimate of a sample of positive values; of few runs with the spread of all if that is more.

    Two runs that happen to be alike say nothing of how a sample scatters; the spread of all does, as far as
    they scatter alike.
    """
    logs = np.log(np.asarray(sample, dtype=float))
    own = float(logs.var(ddof=1)) if len(sample) > 1 else math.inf
    if len(sample) >= OWN_SPREAD_RUNS:
        return Estimate(mean=float(logs.mean()), variance=own / len(sample), freedom=len(sample) - 1)
    # One run has the spread of all; of two or more the greater counts.
    variance = pooled.variance if len(sample) == 1 else max(own, pooled.variance)
    return Estimate(mean=float(logs.mean()), variance=variance / len(sample), freedom=max(pooled.freedom, 1))


def mean_estimate(estimates: Sequence[Estimate]) -> Estimate:
    """Return the unweighted mean of independent estimates, such as of one setting over several links."""
    count = len(estimates)
    variance = sum(each.variance for each in estimates) / count**2
    parts = sum((each.variance / count**2) ** 2 / each.freedom for each in estimates)
    return Estimate(
        mean=sum(each.mean for each in estimates) / count,
        variance=variance,
        freedom=variance**2 / parts if parts > 0 else sum(each.freedom for each in estimates),
    )


def bounds_above(estimate: Estimate, least: Estimate, *, alpha: float) -> Bounds:
    """Return how far a mean lies above another: 0.3 says 30 %; each bound is wrong with probability `alpha`.

    Satterthwaite's degrees of freedom. Who drops each of k means whose low bound against the least one, at
    alpha / (k - 1), is above 0 drops the truly least with a probability below alpha: it would have to look so
    much greater than one that is not less.
    """
    variance = estimate.variance + least.variance
    if variance == 0:
        freedom = estimate.freedom + least.freedom
    else:
        parts = sum(each.variance**2 / each.freedom for each in (estimate, least))
        freedom = variance**2 / parts
    reach = float(stats.t.isf(alpha, freedom)) * math.sqrt(variance)
    value = estimate.mean - least.mean
    return Bounds(value=math.expm1(value), low=math.expm1(value - reach), high=_expm1(value + reach))


def _expm1(value: float) -> float:
    # What is beyond a float bounds nothing.
    return math.expm1(value) if value < math.log(1e300) else math.inf
