"""Both engines side by side, cell by cell. Pure functions: nothing here opens a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from scipy import stats

from bentpipe.ledger import Entry
from bentpipe.stats import cell_key, metric_values
from tools.agreement.grid import LEAST_INDISTINGUISHABLE, TEST_LEVEL, Kind
from tools.agreement.measuring import Runs

LEAST_FOR_TEST = 5
"""Runs of each engine. Two samples of four cannot differ at a level of 1 %, however far apart they are."""
EXACT_UP_TO = 50
"""Runs of either engine for which the test is exact: the time that it takes grows with the fourth power."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One cell by both engines, in the metric's own unit, succeeded runs only.

    Attributes
    ----------
    factors : Mapping[str, str]
        The cell.
    emulated, simulated : tuple of float
        The same seeds in both; where fewer were emulated, fewer are compared.
    p_value : float or None
        Of the two-sample test against simulated runs with other seeds; None where none is made.
    """

    factors: Mapping[str, str]
    emulated: tuple[float, ...]
    simulated: tuple[float, ...]
    p_value: float | None

    @property
    def emulated_median(self) -> float:
        """What the simulator is held to."""
        return median(self.emulated)

    @property
    def simulated_median(self) -> float:
        """What the simulator says."""
        return median(self.simulated)

    @property
    def error(self) -> float:
        """Simulated median over emulated median, less one: 0.03 says that the simulator is 3 % above."""
        return self.simulated_median / self.emulated_median - 1

    @property
    def spread(self) -> float:
        """Range of the emulated values over their median: what the emulator itself leaves open."""
        return (max(self.emulated) - min(self.emulated)) / self.emulated_median

    @property
    def is_told_apart(self) -> bool:
        """Whether the test finds the engines' distributions different."""
        return self.p_value is not None and self.p_value < TEST_LEVEL


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A kind against its bars."""

    kind: Kind
    cells: tuple[Comparison, ...]

    @property
    def median_error(self) -> float:
        """Median over the cells of the absolute error."""
        return median(abs(cell.error) for cell in self.cells)

    @property
    def worst(self) -> Comparison:
        """The cell with the largest absolute error."""
        return max(self.cells, key=lambda cell: abs(cell.error))

    @property
    def beyond(self) -> tuple[Comparison, ...]:
        """The cells whose error is above the bar for a single cell, the worst first."""
        if not self.kind.judgement.has_medians:
            return ()
        return tuple(cell for cell in self.by_error() if abs(cell.error) > self.kind.bars.worst)

    @property
    def tested(self) -> tuple[Comparison, ...]:
        """The cells whose distributions were compared."""
        return tuple(cell for cell in self.cells if cell.p_value is not None)

    @property
    def told_apart(self) -> tuple[Comparison, ...]:
        """Those of them that the test tells apart, the worst first."""
        return tuple(cell for cell in self.by_error() if cell.is_told_apart)

    @property
    def indistinguishable(self) -> float | None:
        """Share of the tested cells that the test does not tell apart; None when none was tested."""
        return 1 - len(self.told_apart) / len(self.tested) if self.tested else None

    @property
    def holds(self) -> bool:
        """Whether every bar of the kind is met."""
        share = self.indistinguishable
        if not self.kind.judgement.has_medians:
            return share is not None and share >= LEAST_INDISTINGUISHABLE
        return (
            self.median_error <= self.kind.bars.median
            and not self.beyond
            and (share is None or share >= LEAST_INDISTINGUISHABLE)
        )

    def by_error(self) -> list[Comparison]:
        """The cells, the one with the largest absolute error first."""
        return sorted(self.cells, key=lambda cell: -abs(cell.error))


def verdict(kind: Kind, runs: Runs) -> Verdict | None:
    """Compare every cell that both engines have measured; None when there is none yet."""
    emulated = _by_cell(runs.emulated.judged)
    simulated = {entry.run_id: entry for entry in runs.simulated.judged}
    otherwise = _by_cell(runs.simulated_otherwise.judged)
    cells = []
    for key, entries in emulated.items():
        pairs = [
            (entry, simulated[entry.run_id])
            for entry in entries
            if entry.status == "succeeded" and _has_succeeded(simulated.get(entry.run_id))
        ]
        if not pairs:
            continue
        values = metric_values([entry for entry, _ in pairs], kind.quantity.metric)
        others = metric_values(otherwise.get(key, []), kind.quantity.metric)
        is_tested = kind.judgement.has_test and min(len(values), len(others)) >= LEAST_FOR_TEST
        cells.append(
            Comparison(
                factors=entries[0].factors,
                emulated=tuple(values),
                simulated=tuple(metric_values([twin for _, twin in pairs], kind.quantity.metric)),
                p_value=two_sample_p(values, others) if is_tested else None,
            )
        )
    return Verdict(kind=kind, cells=tuple(cells)) if cells else None


def two_sample_p(one: Sequence[float], other: Sequence[float]) -> float:
    """Cramér-von Mises test of equal distributions (Anderson 1962): sensitive to place and shape."""
    method = "exact" if max(len(one), len(other)) <= EXACT_UP_TO else "asymptotic"
    return float(stats.cramervonmises_2samp(one, other, method=method).pvalue)


def _has_succeeded(entry: Entry | None) -> bool:
    return entry is not None and entry.status == "succeeded"


def _by_cell(entries: Sequence[Entry]) -> dict[tuple[tuple[str, str], ...], list[Entry]]:
    cells: dict[tuple[tuple[str, str], ...], list[Entry]] = {}
    for entry in entries:
        cells.setdefault(cell_key(entry.factors), []).append(entry)
    return cells
