"""Results as Polars frames: a row for each attempt, object, flow, cell or difference; names have units."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bentpipe.ledger import Entry
from bentpipe.model.record import ObjectTiming
from bentpipe.reasons import sentence
from bentpipe.report.best import Best
from bentpipe.report.cells import CellResult
from bentpipe.report.flow_rows import COLUMNS, flow_row
from bentpipe.report.pairs import TwoCells
from bentpipe.report.pairs import metric as values_of
from bentpipe.report.quantities import Quantity
from bentpipe.stats import ALPHA, Comparison, Interval, Summary
from bentpipe.studies import Verdict

if TYPE_CHECKING:
    import polars as pl

Row: TypeAlias = Mapping[str, object]

SUMMARY = ("metric", "n", "mean", "ci_low", "ci_high", "median", "sd")
DIFFERENCE = (
    "metric", "n", "n_reference", "mean", "mean_reference",
    "difference_percent", "ci_low_percent", "ci_high_percent", "is_significant", "is_paired",
)  # fmt: skip
RANKING = ("metric", "n", "mean", "behind_percent", "ci_low_percent", "ci_high_percent", "is_among_best")
TIME = "time_s"


def runs(entries: Iterable[Entry]) -> "pl.DataFrame":
    """Return one row for each attempt: identity, status, reasons, factors, metrics under their own names."""
    rows = (
        {
            "run_id": entry.run_id,
            "attempt": entry.attempt,
            "repetition": entry.repetition,
            "status": entry.status,
            # A record has to be read, and one that succeeded has no reasons.
            "reasons": "" if entry.status == "succeeded" else "; ".join(map(sentence, entry.record.reasons)),
            **entry.factors,
            **entry.metrics,
        }
        for entry in entries
    )
    return _frame(rows, first=("run_id", "attempt", "repetition", "status", "reasons"))


def objects(entries: Iterable[Entry]) -> "pl.DataFrame":
    """Return one row for each object of every attempt: what `objects` of the record has."""
    rows = (
        {"run_id": entry.run_id, "attempt": entry.attempt, **item.model_dump(mode="json")}
        for entry in entries
        for item in entry.record.objects
    )
    return _frame(rows, first=("run_id", "attempt", *ObjectTiming.model_fields))


def flows(entries: Iterable[Entry]) -> "pl.DataFrame":
    """Return one row for each bulk flow of every attempt: what `flows` of the record has, flat."""
    rows = (
        {"run_id": entry.run_id, "attempt": entry.attempt, "flow": place, **flow_row(flow)}
        for entry in entries
        for place, flow in enumerate(entry.record.flows)
    )
    return _frame(rows, first=("run_id", "attempt", "flow", *COLUMNS))


def headlines(cells: Iterable[CellResult], varied: Sequence[str]) -> "pl.DataFrame":
    """Return one row for each cell: its headline as in `summaries`, then how many runs have no number."""
    rows = (
        {
            **_factors(cell, varied),
            **(_summary(*cell.headline) if cell.headline else {"n": 0}),
            "failed": cell.counts["failed"],
            "invalid": cell.counts["invalid"],
        }
        for cell in cells
    )
    return _frame(rows, first=(*varied, *SUMMARY))


def summaries(cells: Iterable[CellResult], varied: Sequence[str]) -> "pl.DataFrame":
    """Return one row for each cell and metric that it has, the headline first.

    Values have the unit of the metric's name. `ci_low` and `ci_high` bound the mean with 95 %; they are null
    below two runs.
    """
    rows = (
        {**_factors(cell, varied), **_summary(quantity, summary)}
        for cell in cells
        for quantity, summary in cell.summaries
    )
    return _frame(rows, first=(*varied, *SUMMARY))


def ranking(bests: Iterable[Best], varied: Sequence[str]) -> "pl.DataFrame":
    """Return one row for each cell, under each condition the best first: how far it stands behind the best.

    The intervals hold jointly with 95 % (see `stats.rank`); among the best is what cannot be told from it.
    """
    rows = (
        {
            **_factors(rated.cell, varied),
            "metric": best.quantity.metric,
            "n": rated.contender.n,
            "mean": rated.contender.mean,
            "behind_percent": 100 * behind.value if (behind := rated.contender.behind) else None,
            **_percent(behind.ci if behind else None, 100),
            "is_among_best": rated.contender.is_among_best,
        }
        for best in bests
        for rated in best.rated
    )
    return _frame(rows, first=(*varied, *RANKING))


def differences(
    pairs: Iterable[tuple[CellResult, CellResult]], varied: Sequence[str], metric: str
) -> "pl.DataFrame":
    """Return one row for each cell and its reference that both have the metric: how much its mean lies above.

    They are in percent of the reference's mean, with Fieller's intervals (`stats.relative_difference`), which
    hold jointly with 95 % (Bonferroni) and are null where there is none. `stats.compare` says which are
    significant; below two runs each none is. Runs that share their path are pairs (`report.pairs`), and only
    the repetitions that both have count.
    """
    compared = [
        (cell, TwoCells(own=cell.runs, reference=reference.runs).samples(values_of(metric)))
        for cell, reference in pairs
    ]
    compared = [each for each in compared if each[1].own and any(each[1].reference)]
    confidence = 1 - ALPHA / max(len(compared), 1)
    rows = (
        {
            **_factors(cell, varied),
            "metric": metric,
            "n": len(samples.own),
            "n_reference": len(samples.reference),
            "mean": fmean(samples.own),
            "mean_reference": fmean(samples.reference),
            **_difference(samples.compared(confidence=confidence)),
            "is_paired": samples.is_paired,
        }
        for cell, samples in compared
    )
    return _frame(rows, first=(*varied, *DIFFERENCE))


def claims(verdicts: Iterable[Verdict]) -> "pl.DataFrame":
    """Return one row for each finding of a study's claims: what is published, what ours is in percent."""
    rows = (
        {
            "claim_id": verdict.claim_id,
            "claim": verdict.claim,
            "label": finding.label,
            "published": finding.published,
            "ours": finding.ours,
            "percent": finding.measurement.percent,
            **_percent(finding.measurement.ci, 1),
            "agreement": finding.agreement.value,
            "verdict": verdict.agreement.value,
            "standing": verdict.standing.value,
            "source": verdict.source,
        }
        for verdict in verdicts
        for finding in verdict.findings
    )
    return _frame(rows, first=("claim_id", "claim", "label", "published", "ours", "percent"))


