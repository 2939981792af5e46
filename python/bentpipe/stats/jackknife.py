"""The interval of any figure of pooled samples, when the samples of a run depend on each other."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bentpipe.stats.interval import Interval, mean_interval

MOST_GROUPS = 20
"""Runs beyond that are joined: 20 groups already give 19 degrees of freedom."""

Sample = NDArray[np.float64]


def jackknife_interval(
    runs: Sequence[Sample], figure: Callable[[Sequence[Sample]], float], *, confidence: float = 0.95
) -> Interval | None:
    """Student's t interval of Tukey's pseudo-values, each with one group of runs left out (Tukey 1958).

    None below two runs, or where the figure does not exist without one of the groups. Holds for quantiles
    too, as whole groups are left out (Shao, Wu 1989).
    """
    groups = [runs[start::MOST_GROUPS] for start in range(min(len(runs), MOST_GROUPS))]
    if len(groups) < 2:
        return None
    whole = figure(runs)
    without = [figure([run for other in groups if other is not group for run in other]) for group in groups]
    if any(map(math.isnan, without)):
        return None
    pseudo = [len(groups) * whole - (len(groups) - 1) * part for part in without]
    return mean_interval(pseudo, confidence=confidence)
