"""Runs of two cells compared: in pairs where those of one repetition share what is random.

Over a path that is drawn from the seed, such as LEO, the runs of one repetition meet the same path in all
cells (`campaign.plan`): what the path does to both is no reason for doubt about their difference.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from bentpipe.ledger import Entry
from bentpipe.stats import Comparison, compare, metric_values
from bentpipe.stats.paired import compare_pairs

Values: TypeAlias = Callable[[Sequence[Entry]], Sequence[float]]
"""Of succeeded runs, one or none for each."""


@dataclass(frozen=True, kw_only=True)
class Samples:
    """The values of two cells; with `is_paired` value i of both is of one repetition."""

    own: Sequence[float]
    reference: Sequence[float]
    is_paired: bool

    def compared(self, *, confidence: float = 0.95) -> Comparison:
        """Compare the means; both samples have values."""
        method = compare_pairs if self.is_paired else compare
        return method(self.own, self.reference, confidence=confidence)


def metric(name: str) -> Values:
    """Return the values of a metric of the record."""
    return lambda runs: metric_values(runs, name)


@dataclass(frozen=True, kw_only=True)
class TwoCells:
    """The runs of a cell, and of the one that it is compared with."""

    own: Sequence[Entry]
    reference: Sequence[Entry]

    @cached_property
    def is_paired(self) -> bool:
        """Whether runs of one repetition are pairs; it has to read a record of each."""
        return share_seeds(self.own, self.reference)

    def samples(self, values: Values) -> Samples:
        """Return the values of both, only those of repetitions that both have where they are pairs."""
        if not self.is_paired:
            return Samples(own=values(self.own), reference=values(self.reference), is_paired=False)
        first, second = (
            {run.repetition: found[0] for run in _succeeded(runs) if (found := values([run]))}
            for runs in (self.own, self.reference)
        )
        common = sorted(first.keys() & second.keys())
        return Samples(
            own=[first[number] for number in common],
            reference=[second[number] for number in common],
            is_paired=True,
        )


def share_seeds(*cells: Sequence[Entry]) -> bool:
    """Whether the runs of one repetition have one seed in all of several cells."""
    succeeded = [{run.repetition: run for run in _succeeded(runs)} for runs in cells]
    common = set.intersection(*(set(runs) for runs in succeeded))
    if len(cells) < 2 or not common:
        return False
    return len({runs[min(common)].record.spec.seed for runs in succeeded}) == 1


def _succeeded(runs: Sequence[Entry]) -> list[Entry]:
    return [run for run in runs if run.status == "succeeded"]
