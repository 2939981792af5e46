"""compare: two folders of results side by side."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from bentpipe.amounts import percent, rate, seconds
from bentpipe.cli.options import example, json_option
from bentpipe.cli.output import echo, print_columns, print_json
from bentpipe.errors import InputError

if TYPE_CHECKING:
    from bentpipe.ledger import Entry
    from bentpipe.report.pairs import Samples

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
MOST_ROWS = 40
"""Of more the table has those that differ most, half of them downwards and half upwards."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One metric of one cell in both folders; the difference is B's mean against A's.

    `better` is "a" or "b" where the two differ significantly, as `stats.compare` has it. With `is_paired`
    runs of one repetition, which have one seed, are compared with each other, as far as both have them.
    """

    cell: Mapping[str, str]
    metric: str
    n_a: int
    n_b: int
    mean_a: float
    mean_b: float
    difference_percent: float
    ci_low_percent: float | None
    ci_high_percent: float | None
    better: Literal["a", "b"] | None
    is_paired: bool


@click.command(epilog=example("bentpipe compare results/before results/after"))
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@json_option
def compare(a: Path, b: Path, as_json: bool) -> None:
    """Compare two folders of results.

    Cells that both have stand side by side, with the difference of B's mean against A's and which of the two
    is significantly better. The 95 % confidence intervals of all cells of a metric hold together.
    """
    from bentpipe.ledger import Ledger

    with Ledger(a) as ledger_a, Ledger(b) as ledger_b:
        runs_a, runs_b = ledger_a.best(), ledger_b.best()
        ignored = _settings_of_the_folder(runs_a, runs_b)
        comparisons = _comparisons(_by_cell(runs_a, ignored), _by_cell(runs_b, ignored))
    if not comparisons:
        for field, folder, runs in (("A", a, runs_a), ("B", b, runs_b)):
            if not any(run.status == "succeeded" for run in runs):
                raise InputError(
                    file=str(folder),
                    field=field,
                    expected="a run that succeeded",
                    found=f"none of {len(runs)}",
                )
        raise InputError(
            file=str(b), field="B", expected=f"cells with succeeded runs that {a} has too", found="none"
        )
    if as_json:
        print_json([asdict(comparison) for comparison in comparisons])
        return
    echo(f"A: {a}", f"B: {b}", "")
    rows = [("CELL", "METRIC", "A", "B", "B AGAINST A", "BETTER")]
    shown = _outermost(comparisons)
    for item in shown:
        write = METRICS[item.metric]
        cell = " ".join(item.cell.values())
        means = (write(item.mean_a), write(item.mean_b))
        rows.append((cell, item.metric, *means, _change(item), (item.better or "-").upper()))
    print_columns(rows, indent=0, marked={place for place, item in enumerate(shown, 1) if item.better})
    if len(shown) < len(comparisons):
        echo(f"… {len(comparisons) - len(shown)} more that differ less: --json has all of them")
    echo("", *_sentences(comparisons))


def _outermost(comparisons: Sequence[Comparison]) -> Sequence[Comparison]:
    """Return those that a table has, in their order."""
    if len(comparisons) <= MOST_ROWS:
        return comparisons
    by_difference = sorted(range(len(comparisons)), key=lambda place: comparisons[place].difference_percent)
    half = MOST_ROWS // 2
    return [comparisons[place] for place in sorted((*by_difference[:half], *by_difference[-half:]))]


def _change(item: Comparison) -> str:
    if item.ci_low_percent is None or item.ci_high_percent is None:
        why = (
            "too few runs for an interval" if min(item.n_a, item.n_b) < 2 else "unbounded, as A's may be zero"
        )
        return f"{item.difference_percent:+.1f} %, {why}"
    return f"{item.difference_percent:+.1f} % [{item.ci_low_percent:+.1f}, {item.ci_high_percent:+.1f}]"


def _sentences(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Return in how many cells which folder is better, by the first metric that each cell has."""
    first: dict[tuple[tuple[str, str], ...], Comparison] = {}
    for item in comparisons:
        first.setdefault(tuple(item.cell.items()), item)
    for metric in dict.fromkeys(item.metric for item in first.values()):
        found = Counter(item.better for item in first.values() if item.metric == metric)
        wins = f"B is significantly better in {found['b']}, A in {found['a']}"
        yield f"By {metric} of {found.total()} cells {wins}; {found[None]} do not differ significantly."


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
    """Return every metric that a cell has in both; the intervals of a metric's cells hold together."""
    from bentpipe.report import pairs
    from bentpipe.stats import ALPHA

    of_both = {
        (cell, metric): both.samples(pairs.metric(metric))
        for cell in sorted(cells_a.keys() & cells_b.keys())
        for both in [pairs.TwoCells(own=cells_b[cell], reference=cells_a[cell])]
        for metric in METRICS
    }
    found = {place: samples for place, samples in of_both.items() if samples.own and any(samples.reference)}
    cells = Counter(metric for _, metric in found)
    return [
        _comparison(dict(cell), metric, samples, confidence=1 - ALPHA / cells[metric])
        for (cell, metric), samples in found.items()
    ]


def _comparison(cell: Mapping[str, str], metric: str, samples: "Samples", *, confidence: float) -> Comparison:
    from statistics import fmean

    from bentpipe.stats import HIGHER_IS_BETTER

    a, b = samples.reference, samples.own
    found = samples.compared(confidence=confidence)
    difference = found.relative
    assert difference is not None, "A's mean is zero"
    ci = difference.ci
    is_b_better = (difference.value > 0) == (metric in HIGHER_IS_BETTER)
    return Comparison(
        cell=cell,
        metric=metric,
        n_a=len(a),
        n_b=len(b),
        mean_a=fmean(a),
        mean_b=fmean(b),
        difference_percent=100 * difference.value,
        ci_low_percent=None if ci is None else 100 * ci.low,
        ci_high_percent=None if ci is None else 100 * ci.high,
        better=("b" if is_b_better else "a") if found.is_significant else None,
        is_paired=samples.is_paired,
    )
