"""How far one sample lies from another whose values belong to the same seeds, pair by pair."""

from collections.abc import Sequence
from math import isclose, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bentpipe.stats.difference import Comparison, Difference
from bentpipe.stats.interval import RESAMPLES, Interval, mean_interval

_SAME = 1e-12
"""Relative: what differs by less differs by rounding, 1e-16 of each operation on doubles (IEEE 754)."""


def paired_relative_difference(
    sample: Sequence[float], reference: Sequence[float], *, confidence: float = 0.95
) -> Difference:
    """Mean of `sample` over mean of `reference`, less one, where value i of both belongs to seed i.

    Fieller's interval for correlated means: the ratios r with (mean_a - r mean_b)^2 <= t^2 (s_aa - 2 r s_ab +
    r^2 s_bb) / n, of n - 1 degrees of freedom (Fieller 1954). No interval below two pairs, nor when the
    reference's mean is not distinguishable from zero, for then the set is unbounded. Pairs that all have one
    ratio leave nothing to doubt: it is the interval.

    Parameters
    ----------
    sample, reference : sequence of float
        Of one length; the reference's mean is not zero.
    """
    a, b = _arrays(sample, reference)
    mean_a, mean_b = float(a.mean()), float(b.mean())
    ratio = mean_a / mean_b
    plain = _without_doubt(a, b, ratio, confidence)
    if plain is not None:
        return plain
    (s_aa, s_ab), (_, s_bb) = np.cov(a, b, ddof=1).tolist()
    k = float(stats.t.ppf((1 + confidence) / 2, len(a) - 1)) ** 2 / len(a)
    square, half_linear, constant = mean_b**2 - k * s_bb, mean_a * mean_b - k * s_ab, mean_a**2 - k * s_aa
    if square <= 0:
        return Difference(value=ratio - 1, ci=None)
    root = sqrt(max(half_linear**2 - square * constant, 0.0))
    low, high = (half_linear - root) / square, (half_linear + root) / square
    return _around(ratio, low, high, confidence)


def compare_pairs(
    sample: Sequence[float], reference: Sequence[float], *, confidence: float = 0.95
) -> Comparison:
    """Compare two means whose value i belongs to seed i, as `difference.compare` does without pairs.

    They differ significantly when the interval of their ratio does not hold one: Fieller's for correlated
    means, or Student's t interval of the differences where Fieller's set is unbounded.
    """
    a, b = _arrays(sample, reference)
    relative = paired_relative_difference(sample, reference, confidence=confidence) if b.mean() else None
    ci = relative.ci if relative else None
    ci = ci or mean_interval((a - b).tolist(), confidence=confidence)
    is_apart = ci is not None and ci.excludes(0) and not isclose(a.mean(), b.mean(), rel_tol=_SAME)
    return Comparison(relative=relative, is_significant=is_apart)


def paired_relative_change(
    sample: Sequence[float],
    reference: Sequence[float],
    *,
    share: float,
    seed: int,
    confidence: float = 0.95,
) -> Difference:
    """A quantile of `sample` over that of `reference`, less one, where value i of both belongs to seed i.

    Its interval is the percentile bootstrap's over pairs (Efron, Tibshirani 1993, section 13.3). There is
    none where `least_pairs` says that so few tell nothing with that confidence, for resamples of few pairs
    lie between the extremes of these, whatever the next pair would be; nor when a resampled reference is
    zero. Two pairs or more that all have one ratio leave nothing to doubt: it is the interval.

    Parameters
    ----------
    sample, reference : sequence of float
        Of one length; the reference's quantile is not zero.
    share : float
        Of values below the quantile, between 0 and 1, 0.5 of the median (Hyndman, Fan 1996, type 7).
    seed : int
        Draws the resamples.
    """
    a, b = _arrays(sample, reference)
    ratio = float(np.quantile(a, share)) / float(np.quantile(b, share))
    plain = _without_doubt(a, b, ratio, confidence)
    if plain is not None:
        return plain
    if len(a) < least_pairs(share, confidence=confidence):
        return Difference(value=ratio - 1, ci=None)
    drawn = np.random.default_rng(seed).integers(len(a), size=(RESAMPLES, len(a)))
    above, below = np.quantile(a[drawn], share, axis=-1), np.quantile(b[drawn], share, axis=-1)
    if not below.all():
        return Difference(value=ratio - 1, ci=None)
    tail = (1 - confidence) / 2
    low, high = np.quantile(above / below, [tail, 1 - tail]).tolist()
    return _around(ratio, low, high, confidence)


def least_pairs(share: float, *, confidence: float) -> int:
    """Return the fewest values whose range holds a quantile with a confidence, whatever their distribution.

    The range of n values holds the quantile of a share p with probability 1 - p^n - (1 - p)^n (David,
    Nagaraja 2003, Order Statistics, section 7.1): the median by 95 % from n = 6 on, the 95th percentile from
    n = 59 on.

    Raises
    ------
    ValueError
        Unless the share is between 0 and 1: no range holds the ends of a distribution.
    """
    if not 0 < share < 1:
        raise ValueError(f"a share between 0 and 1, not {share:g}")
    number = 2
    while share**number + (1 - share) ** number > 1 - confidence:
        number += 1
    return number


def _arrays(
    sample: Sequence[float], reference: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    a, b = np.asarray(sample, dtype=float), np.asarray(reference, dtype=float)
    if a.shape != b.shape or not len(a):
        raise ValueError("pairs need two samples of one length")
    return a, b


def _without_doubt(
    a: NDArray[np.float64], b: NDArray[np.float64], ratio: float, confidence: float
) -> Difference | None:
    """Return the difference of one pair, which has no interval, or of pairs of one ratio; None of others."""
    if len(a) < 2:
        return Difference(value=ratio - 1, ci=None)
    if np.allclose(a, ratio * b, rtol=_SAME, atol=0):
        return _around(ratio, ratio, ratio, confidence)
    return None


def _around(ratio: float, low: float, high: float, confidence: float) -> Difference:
    """Return a difference with the interval of its ratio, which holds the ratio whatever rounding did."""
    if isclose(low, high, rel_tol=_SAME):
        low = high = ratio
    ci = Interval(low=min(low, ratio) - 1, high=max(high, ratio) - 1, confidence=confidence)
    return Difference(value=ratio - 1, ci=ci)
