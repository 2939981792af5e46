"""How often a cell is emulated in which chance decides: planned before it is, from simulated runs.

So often that medians of so many simulated runs are within the bar of the median of all as often as the bar
asks: what is further off then is hardly chance.
"""

from collections.abc import Sequence

import numpy as np

from tools.agreement_random.comparing import BARS, TOLERANCE
from tools.agreement_random.sampling import Sample

NUMBERS = (20, 40, 80, 160, 320)
"""Of runs, one of which is planned."""
LONGEST_S = 450.0
"""That the runs of one cell may take two cores: a cell that asks for more has as many as that allows."""
DRAWS = 1000
"""Medians that are drawn: a probability of 97 % is good to half a percent point."""
_SEED = 1


def planned_runs(sample: Sample) -> int:
    """Return how many runs are emulated."""
    generator = np.random.default_rng(_SEED)
    affordable = [number for number in NUMBERS[1:] if number * sample.run_s <= LONGEST_S]
    for number in (NUMBERS[0], *affordable):
        if np.mean(np.abs(errors(sample.values, number, DRAWS, generator)) <= TOLERANCE) >= BARS[TOLERANCE]:
            return number
    return max(affordable, default=NUMBERS[0])


def errors(values: Sequence[float], runs: int, draws: int, generator: np.random.Generator) -> np.ndarray:
    """Return how far medians of so many values are off that of all, shape `(draws,)`, as shares of it."""
    found: np.ndarray = np.median(generator.choice(values, (draws, runs)), axis=1)
    return found / np.median(values) - 1
