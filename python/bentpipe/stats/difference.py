"""How much one mean lies above or below another: relative to the other, or as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from typing import TypeAlias

import numpy as np
from scipy import stats

from bentpipe.stats.interval import Interval

Sample: TypeAlias = Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A relative difference: -0.3 says 30 % below. The interval is None when the samples do not bound it."""

    value: float
    ci: Interval | None

    def scaled(self, factor: float) -> "Difference":
        """Return a part or a multiple of it."""
        return Difference(value=self.value * factor, ci=self.ci and self.ci.scaled(factor))

    def negated(self) -> "Difference":
        """Return it in the other direction, such as a loss for a gain."""
        ci = self.ci and Interval(low=-self.ci.high, high=-self.ci.low, confidence=self.ci.confidence)
        return Difference(value=-self.value, ci=ci)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How far the mean of a sample lies from that of its reference.

    Attributes
    ----------
    relative : Difference or None
        Relative to the reference's mean; None where that is zero.
    is_significant : bool
        Whether the means differ significantly.
    """

    relative: Difference | None
    is_significant: bool


def relative_difference(sample: Sample, reference: Sample, *, confidence: float = 0.95) -> Difference:
    """Mean of `sample` over mean of `reference`, less one, with Fieller's interval for unequal variances.

    The degrees of freedom are Satterthwaite's at the estimated ratio (Tamhane, Logan 2004), as in the R
    package mratios. No interval below two values each, nor when the reference's mean is not
    distinguishable from zero, for then Fieller's set is unbounded.
    """
    a, b = np.asarray(sample, dtype=float), np.asarray(reference, dtype=float)
    ratio = float(a.mean() / b.mean())
    if min(len(a), len(b)) < 2:
        return Difference(value=ratio - 1, ci=None)
    variance_a, variance_b = _variance_of_mean(a), _variance_of_mean(b)
    freedom = _satterthwaite([(variance_a, len(a) - 1), (ratio**2 * variance_b, len(b) - 1)])
    t = float(stats.t.ppf((1 + confidence) / 2, freedom))
    # Fieller 1954: the ratios r with (mean_a - r mean_b)^2 <= t^2 (var_a + r^2 var_b), a quadratic in r.
    square = float(b.mean() ** 2) - t**2 * variance_b
    if square <= 0:
        return Difference(value=ratio - 1, ci=None)
    half_linear = float(a.mean() * b.mean())
    constant = float(a.mean() ** 2) - t**2 * variance_a
    root = float(np.sqrt(max(half_linear**2 - square * constant, 0.0)))
    low, high = (half_linear - root) / square, (half_linear + root) / square
    return Difference(value=ratio - 1, ci=Interval(low=low - 1, high=high - 1, confidence=confidence))


def absolute_difference(
    sample: Sample, reference: Sample, *, confidence: float = 0.95
) -> tuple[float, Interval | None]:
    """Mean of `sample` less that of `reference`, with Welch's interval; none below two values each."""
    a, b = np.asarray(sample, dtype=float), np.asarray(reference, dtype=float)
    value = float(a.mean() - b.mean())
    if min(len(a), len(b)) < 2:
        return value, None
    variance_a, variance_b = _variance_of_mean(a), _variance_of_mean(b)
    freedom = _satterthwaite([(variance_a, len(a) - 1), (variance_b, len(b) - 1)])
    reach = float(stats.t.ppf((1 + confidence) / 2, freedom)) * float(np.sqrt(variance_a + variance_b))
    return value, Interval(low=value - reach, high=value + reach, confidence=confidence)


def compare(sample: Sample, reference: Sample, *, confidence: float = 0.95) -> Comparison:
    """Compare two means, which differ significantly when the interval of their difference does not hold zero.

    It is Fieller's, or Welch's where Fieller's set is unbounded, which it is where the reference's mean is
    close to zero. Below two values each nothing is significant.
    """
    mean, reference_mean = (float(np.mean(values)) for values in (sample, reference))
    relative = relative_difference(sample, reference, confidence=confidence) if reference_mean else None
    ci = relative.ci if relative else None
    ci = ci or absolute_difference(sample, reference, confidence=confidence)[1]
    # Equal values in unequal numbers have means that differ by rounding alone.
    is_apart = ci is not None and ci.excludes(0) and not isclose(mean, reference_mean, rel_tol=1e-12)
    return Comparison(relative=relative, is_significant=is_apart)


def mean_relative_difference(
    strata: Sequence[tuple[Sample, Sample]], *, confidence: float = 0.95
) -> Difference:
    """Unweighted mean over strata of the relative difference of (sample, reference) in each.

    One stratum gives Fieller's interval. Several give a t interval by the delta method: the variance of a
    ratio r of independent means is (var_a + r^2 var_b) / mean_b^2, the strata are independent, and the
    degrees of freedom are Satterthwaite's over all samples.
    """
    if not strata:
        raise ValueError("a mean over no strata")
    if len(strata) == 1:
        return relative_difference(*strata[0], confidence=confidence)
    differences, parts = [], []
    for sample, reference in strata:
        a, b = np.asarray(sample, dtype=float), np.asarray(reference, dtype=float)
        ratio = float(a.mean() / b.mean())
        differences.append(ratio - 1)
        if min(len(a), len(b)) < 2:
            continue
        scale = float(b.mean() * len(strata)) ** 2
        parts.append((_variance_of_mean(a) / scale, len(a) - 1))
        parts.append((ratio**2 * _variance_of_mean(b) / scale, len(b) - 1))
    value = float(np.mean(differences))
    if len(parts) < 2 * len(strata):
        return Difference(value=value, ci=None)
    t = float(stats.t.ppf((1 + confidence) / 2, _satterthwaite(parts)))
    reach = t * float(np.sqrt(sum(variance for variance, _ in parts)))
    return Difference(value=value, ci=Interval(low=value - reach, high=value + reach, confidence=confidence))


def _variance_of_mean(sample: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> float:
    return float(sample.var(ddof=1)) / len(sample)


def _satterthwaite(parts: Sequence[tuple[float, int]]) -> float:
    """Degrees of freedom of a sum of independent variances (Satterthwaite 1946)."""
    total = sum(variance for variance, _ in parts)
    if total == 0:
        return float(sum(freedom for _, freedom in parts))
    return total**2 / sum(variance**2 / freedom for variance, freedom in parts)
