"""The ledger as CSV: one row per attempt, one row per object, one row per flow."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bentpipe.ledger import Entry
from bentpipe.stats import metrics_of


def write_runs(path: Path, entries: Sequence[Entry]) -> None:
    """Write one row per attempt: identity, status, factors, then every metric under its own name."""
    rows = [
        {
            "run_id": entry.run_id,
            "attempt": entry.attempt,
            "repetition": entry.repetition,
            "status": entry.status,
            "reasons": "; ".join(entry.record["reasons"]),
            "engine": entry.record["engine"],
            **{f"factor_{name}": value for name, value in entry.factors.items()},
            **_flat(metrics_of(entry.record)),
        }
        for entry in entries
    ]
    _write(path, rows, first=("run_id", "attempt", "repetition", "status", "reasons", "engine"))


def write_objects(path: Path, entries: Sequence[Entry]) -> None:
    """Write one row per object of every attempt."""
    rows = [
        {"run_id": entry.run_id, "attempt": entry.attempt, **item}
        for entry in entries
        for item in entry.record["objects"]
    ]
    _write(path, rows, first=("run_id", "attempt", "url", "bytes"))


def write_flows(path: Path, entries: Sequence[Entry]) -> None:
    """Write one row per bulk flow of every attempt."""
    rows = [
        {"run_id": entry.run_id, "attempt": entry.attempt, "flow": place, **flow}
        for entry in entries
        for place, flow in enumerate(entry.record.get("flows", ()))
    ]
    _write(path, rows, first=("run_id", "attempt", "flow", "cc", "transport"))


def _flat(metrics: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in metrics.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}_")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _write(path: Path, rows: Iterable[Mapping[str, Any]], *, first: Sequence[str]) -> None:
    rows = list(rows)
    columns = list(dict.fromkeys([*first, *(name for row in rows for name in row)]))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
