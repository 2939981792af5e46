"""Empirical distributions as points that a figure can draw: some hundred at most."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_POINTS = 400
"""More would not be seen and would make large files."""


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Which `share` of a sample of `n` lies at or below each `value`, or above it; `value` rises."""

    value: NDArray[np.float64]
    share: NDArray[np.float64]
    n: int


def cumulative(values: ArrayLike) -> Distribution:
    """The share at or below each value; of many values, those at even ranks. NaN does not count."""
    ranked = _ranked(values)
    ranks = _whole(np.linspace(1, len(ranked), MOST_POINTS)) if len(ranked) else _NONE
    return Distribution(value=ranked[ranks - 1], share=ranks / max(len(ranked), 1), n=len(ranked))


def exceedance(values: ArrayLike) -> Distribution:
    """The share above each value; of many values, those with shares evenly spaced on a logarithmic axis.

    NaN does not count. The largest value is left out: none lies above it, which such an axis cannot show.
    """
    ranked = _ranked(values)
    above = _whole(np.geomspace(1, len(ranked) - 1, MOST_POINTS))[::-1] if len(ranked) > 1 else _NONE
    value = ranked[len(ranked) - above - 1]
    return Distribution(value=value, share=above / max(len(ranked), 1), n=len(ranked))


_NONE = np.empty(0, dtype=np.int64)


def _ranked(values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=float)
    ranked: NDArray[np.float64] = np.sort(sample[~np.isnan(sample)])
    return ranked


def _whole(ranks: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.unique(ranks.round().astype(np.int64))
