"""Two samples compared as claypool2020 does: Student's t test, Bonferroni's correction, Cohen's d."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

ALPHA = 0.05
"""The probability that any of several comparisons, or any of their intervals, is wrong."""


@dataclass(frozen=True, kw_only=True)
class TTest:
    """Both are positive where the sample's mean lies above the reference's.

    `alpha` is the level of this comparison, after correction.
    """

    t: float
    p: float
    d: float
    alpha: float

    @property
    def is_significant(self) -> bool:
        """Whether equal means are to be rejected."""
        return self.p < self.alpha


def t_test(
    sample: Sequence[float], reference: Sequence[float], *, comparisons: int, alpha: float = ALPHA
) -> TTest | None:
    """Two-tailed independent t test of equal means, with variances taken for equal (Student 1908).

    None below two values each, or without any spread. Bonferroni's correction for so many `comparisons`:
    each at the level alpha / comparisons keeps the chance of any false one below alpha (Dunn 1961).
    """
    sizes = (len(sample), len(reference))
    if min(sizes) < 2 or (deviation := pooled_sd(sample, reference)) == 0:
        return None
    # Cohen 1988, Statistical Power Analysis for the Behavioral Sciences, equation 2.2.1.
    d = float(np.mean(sample) - np.mean(reference)) / deviation
    t = d / math.sqrt(sum(1 / n for n in sizes))
    p = 2 * float(stats.t.sf(abs(t), sum(sizes) - 2))
    return TTest(t=t, p=p, d=d, alpha=alpha / comparisons)


def pooled_sd(a: Sequence[float], b: Sequence[float]) -> float:
    """Standard deviation within two samples, each about its own mean (Cohen 1988, equation 2.5.2)."""
    squares = sum(len(values) * float(np.var(values)) for values in (a, b))
    return math.sqrt(squares / (len(a) + len(b) - 2))
