"""One sample in six numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bentpipe.stats.interval import Interval, mean_interval, median_interval


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A sample's size, centre, spread and intervals, in the unit of its values.

    `sd` divides by n - 1 and is None below two values; so is `mean_ci`; `median_ci` is None below three.
    """

    n: int
    mean: float
    sd: float | None
    median: float
    mean_ci: Interval | None
    median_ci: Interval | None


def summarise(values: Sequence[float], *, seed: int, confidence: float = 0.95) -> Summary | None:
    """Summarise a sample; None when it is empty. `seed` drives the bootstrap of the median alone."""
    if len(values) == 0:
        return None
    sample = np.asarray(values, dtype=float)
    return Summary(
        n=len(values),
        mean=float(sample.mean()),
        sd=float(sample.std(ddof=1)) if len(values) > 1 else None,
        median=float(np.median(sample)),
        mean_ci=mean_interval(values, confidence=confidence),
        median_ci=median_interval(values, seed=seed, confidence=confidence),
    )


def representative(values: Sequence[float]) -> int:
    """Index of the value that is the median; of an even number, the lower of the middle two."""
    if len(values) == 0:
        raise ValueError("an empty sample has no representative")
    order = np.argsort(np.asarray(values, dtype=float), kind="stable")
    return int(order[(len(values) - 1) // 2])
