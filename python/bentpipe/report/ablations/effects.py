"""By how much each variant moves a metric, and what several factors do together."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bentpipe.campaign.variants import VariantKind
from bentpipe.model.scenario import VariantDocument
from bentpipe.report.ablations.source import AblationSource
from bentpipe.report.quantities import Quantity, quantities
from bentpipe.report.source import Recorded
from bentpipe.stats import Difference, cell_key, factor_label, mean_relative_difference
from bentpipe.stats.factorial import Effect, design, effects
from bentpipe.stats.grouping import succeeded

Cells = Mapping[tuple[tuple[str, str], ...], Sequence[float]]
"""The values of a metric by cell."""

KINDS = {
    "page-load": "page loads",
    "bulk": "downloads",
    "flows": "flows",
    "iperf3": "flows of iperf3",
    "ping": "pings",
}
"""What the runs of a workload are called."""
GROUPING = {"page-load": "http", "bulk": "cc"}
"""By which factor the runs of a workload are told apart."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Runs of one workload that are looked at together; `name` says which."""

    name: str
    slug: str
    quantity: Quantity
    factors: Mapping[str, str]
    workload: str

    def values(self, runs: Iterable[Recorded]) -> dict[tuple[tuple[str, str], ...], list[float]]:
        """Return the metric's values by cell."""
        found: dict[tuple[tuple[str, str], ...], list[float]] = {}
        for run in runs:
            if not succeeded(run) or run.entry.workload != self.workload:
                continue
            if any(run.factors.get(name) != value for name, value in self.factors.items()):
                continue
            value = run.metrics.get(self.quantity.metric)
            if value is not None:
                found.setdefault(cell_key(run.factors), []).append(value)
        return found


@dataclass(frozen=True, kw_only=True)
class Change:
    """By how much a variant changes a group's metric against the base.

    `difference` is the mean over all cells, of which it changes `cells`.
    """

    variant: VariantDocument
    difference: Difference
    cells: int


@dataclass(frozen=True, kw_only=True)
class GroupEffects:
    """What the variants do to one group; `interactions` are of factors that were varied together."""

    group: Group
    changes: tuple[Change, ...]
    interactions: tuple[Effect, ...]

    @property
    def clear_interactions(self) -> tuple[Effect, ...]:
        """Return those whose interval is clear of zero, the greatest first."""
        clear = (each for each in self.interactions if not each.ci.low <= 0 <= each.ci.high)
        return tuple(sorted(clear, key=lambda each: -each.magnitude))


def gather(source: AblationSource) -> tuple[GroupEffects, ...]:
    """Return the effects on each group of the base's runs."""
    return tuple(_effects(group, source) for group in _groups(source.base.runs))


def _groups(runs: Sequence[Recorded]) -> Iterable[Group]:
    kinds = dict.fromkeys(run.entry.workload for run in runs)
    for kind in kinds:
        quantity = quantities(kind)[0]
        yield Group(name=f"all {KINDS[kind]}", slug=kind, quantity=quantity, factors={}, workload=kind)
        factor = GROUPING.get(kind)
        if factor is None:
            continue
        of_kind = (run for run in runs if run.entry.workload == kind)
        values = dict.fromkeys(run.factors[factor] for run in of_kind if factor in run.factors)
        if len(values) > 1:
            for value in values:
                yield Group(
                    name=factor_label(factor, value),
                    slug=f"{kind}-{value}",
                    quantity=quantity,
                    factors={factor: value},
                    workload=kind,
                )


def _effects(group: Group, source: AblationSource) -> GroupEffects:
    base = group.values(source.base.runs)
    base_runs = {run.entry.run_id for run in source.base.runs}
    changes = []
    for each in source.variants:
        if each.variant.kind == VariantKind.TOGETHER.value:
            continue
        # In other cells nothing was varied: their runs are the base's own.
        changed = group.values(run for run in each.runs if run.entry.run_id not in base_runs)
        strata = _strata(changed, base)
        if strata:
            difference = mean_relative_difference(strata).scaled(len(strata) / len(base))
            changes.append(Change(variant=each.variant, difference=difference, cells=len(strata)))
    return GroupEffects(group=group, changes=tuple(changes), interactions=_interactions(group, base, source))


def _strata(sample: Cells, base: Cells) -> list[tuple[Sequence[float], Sequence[float]]]:
    return [(sample[cell], base[cell]) for cell in base if cell in sample and np.mean(base[cell])]


def _interactions(group: Group, base: Cells, source: AblationSource) -> tuple[Effect, ...]:
    """Return the effects of the factors that were varied together on the metric's logarithm.

    The response of a point is the mean over cells of the logarithm of the cell's mean; its variance follows
    by the delta method from that of the mean, (s / m)^2 / n.
    """
    factors = source.document.interactions
    if len(factors) < 2:
        return ()
    by_parts = {
        frozenset(each.variant.parts): each.runs for each in source.variants if _is_point(each.variant)
    }
    by_parts[frozenset()] = source.base.runs
    points = design(factors, resolution=source.document.resolution)
    found = [group.values(by_parts.get(point, ())) for point in points]
    cells = [cell for cell in base if all(len(values.get(cell, ())) > 1 for values in found)]
    if not cells:
        return ()
    responses, variances = zip(*(_response(values, cells) for values in found), strict=True)
    return effects(points, factors, responses=responses, variances=variances)


def _is_point(variant: VariantDocument) -> bool:
    return variant.kind in (VariantKind.ABLATION.value, VariantKind.TOGETHER.value)


def _response(values: Cells, cells: Sequence[tuple[tuple[str, str], ...]]) -> tuple[float, float]:
    """Return the response of a point and its variance."""
    logs, variances = [], []
    for cell in cells:
        mean = float(np.mean(values[cell]))
        logs.append(math.log(mean))
        variances.append(float(np.var(values[cell], ddof=1)) / len(values[cell]) / mean**2)
    return float(np.mean(logs)), sum(variances) / len(cells) ** 2
