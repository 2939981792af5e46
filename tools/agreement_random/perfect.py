"""What a perfect simulator reaches: nothing but chance is between the engines then (the bootstrap)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tools.agreement_random.comparing import BARS
from tools.agreement_random.planning import errors

SETS = 400
"""Sets of all cells that are drawn: shares of them are good to 2.5 percent points."""
_SEED = 1


@dataclass(frozen=True, kw_only=True)
class Emulated:
    """A cell that was emulated so often.

    Attributes
    ----------
    runs : int
    sample : tuple of float
        Simulated runs; none where chance does not decide: equal seeds have no error then.
    """

    runs: int
    sample: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reached:
    """What is reached.

    Attributes
    ----------
    within : tuple of float
        Share of the cells within each error of `BARS`, over all sets.
    holds : float
        Share of the sets that are within both bars.
    """

    within: tuple[float, ...]
    holds: float


def reached(cells: Sequence[Emulated]) -> Reached:
    """Return what is reached with as many runs of each cell as were emulated."""
    generator = np.random.default_rng(_SEED)
    found = np.array([_errors(cell, generator) for cell in cells])
    shares = [np.mean(found <= bar, axis=0) for bar in BARS]
    wanted = zip(shares, BARS.values(), strict=True)
    return Reached(
        within=tuple(float(np.mean(share)) for share in shares),
        holds=float(np.mean(np.all([share >= bar for share, bar in wanted], axis=0))),
    )


def _errors(cell: Emulated, generator: np.random.Generator) -> np.ndarray:
    """Return the absolute error in each set, shape `(SETS,)`."""
    if not cell.sample:
        return np.zeros(SETS)
    found: np.ndarray = np.abs(errors(cell.sample, cell.runs, SETS, generator))
    return found
