"""The results of each cell: how many runs, and every quantity summarised."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bentpipe.ledger import Entry
from bentpipe.report.quantities import Quantity, quantities
from bentpipe.report.source import Source
from bentpipe.stats import (
    Summary,
    cell_key,
    cell_label,
    factor_label,
    metric_values,
    representative,
    summarise,
)

MOST_DRAWN = 6
"""Runs of a cell that are drawn one by one."""


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """One cell of the matrix.

    `median_run` is the run whose headline is the median one. `drawn_runs` are all runs, or of many the
    fastest, the slowest and those at even ranks between, and the first that have no usable number.
    """

    factors: Mapping[str, str]
    varied: tuple[str, ...]
    workload: str
    runs: tuple[Entry, ...]
    summaries: tuple[tuple[Quantity, Summary], ...]
    median_run: Entry | None
    drawn_runs: tuple[Entry, ...]

    @property
    def label(self) -> str:
        """The values that tell this cell from the others."""
        telling = {name: self.factors[name] for name in self.varied if name in self.factors}
        return cell_label(telling or self.factors, order=self.varied)

    @property
    def counts(self) -> Mapping[str, int]:
        """Runs by how they ended."""
        ends = Counter(run.status for run in self.runs)
        return {status: ends[status] for status in ("succeeded", "failed", "invalid")}

    @property
    def headline(self) -> tuple[Quantity, Summary] | None:
        """The first quantity that the cell has."""
        return self.summaries[0] if self.summaries else None

    @property
    def group(self) -> str:
        """The value of the first factor that tells cells apart, under which reports list it."""
        return self.factors.get(self.varied[0], self.workload) if self.varied else ""

    @property
    def group_label(self) -> str:
        """The group for people."""
        return factor_label(self.varied[0], self.group) if self.varied else ""


def results(source: Source) -> tuple[CellResult, ...]:
    """Every cell of the scenario, those without a run included, by the first factor that tells them apart."""
    runs: dict[tuple[tuple[str, str], ...], list[Entry]] = {}
    for entry in source.best:
        runs.setdefault(cell_key(entry.factors), []).append(entry)
    planned = {cell_key(cell.factors): cell for cell in source.scenario.cells}
    found = [
        _result(
            cell.factors,
            cell.workload,
            sorted(runs.get(key, ()), key=lambda entry: entry.repetition),
            source,
        )
        for key, cell in planned.items()
    ]
    groups = list(dict.fromkeys(cell.group for cell in found))
    return tuple(sorted(found, key=lambda cell: groups.index(cell.group)))


def _result(factors: Mapping[str, str], workload: str, runs: Sequence[Entry], source: Source) -> CellResult:
    seed = source.scenario.seed
    summaries = []
    for quantity in quantities(workload):
        values = [value * quantity.scale for value in metric_values(runs, quantity.metric)]
        summary = summarise(values, seed=seed)
        if summary is not None:
            summaries.append((quantity, summary))
    return CellResult(
        factors=factors,
        varied=source.varied,
        workload=workload,
        runs=tuple(runs),
        summaries=tuple(summaries),
        median_run=_median_run(runs, summaries[0][0].metric) if summaries else None,
        drawn_runs=_drawn(runs, summaries[0][0].metric if summaries else None),
    )


def _median_run(runs: Sequence[Entry], metric: str) -> Entry:
    measured = _measured(runs, metric)
    return measured[representative([_metric(run, metric) for run in measured])]


def _drawn(runs: Sequence[Entry], metric: str | None) -> tuple[Entry, ...]:
    if len(runs) <= MOST_DRAWN:
        return tuple(runs)
    unusable = [run for run in runs if run.status != "succeeded"][:MOST_DRAWN]
    if metric is None:
        return tuple(unusable)
    ranked = sorted(_measured(runs, metric), key=lambda run: _metric(run, metric))
    ranks = np.unique(np.linspace(0, len(ranked) - 1, MOST_DRAWN).round().astype(int))
    chosen = [*(ranked[rank] for rank in ranks), *unusable]
    return tuple(sorted(chosen, key=lambda run: run.repetition))


def _metric(run: Entry, name: str) -> float:
    value = run.metrics[name]
    assert value is not None, name
    return float(value)


def _measured(runs: Sequence[Entry], metric: str) -> list[Entry]:
    return [run for run in runs if run.status == "succeeded" and run.metrics.get(metric) is not None]
