"""Measurements that claims rest on: differences over paired pages, levels of one cell."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from bentpipe.stats import mean_interval, mean_relative_difference, values_of
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Measurement

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


def _cell_name(cell: Factors) -> str:
    return " ".join(cell[key] for key in ("link", "http", "cc", "page"))


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
