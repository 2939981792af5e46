"""Which of several cells is best, and which cannot be told from it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from bentpipe.stats.difference import Comparison, Difference, compare
from bentpipe.stats.paired import compare_pairs

HIGHER_IS_BETTER = frozenset({"goodput_bps", "jain_index", "utilisation"})
"""Metrics of a record of which more is better; of all others (times, losses, overhead) less is."""

Cell = TypeVar("Cell", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class Contender(Generic[Cell]):
    """A cell as it stands to the best.

    Attributes
    ----------
    cell : Cell
        Its key in the samples.
    n : int
        Number of values.
    mean : float
        In the unit of the values.
    behind : Difference or None
        Its mean relative to that of the best, with the joint interval; 0.12 is 12 % above. None of the best
        itself, and where the best's mean is zero.
    is_among_best : bool
        Whether it is the best or does not differ significantly from it.
    """

    cell: Cell
    n: int
    mean: float
    behind: Difference | None
    is_among_best: bool


@dataclass(frozen=True, kw_only=True)
class Ranking(Generic[Cell]):
    """The cells in the order of their means, the best first."""

    contenders: tuple[Contender[Cell], ...]

    @property
    def best(self) -> Contender[Cell]:
        """The one with the best mean."""
        return self.contenders[0]

    @property
    def among_best(self) -> tuple[Contender[Cell], ...]:
        """The best and those that do not differ significantly from it."""
        return tuple(each for each in self.contenders if each.is_among_best)

    @property
    def is_clear(self) -> bool:
        """Whether all others differ significantly from the best; there must be others."""
        return len(self.contenders) > 1 and len(self.among_best) == 1


def rank(
    samples: Mapping[Cell, Sequence[float]],
    *,
    is_lower_better: bool,
    confidence: float = 0.95,
    pairs: Mapping[Cell, Sequence[int]] | None = None,
) -> Ranking[Cell] | None:
    """Order cells by their means and mark those that may be the best.

    Each cell is compared with the one that has the best mean, by Fieller's interval for unequal variances;
    with `pairs` by that for correlated means, over the pairs that both have.
    The k - 1 intervals hold together with the given confidence, each at 1 - (1 - confidence) / (k - 1)
    (Bonferroni; Dunn 1961). A cell stays among the best while its interval includes zero.

    The cell whose true mean is best is then marked with at least that confidence, although the reference is
    chosen after the measurement: whichever of the k - 1 others the reference is, together they beat the
    truly best one falsely with at most the probability 1 - confidence. This is the selection of a subset
    that holds the best (Gupta 1965; Hsu 1996, Multiple Comparisons, chapter 4).

    Parameters
    ----------
    samples : mapping of cells to sequences of float
        The values of one metric by cell, at least one value somewhere; cells without any are left out.
        Without `pairs` the runs are taken for independent.
    is_lower_better : bool
        Whether less is better, see `HIGHER_IS_BETTER`.
    confidence : float
        Of all comparisons together.
    pairs : mapping of cells to sequences of int, optional
        The number of each value, such as its repetition, where values of one number share what is random.

    Returns
    -------
    Ranking or None
        None when no cell has a value. Below two values each nothing is significant.
    """
    measured = {cell: np.asarray(values, dtype=float) for cell, values in samples.items() if len(values)}
    if not measured:
        return None
    sign = 1 if is_lower_better else -1
    ordered = sorted(measured, key=lambda cell: sign * float(measured[cell].mean()))
    best, *others = ordered
    each_confidence = 1 - (1 - confidence) / max(len(others), 1)
    first = Contender(
        cell=best, n=len(measured[best]), mean=float(measured[best].mean()), behind=None, is_among_best=True
    )
    contenders = [first]
    for cell in others:
        if pairs is None:
            found = compare(samples[cell], samples[best], confidence=each_confidence)
        else:
            found = _compared_by_pairs(
                dict(zip(pairs[cell], samples[cell], strict=True)),
                dict(zip(pairs[best], samples[best], strict=True)),
                each_confidence,
            )
        values = measured[cell]
        contenders.append(
            Contender(
                cell=cell,
                n=len(values),
                mean=float(values.mean()),
                behind=found.relative,
                is_among_best=not found.is_significant,
            )
        )
    return Ranking(contenders=tuple(contenders))


def _compared_by_pairs(
    values: Mapping[int, float], best: Mapping[int, float], confidence: float
) -> Comparison:
    common = sorted(values.keys() & best.keys())
    if not common:
        return Comparison(relative=None, is_significant=False)
    of_both = ([each[number] for number in common] for each in (values, best))
    return compare_pairs(*of_both, confidence=confidence)
