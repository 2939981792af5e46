"""How many runs of each cell the bars ask for: what a perfect simulator reaches of them with so many.

Nothing but chance is between the engines then: medians of runs drawn from a sample against medians of as many
others drawn from it (the bootstrap).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tools.agreement_random.comparing import BARS

SETS = 400
"""Sets of all cells that are drawn: shares of them are good to 2.5 percent points."""
_SEED = 1


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Runs of one cell by one engine.

    Attributes
    ----------
    values : tuple of float
        The quantity of the whole cell, in its own unit.
    run_s : float
        How long one run takes two cores, in seconds.
    varies : bool
        Whether one run would not do.
    """

    values: tuple[float, ...]
    run_s: float
    varies: bool


@dataclass(frozen=True, kw_only=True)
class Reached:
    """What a perfect simulator reaches.

    Attributes
    ----------
    runs : int
        Of each cell in which chance has a say.
    within : tuple of float
        Share of the cells within each error of `BARS`, over all sets.
    holds : float
        Share of the sets that are within both bars.
    emulated_h : float
        How long so many runs take two cores in real time, in hours.
    """

    runs: int
    within: tuple[float, ...]
    holds: float
    emulated_h: float


def reached(samples: Sequence[Sample], runs: int) -> Reached:
    """Return what is reached with so many runs of each cell by either engine."""
    generator = np.random.default_rng(_SEED)
    errors = np.array([_errors(sample, runs, generator) for sample in samples])
    shares = [np.mean(errors <= bar, axis=0) for bar in BARS]
    wanted = zip(shares, BARS.values(), strict=True)
    return Reached(
        runs=runs,
        within=tuple(float(np.mean(share)) for share in shares),
        holds=float(np.mean(np.all([share >= bar for share, bar in wanted], axis=0))),
        emulated_h=sum(sample.run_s * (runs if sample.varies else 1) for sample in samples) / 3600,
    )


def _errors(sample: Sample, runs: int, generator: np.random.Generator) -> np.ndarray:
    """Return the error of each set, shape `(SETS,)`."""
    simulated, emulated = (np.median(generator.choice(sample.values, (SETS, runs)), axis=1) for _ in range(2))
    errors: np.ndarray = np.abs(simulated / emulated - 1)
    return errors
