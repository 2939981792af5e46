"""Two-level factorial designs, whole or fractional, and the effects that they tell."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyDOE3
from numpy.typing import NDArray
from scipy import stats

from bentpipe.stats.interval import Interval

Signs = NDArray[np.float64]
"""A column of a design: -1 where a factor is off, +1 where it is on."""


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What one factor, or several together, change beyond what each of them does.

    Attributes
    ----------
    terms : tuple of tuples of str
        The factors, or pairs of factors, whose effect this is; more than one where the design cannot tell
        them apart (aliases).
    value : float
        By how much the response is higher where they are on, averaged over the design; of a response in
        logarithms that is a relative difference.
    ci : Interval
        Its 95 % interval.
    """

    terms: tuple[tuple[str, ...], ...]
    value: float
    ci: Interval

    @property
    def magnitude(self) -> float:
        """How great it is, whatever its sign."""
        return abs(self.value)

    @property
    def percent(self) -> float:
        """The relative change, of a response in logarithms."""
        return 100 * math.expm1(self.value)

    @property
    def ci_percent(self) -> Interval:
        """The interval of the relative change."""
        low, high = (100 * math.expm1(bound) for bound in (self.ci.low, self.ci.high))
        return Interval(low=low, high=high, confidence=self.ci.confidence)


def design(factors: Sequence[str], *, resolution: int) -> tuple[frozenset[str], ...]:
    """Return the combinations of factors to be measured, each the set of those that are on.

    A fraction of the given resolution (Box, Hunter, Hunter 2005, chapter 6) where one exists, else all
    combinations. The first is the one with all off.
    """
    try:
        signs = pyDOE3.fracfact_by_res(len(factors), resolution)
    except ValueError:
        # No fraction of this resolution is smaller than the whole.
        signs = pyDOE3.ff2n(len(factors))
    # Mirrored where need be, so that the base is a point of the design: a fraction stays one of its family.
    signs = signs * -signs[0]
    return tuple(frozenset(itertools.compress(factors, row > 0)) for row in signs)


def effects(
    points: Sequence[frozenset[str]],
    factors: Sequence[str],
    *,
    responses: Sequence[float],
    variances: Sequence[float],
    confidence: float = 0.95,
) -> tuple[Effect, ...]:
    """Return the effects of factors and of pairs of them, those that the design cannot tell apart as one.

    Parameters
    ----------
    points : sequence of sets
        The combinations, as of `design`.
    factors : sequence of str
        All factors.
    responses, variances : sequences of float
        The mean response at each point, and the variance of that mean; shape (points,).
    """
    columns: dict[tuple[str, ...], Signs] = {
        (name,): np.array([1.0 if name in point else -1.0 for point in points]) for name in factors
    }
    for pair in itertools.combinations(factors, 2):
        columns[pair] = columns[pair[:1]] * columns[pair[1:]]
    reach = float(stats.norm.ppf((1 + confidence) / 2)) * 2 / len(points) * float(np.sqrt(sum(variances)))
    found = []
    for terms, signs in _aliased(columns):
        value = 2 / len(points) * float(signs @ np.asarray(responses))
        interval = Interval(low=value - reach, high=value + reach, confidence=confidence)
        found.append(Effect(terms=terms, value=value, ci=interval))
    return tuple(found)


def _aliased(columns: dict[tuple[str, ...], Signs]) -> list[tuple[tuple[tuple[str, ...], ...], Signs]]:
    """Return terms with equal columns together; one that never changes is the mean's, and is left out."""
    groups: list[tuple[list[tuple[str, ...]], Signs]] = []
    for term, signs in columns.items():
        if np.ptp(signs) == 0:
            continue
        for terms, known in groups:
            if np.array_equal(known, signs) or np.array_equal(known, -signs):
                terms.append(term)
                break
        else:
            groups.append(([term], signs))
    return [(tuple(terms), signs) for terms, signs in groups]
