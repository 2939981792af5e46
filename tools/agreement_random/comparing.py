"""Both engines side by side, and the distribution of their error over all cells. Pure functions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from tools.agreement.comparing import LEAST_FOR_TEST, two_sample_p
from tools.agreement.grid import TEST_LEVEL
from tools.agreement_random.cells import FIRST_REPETITIONS
from tools.agreement_random.quantities import Quantity
from tools.agreement_random.store import Measured

MEDIAN_BAR = 0.005
BARS = {0.04: 0.97, 0.08: 0.99}
"""Share of the quantities that must be within an error."""
TOLERANCE, LISTED = BARS
"""Range of the differences of runs with equal seeds up to which these differ alike, and the error above which
a cell is listed with its mechanism."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One quantity of a cell by both engines.

    Attributes
    ----------
    measured : Measured
        The cell.
    quantity : Quantity
        What is compared.
    emulated, simulated : tuple of float
        In the quantity's own unit, by repetition, of equal seeds; where one engine has no value, neither
        counts.
    alone : int
        Repetitions of which one engine has a value and the other has none.
    sample : tuple of float
        Simulated with other seeds and the jitter of hosts, where chance decides, and for the test; else none.
    """

    measured: Measured
    quantity: Quantity
    emulated: tuple[float, ...]
    simulated: tuple[float, ...]
    alone: int
    sample: tuple[float, ...] = ()

    @property
    def chance_decides(self) -> bool:
        """Whether the first runs with equal seeds do not differ alike: seeds alone decide nothing then.

        Told by how far apart their differences are, however large these are.
        """
        differences = self._differences[:FIRST_REPETITIONS]
        return bool(differences) and not max(differences) - min(differences) <= TOLERANCE

    @property
    def is_by_sample(self) -> bool:
        """Whether the emulated runs are held against the sample, and not against runs with equal seeds.

        Where chance decides, and more than seeds do: by what runs of equal seeds differ varies more than the
        emulated runs do, by the middle half of either.
        """
        if not self.sample or not self.chance_decides:
            return False
        middle = median(self.emulated)
        deviations = [self.quantity.error([real], [middle]) for real in self.emulated]
        return _middle_half(self._differences) > _middle_half(deviations)

    @property
    def expected(self) -> tuple[float, ...]:
        """What the emulated runs are held against."""
        return self.sample if self.is_by_sample else self.simulated

    @property
    def error(self) -> float:
        """How far the simulator is off."""
        return self.quantity.error(self.expected, self.emulated)

    @property
    def spread(self) -> float:
        """What the emulator itself leaves open."""
        return self.quantity.spread(self.emulated)

    @property
    def p_value(self) -> float | None:
        """Of the two-sample test of emulated runs against the sample; None where none is made."""
        enough = min(len(self.emulated), len(self.sample)) >= LEAST_FOR_TEST
        return two_sample_p(self.emulated, self.sample) if enough else None

    @property
    def is_chance(self) -> bool:
        """Whether runs of either engine differ by more than the error, and the test finds both alike."""
        spread = max(self.spread, self.quantity.spread(self.sample))
        return self.p_value is not None and self.p_value >= TEST_LEVEL and spread > abs(self.error)

    @property
    def is_listed(self) -> bool:
        """Whether it asks for a mechanism: by its error, or as a run succeeds in one engine alone."""
        return self.alone > 0 or abs(self.error) > LISTED

    @property
    def _differences(self) -> list[float]:
        """Of runs with equal seeds, by repetition."""
        pairs = zip(self.simulated, self.emulated, strict=True)
        return [self.quantity.error([virtual], [real]) for virtual, real in pairs]


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Absolute errors of some quantities."""

    errors: Sequence[float]

    @property
    def median(self) -> float:
        """Half of them are no larger."""
        return median(self.errors)

    def within(self, bar: float) -> float:
        """Return the share of them that are no larger than this."""
        return sum(error <= bar for error in self.errors) / len(self.errors)

    def quantile(self, share: float) -> float:
        """Return the least error that such a share of them does not exceed."""
        return float(np.quantile(self.errors, share, method="inverted_cdf"))

    @property
    def holds(self) -> bool:
        """Whether they are as small as they have to be."""
        return self.median < MEDIAN_BAR and all(self.within(bar) >= share for bar, share in BARS.items())


def compared(measured: Measured) -> list[Compared]:
    """Return what both engines have measured of a cell; nothing where it has not been emulated yet."""
    found = []
    for name, simulated in measured.simulated.items():
        emulated = measured.emulated.get(name, {})
        both = [(emulated[n], simulated[n]) for n in sorted(emulated) if n in simulated]
        pairs = [(real, virtual) for real, virtual in both if real is not None and virtual is not None]
        alone = sum((real is None) != (virtual is None) for real, virtual in both)
        if pairs or alone:
            found.append(
                Compared(
                    measured=measured,
                    quantity=Quantity(name=name),
                    emulated=tuple(real for real, _ in pairs),
                    simulated=tuple(virtual for _, virtual in pairs),
                    alone=alone,
                )
            )
    return found


def _middle_half(values: Sequence[float]) -> float:
    low, high = np.quantile(values, [0.25, 0.75])
    return float(high - low)


def distribution(cells: Iterable[Compared]) -> Distribution:
    """Return the absolute errors of some quantities."""
    return Distribution(errors=[abs(each.error) for each in cells])


def worst_of_each_cell(cells: Iterable[Compared]) -> list[Compared]:
    """Return of each cell the quantity with the largest error."""
    worst: dict[str, Compared] = {}
    for each in cells:
        name = each.measured.cell.name
        if name not in worst or abs(each.error) > abs(worst[name].error):
            worst[name] = each
    return list(worst.values())
