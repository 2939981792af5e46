"""compare: two folders of results side by side."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bentpipe.cli.options import json_option
from bentpipe.cli.output import percent, print_columns, print_json, rate, seconds
from bentpipe.errors import InputError

if TYPE_CHECKING:
    from bentpipe.ledger import Entry

METRICS = {
    "plt_s": seconds,
    "fcp_s": seconds,
    "lcp_s": seconds,
    "paint_fcp_s": seconds,
    "paint_lcp_s": seconds,
    "speed_index_s": seconds,
    "loaded_s": seconds,
    "completion_s": seconds,
    "goodput_bps": rate,
    "rtt_mean_s": seconds,
    "overhead_percent": percent,
}
"""What is compared, with how it is written."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One metric of one cell in both folders; the difference is B's mean against A's."""

    cell: Mapping[str, str]
    metric: str
    n_a: int
    n_b: int
    mean_a: float
    mean_b: float
    difference_percent: float
    ci_low_percent: float | None
    ci_high_percent: float | None


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@json_option
def compare(a: Path, b: Path, as_json: bool) -> None:
    """Compare two folders of results.

    Cells that both have stand side by side, with the difference of B's mean against A's and its 95 %
    confidence interval.
    """
    from bentpipe.ledger import Ledger

    with Ledger(a) as ledger_a, Ledger(b) as ledger_b:
        runs_a, runs_b = ledger_a.best(), ledger_b.best()
    ignored = _settings_of_the_folder(runs_a, runs_b)
    comparisons = _comparisons(_by_cell(runs_a, ignored), _by_cell(runs_b, ignored))
    if not comparisons:
        raise InputError(
            file=str(b), field="B", expected=f"cells with succeeded runs that {a} has too", found="none"
        )
    if as_json:
        print_json([asdict(comparison) for comparison in comparisons])
        return
    rows = [("CELL", "METRIC", f"A ({a})", f"B ({b})", "B AGAINST A", "")]
    for item in comparisons:
        write = METRICS[item.metric]
        interval = (
            f"[{item.ci_low_percent:+.1f}, {item.ci_high_percent:+.1f}] %"
            if item.ci_low_percent is not None and item.ci_high_percent is not None
            else "too few runs for an interval"
        )
        cell = " ".join(item.cell.values())
        means = (write(item.mean_a), write(item.mean_b))
        rows.append((cell, item.metric, *means, f"{item.difference_percent:+.1f} %", interval))
    print_columns(rows, indent=0)


def _settings_of_the_folder(*folders: Sequence["Entry"]) -> set[str]:
    """Return the factors that do not vary within any of the folders; they do not tell cells apart."""
    varied: set[str] = set()
    for entries in folders:
        values: dict[str, set[str]] = defaultdict(set)
        for entry in entries:
            for key, value in entry.factors.items():
                values[key].add(value)
        varied |= {key for key, seen in values.items() if len(seen) > 1}
    return {key for entries in folders for entry in entries for key in entry.factors} - varied


def _by_cell(
    entries: Sequence["Entry"], ignored: set[str]
) -> dict[tuple[tuple[str, str], ...], list["Entry"]]:
    cells: dict[tuple[tuple[str, str], ...], list[Entry]] = defaultdict(list)
    for entry in entries:
        cells[tuple((k, v) for k, v in sorted(entry.factors.items()) if k not in ignored)].append(entry)
    return cells


def _comparisons(
    cells_a: Mapping[tuple[tuple[str, str], ...], Sequence["Entry"]],
    cells_b: Mapping[tuple[tuple[str, str], ...], Sequence["Entry"]],
) -> list[Comparison]:
    from statistics import fmean

    from bentpipe.stats import metric_values, relative_difference

    comparisons = []
    for cell in sorted(cells_a.keys() & cells_b.keys()):
        for metric in METRICS:
            values_a, values_b = (metric_values(cells[cell], metric) for cells in (cells_a, cells_b))
            if not values_a or not values_b or fmean(values_a) == 0:
                continue
            difference = relative_difference(values_b, values_a)
            ci = difference.ci
            comparisons.append(
                Comparison(
                    cell=dict(cell),
                    metric=metric,
                    n_a=len(values_a),
                    n_b=len(values_b),
                    mean_a=fmean(values_a),
                    mean_b=fmean(values_b),
                    difference_percent=100 * difference.value,
                    ci_low_percent=None if ci is None else 100 * ci.low,
                    ci_high_percent=None if ci is None else 100 * ci.high,
                )
            )
    return comparisons
