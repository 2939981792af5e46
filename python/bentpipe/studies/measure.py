"""Measurements that claims rest on: differences, levels, and deviations from a published number."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from bentpipe.stats import (
    Interval,
    absolute_difference,
    factor_label,
    mean_interval,
    mean_relative_difference,
    relative_difference,
    values_of,
)
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.rules import near
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Measurement, judge

Factors: TypeAlias = Mapping[str, str]


def difference(
    runs: Runs, metric: str, *, sample: Factors, reference: Factors, pages: Sequence[tuple[str, str]]
) -> Measurement:
    """Mean over pages of how far the sample's mean lies above the reference's, in percent.

    Each pair of `pages` is the sample's page and the reference's. Pairs of which a cell has no succeeded run
    are left out, which `gap` says; without any pair there is no number.
    """
    strata, names, missing, counts = [], [], [], []
    for sample_page, reference_page in pages:
        cells = ({**sample, "page": sample_page}, {**reference, "page": reference_page})
        values = [values_of(runs, metric, **cell) for cell in cells]
        if all(values):
            strata.append((values[0], values[1]))
            names.append(sample_page)
            counts += [len(v) for v in values]
        else:
            missing += [_cell_name(cell) for cell, found in zip(cells, values, strict=True) if not found]
    if not strata:
        return Measurement(percent=None, ci=None, basis="nothing", gap=f"not measured: {_listed(missing)}")
    found = mean_relative_difference(strata)
    gap = f"only {len(strata)} of {len(pages)} pages measured" if missing else None
    return Measurement(
        percent=found.value * 100,
        ci=found.ci.scaled(100) if found.ci else None,
        basis=f"{_pages(names)}, {_runs(counts)} per cell",
        gap=gap,
    )


def level(runs: Runs, metric: str, **cell: str) -> Measurement:
    """Mean of a metric that is a fraction, over one cell, in percent."""
    values = values_of(runs, metric, **cell)
    if not values:
        return Measurement(percent=None, ci=None, basis="nothing", gap=f"not measured: {_cell_name(cell)}")
    ci = mean_interval(values)
    return Measurement(
        percent=100 * sum(values) / len(values),
        ci=ci.scaled(100) if ci else None,
        basis=f"{cell['page']}, {_runs([len(values)])}",
    )


def difference_of(sample: Sequence[float], reference: Sequence[float]) -> Measurement:
    """How far the sample's mean lies above the reference's, in percent; one value of each run."""
    if not sample or not reference:
        return nothing("not measured")
    if not sum(reference):
        return nothing("nothing to compare with: the second of the two is zero")
    found = relative_difference(sample, reference)
    return Measurement(
        percent=found.value * 100,
        ci=found.ci.scaled(100) if found.ci else None,
        basis=_runs([len(sample), len(reference)]) + " each",
    )


def points_of(sample: Sequence[float], reference: Sequence[float]) -> Measurement:
    """How far the sample's mean lies above the reference's, in points of what is in percent already."""
    if not sample or not reference:
        return nothing("not measured")
    value, ci = absolute_difference(sample, reference)
    return Measurement(percent=value, ci=ci, basis=_runs([len(sample), len(reference)]) + " each, points")


def deviation(values: Sequence[float], published: float) -> Measurement:
    """How far the mean of the runs' values lies above a published number, in percent of that."""
    if not values:
        return nothing("not measured")
    return deviation_of(
        sum(values) / len(values), mean_interval(values), published, basis=_runs([len(values)])
    )


def against(
    label: str, ours: Sequence[float], theirs: PublishedNumber, *, decimals: int, basis: str | None = None
) -> Finding:
    """Judge the mean of our runs against a published number, by its margin and both intervals."""
    ci = mean_interval(ours) if ours else None
    measured = deviation(ours, theirs.value)
    return against_number(
        label,
        measured if basis is None else replace(measured, basis=basis),
        theirs,
        ours=_with_unit(sum(ours) / len(ours), ci, theirs.unit, decimals) if ours else "not measured",
    )


def against_number(label: str, measured: Measurement, theirs: PublishedNumber, *, ours: str) -> Finding:
    """Judge a deviation from a published number, measured otherwise than as a mean over runs.

    `ours` is our number with its interval and its unit, as a table shows it.
    """
    rule = near(theirs.margin_percent, published_reach_percent=theirs.reach_percent)
    return judge(label, measured, rule, published=theirs.text, ours=ours)


def _with_unit(value: float, ci: Interval | None, unit: str, decimals: int) -> str:
    reach = f" ({ci.low:.{decimals}f} to {ci.high:.{decimals}f})" if ci else ""
    return f"{value:.{decimals}f}{reach} {unit}"


def deviation_of(value: float, ci: Interval | None, published: float, *, basis: str) -> Measurement:
    """How far a number with its interval lies above a published one, in percent of that."""

    def percent(number: float) -> float:
        return 100 * (number / published - 1)

    relative = Interval(low=percent(ci.low), high=percent(ci.high), confidence=ci.confidence) if ci else None
    return Measurement(percent=percent(value), ci=relative, basis=basis)


def mean_of(values: Sequence[float]) -> float | None:
    """The mean, of a table; None without values."""
    return sum(values) / len(values) if values else None


def reach_of(values: Sequence[float]) -> float | None:
    """How far the 95 % interval of the mean reaches on either side of it; None below two values."""
    ci = mean_interval(values)
    return (ci.high - ci.low) / 2 if ci else None


def share(values: Sequence[bool]) -> Measurement:
    """How many of the runs do something, in percent."""
    if not values:
        return nothing("not measured")
    numbers = [100.0 if value else 0.0 for value in values]
    return Measurement(
        percent=sum(numbers) / len(numbers), ci=mean_interval(numbers), basis=_runs([len(numbers)])
    )


def nothing(gap: str) -> Measurement:
    """No number, and why."""
    return Measurement(percent=None, ci=None, basis="nothing", gap=gap)


def _cell_name(cell: Factors) -> str:
    first = ("link", "http", "cc", "page")
    others = (factor_label(key, value) for key, value in cell.items() if key not in first)
    return " ".join([*(cell[key] for key in first), *others])


def _listed(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return (
        ", ".join(distinct)
        if len(distinct) <= 4
        else f"{', '.join(distinct[:3])} and {len(distinct) - 3} more"
    )


def _pages(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 4 else f"{len(names)} pages"


def _runs(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low} runs" if low == high else f"{low} to {high} runs"