def series(columns: Mapping[str, NDArray[np.float64]]) -> "pl.DataFrame":
    """Return a series of a run, its time first; a value that is missing is null."""
    import polars as pl

    ordered = {name: columns[name] for name in sorted(columns, key=lambda name: name != TIME)}
    return pl.DataFrame(ordered).fill_nan(None)


def _factors(cell: CellResult, varied: Sequence[str]) -> Row:
    return {name: cell.factors.get(name) for name in varied}


def _difference(found: Comparison) -> Row:
    relative = found.relative
    return {
        "difference_percent": None if relative is None else 100 * relative.value,
        **_percent(relative.ci if relative else None, 100),
        "is_significant": found.is_significant,
    }


def _percent(interval: Interval | None, scale: float) -> Row:
    return {
        "ci_low_percent": None if interval is None else interval.low * scale,
        "ci_high_percent": None if interval is None else interval.high * scale,
    }


def _summary(quantity: Quantity, summary: Summary) -> Row:
    scale, ci = 1 / quantity.scale, summary.mean_ci
    return {
        "metric": quantity.metric,
        "n": summary.n,
        "mean": summary.mean * scale,
        "ci_low": None if ci is None else ci.low * scale,
        "ci_high": None if ci is None else ci.high * scale,
        "median": summary.median * scale,
        "sd": None if summary.sd is None else summary.sd * scale,
    }


def _frame(rows: Iterable[Row], *, first: Sequence[str]) -> "pl.DataFrame":
    """Return rows as a frame; what a row does not have is null, and a column without a value is of numbers.

    `first` are columns that come first, and are there without rows too, of no type then. Those named as
    conditions (`is_...`) are conditions in any case: a frame is filtered by them.
    """
    import polars as pl

    rows = list(rows)
    names = dict.fromkeys([*first, *(name for row in rows for name in row)])
    frame = pl.DataFrame({name: [row.get(name) for row in rows] for name in names}, strict=False)
    frame = frame.with_columns(pl.col("^is_.*$").cast(pl.Boolean))
    return frame.with_columns(pl.col(pl.Null).cast(pl.Float64)) if rows else frame
