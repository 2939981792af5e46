"""Results as Polars frames: one row for each attempt, object, flow, cell or difference; units stand in the names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bentpipe.ledger import Entry
from bentpipe.reasons import sentence
from bentpipe.report.cells import CellResult
from bentpipe.stats import Interval, metric_values, metrics_of, relative_difference

if TYPE_CHECKING:
    import polars as pl

Row = Mapping[str, object]


def runs(entries: Iterable[Entry]) -> "pl.DataFrame":
    """Return one row for each attempt: identity, status and reasons, factors, metrics under their own names."""
    return _frame(
        {
            "run_id": entry.run_id,
            "attempt": entry.attempt,
            "repetition": entry.repetition,
            "status": entry.status,
            "reasons": "; ".join(map(sentence, entry.record.reasons)),
            **entry.factors,
            **metrics_of(entry.record),
        }
        for entry in entries
    )


def objects(entries: Iterable[Entry]) -> "pl.DataFrame":
    """Return one row for each object of every attempt: what `objects` of the record has."""
    return _frame(
        {"run_id": entry.run_id, "attempt": entry.attempt, **item.model_dump(mode="json")}
        for entry in entries
        for item in entry.record.objects
    )


def flows(entries: Iterable[Entry]) -> "pl.DataFrame":
    """Return one row for each bulk flow of every attempt: what `flows` of the record has."""
    return _frame(
        {"run_id": entry.run_id, "attempt": entry.attempt, "flow": place, **flow.model_dump(mode="json")}
        for entry in entries
        for place, flow in enumerate(entry.record.flows)
    )


def cells(found: Sequence[CellResult], varied: Sequence[str]) -> "pl.DataFrame":
    """Return one row for each cell and metric, the headline first, with its mean, interval and median.

    Values have the unit of the metric's name. `ci_low` and `ci_high` bound the mean with 95 %; they are null
    below two runs.
    """
    rows: list[Row] = []
    for cell in found:
        told = {
            **{name: cell.factors.get(name) for name in varied},
            "failed": cell.counts["failed"],
            "invalid": cell.counts["invalid"],
        }
        for quantity, summary in cell.summaries:
            scale = 1 / quantity.scale
            rows.append(
                {
                    **told,
                    "metric": quantity.metric,
                    "n": summary.n,
                    "mean": summary.mean * scale,
                    **_bounds(summary.mean_ci, scale),
                    "median": summary.median * scale,
                    "sd": None if summary.sd is None else summary.sd * scale,
                }
            )
        if not cell.summaries:
            rows.append({**told, "n": 0})
    return _frame(rows)


def differences(
    pairs: Iterable[tuple[CellResult, CellResult]], varied: Sequence[str], metric: str
) -> "pl.DataFrame":
    """Return one row for each cell and its reference that both have the metric: how much its mean lies above.

    Differences and their 95 % intervals are in percent of the reference's mean (Fieller; see
    `stats.relative_difference`). One is significant when its interval does not hold zero.
    """
    rows: list[Row] = []
    for cell, reference in pairs:
        own, theirs = metric_values(cell.runs, metric), metric_values(reference.runs, metric)
        if not own or not theirs or sum(theirs) == 0:
            continue
        found = relative_difference(own, theirs)
        rows.append(
            {
                **{name: cell.factors.get(name) for name in varied},
                "metric": metric,
                "n": len(own),
                "n_reference": len(theirs),
                "mean": sum(own) / len(own),
                "mean_reference": sum(theirs) / len(theirs),
                "difference_percent": 100 * found.value,
                "ci_low_percent": None if found.ci is None else 100 * found.ci.low,
                "ci_high_percent": None if found.ci is None else 100 * found.ci.high,
                "is_significant": None if found.ci is None else found.ci.excludes(0.0),
            }
        )
    return _frame(rows)


def series(columns: Mapping[str, object]) -> "pl.DataFrame":
    """Return a series of a run; a value that is missing is null."""
    import polars as pl

    return pl.DataFrame(dict(columns)).fill_nan(None)


def _bounds(interval: Interval | None, scale: float) -> Row:
    return {
        "ci_low": None if interval is None else interval.low * scale,
        "ci_high": None if interval is None else interval.high * scale,
    }


def _frame(rows: Iterable[Row]) -> "pl.DataFrame":
    """Return rows as a frame; what a row does not have is null, and a column without any value is of numbers."""
    import polars as pl

    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    frame = pl.DataFrame({name: [row.get(name) for row in rows] for name in names}, strict=False)
    return frame.with_columns(pl.col(pl.Null).cast(pl.Float64))
