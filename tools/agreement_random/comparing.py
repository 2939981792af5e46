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
    otherwise : tuple of float
        Simulated with other seeds, where chance decides, and for the test; else none.
    with_jitter : tuple of float
        The same with the jitter of hosts, for the test alone.
    """

    measured: Measured
    quantity: Quantity
    emulated: tuple[float, ...]
    simulated: tuple[float, ...]
    alone: int
    otherwise: tuple[float, ...] = ()
    with_jitter: tuple[float, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """The cell's name and the quantity's."""
        return self.measured.cell.name, self.quantity.name

    @property
    def chance_decides(self) -> bool:
        """Whether the first runs with equal seeds do not differ alike: seeds alone decide nothing then.

        Told by how far apart their differences are, however large these are.
        """
        pairs = list(zip(self.simulated, self.emulated, strict=True))[:FIRST_REPETITIONS]
        differences = [self.quantity.error([virtual], [real]) for virtual, real in pairs]
        return bool(differences) and not max(differences) - min(differences) <= TOLERANCE

    @property
    def expected(self) -> tuple[float, ...]:
        """What the emulated runs are held against: runs with equal seeds, or many where chance decides."""
        return self.otherwise if self.otherwise and self.chance_decides else self.simulated

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
        """Of the two-sample test against simulated runs with other seeds; None where none is made."""
        return self._p_value(self.otherwise)

    @property
    def p_value_with_jitter(self) -> float | None:
        """The same against simulated runs with the jitter of hosts."""
        return self._p_value(self.with_jitter)

    @property
    def is_chance(self) -> bool:
        """Whether the emulated runs differ by more than the error, and the test finds both engines alike."""
        return _are_alike(self.p_value) and self.spread > abs(self.error)

    @property
    def is_of_hosts(self) -> bool:
        """Whether the test finds emulated runs and simulated ones with the jitter of hosts alike.

        And either differ among themselves by more than the error.
        """
        spread = max(self.spread, self.quantity.spread(self.with_jitter))
        return _are_alike(self.p_value_with_jitter) and spread > abs(self.error)

    @property
    def is_told_apart(self) -> bool:
        """Whether it asks for a mechanism, and neither chance nor the jitter of hosts accounts for it."""
        return self.is_listed and not self.is_chance and not self.is_of_hosts

    @property
    def is_listed(self) -> bool:
        """Whether it asks for a mechanism: by its error, or as a run succeeds in one engine alone."""
        return self.alone > 0 or abs(self.error) > LISTED

    def _p_value(self, sample: Sequence[float]) -> float | None:
        enough = min(len(self.emulated), len(sample)) >= LEAST_FOR_TEST
        return two_sample_p(self.emulated, sample) if enough else None


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


def _are_alike(p_value: float | None) -> bool:
    return p_value is not None and p_value >= TEST_LEVEL


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
