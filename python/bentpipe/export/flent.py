"""Flows and pings as files of flent, for its plots of latency under load (flent, doc/data-format.rst).

A file is JSON compressed by gzip. Series have one value for each of the common instants; what was measured
stands under `raw_values` with instants of its own.
"""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bentpipe import __version__
from bentpipe.ledger import Entry
from bentpipe.model.flow import BulkWorkload, Direction, FlowsWorkload
from bentpipe.model.record import RunRecord
from bentpipe.model.spec import PingWorkload
from bentpipe.stats import cell_label
from bentpipe.stats.counter import BIN_S

VERSION = 4
"""Of the format: the one since which raw values have the units of the series."""
SUFFIX = ".flent.gz"
STEP_S = 0.2
"""Between instants, as flent has it."""
_MBIT = 1e6
_MS = 1e3
_NS = 1e-9

Arrays: TypeAlias = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class _Points:
    """A series as it was measured: values at instants in s."""

    times_s: NDArray[np.float64]
    values: NDArray[np.float64]


def flent_file(entry: Entry, series: Mapping[str, Arrays]) -> bytes | None:
    """Return the file of an attempt; None of a page load, and where its series are empty.

    Flows have their goodput in Mbit/s (`TCP download`, of several `TCP download::1`), and of the sender
    `tcp_rtt` in ms and `tcp_cwnd` in kB; pings are `Ping (ms) UDP`.

    Parameters
    ----------
    entry : Entry
        The attempt.
    series : mapping of str to arrays
        Its `progress`, `sender` and `ping`, each column of shape (rows,).
    """
    record = entry.record
    workload = record.spec.workload
    if isinstance(workload, PingWorkload):
        name, found = "ping", _pings(series.get("ping", {}), interval_s=workload.interval_ns * _NS)
    elif isinstance(workload, BulkWorkload | FlowsWorkload):
        way = "download" if workload.direction is Direction.DOWN else "upload"
        name, found = f"tcp_{way}", _flows(record, series, way=way)
    else:
        return None
    found = {key: points for key, points in found.items() if len(points.times_s)}
    if not found:
        return None
    text = json.dumps(_document(entry, name, found), indent=2, sort_keys=True, allow_nan=False)
    return gzip.compress(text.encode(), mtime=0)


def _document(entry: Entry, name: str, found: Mapping[str, _Points]) -> dict[str, object]:
    end_s = max(float(points.times_s[-1]) for points in found.values())
    instants_s = np.arange(0.0, end_s + STEP_S, STEP_S)
    started = datetime.fromisoformat(entry.record.provenance["started"]).astimezone(UTC)
    start_s = started.timestamp()
    # As flent reads it.
    time = started.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "version": VERSION,
        "metadata": {
            "NAME": name,
            "TITLE": cell_label(entry.factors, order=("link", "cc")),
            "NOTE": f"run {entry.run_id}, attempt {entry.attempt}, engine {entry.record.engine.value}",
            "TIME": time,
            "T0": time,
            "HOST": "server",
            "HOSTS": ["server"],
            "LOCAL_HOST": "client",
            "LENGTH": round(end_s, 6),
            "TOTAL_LENGTH": round(end_s, 6),
            "STEP_SIZE": STEP_S,
            "IP_VERSION": 4,
            "FLENT_VERSION": f"bentpipe {__version__}",
            "DATA_FILENAME": f"{entry.run_id}-{entry.attempt}{SUFFIX}",
        },
        "x_values": [round(float(each), 6) for each in instants_s],
        "results": {key: _at(points, instants_s) for key, points in found.items()},
        "raw_values": {
            key: [
                {"t": round(start_s + float(time_s), 6), "val": float(value)}
                for time_s, value in zip(points.times_s, points.values, strict=True)
            ]
            for key, points in found.items()
        },
    }


def _at(points: _Points, instants_s: NDArray[np.float64]) -> list[float | None]:
    """Return a series at common instants, interpolated; nothing before its first and after its last value."""
    values = np.interp(instants_s, points.times_s, points.values, left=np.nan, right=np.nan)
    return [None if np.isnan(each) else float(each) for each in values]


def _pings(series: Arrays, *, interval_s: float) -> dict[str, _Points]:
    if not series:
        return {}
    came = ~np.isnan(series["rtt_s"])
    times_s = series["sequence"][came] * interval_s
    return {"Ping (ms) UDP": _Points(times_s=times_s, values=_MS * series["rtt_s"][came])}


def _flows(record: RunRecord, series: Mapping[str, Arrays], *, way: str) -> dict[str, _Points]:
    found: dict[str, _Points] = {}
    progress, sender = series.get("progress", {}), series.get("sender", {})
    for number, flow in enumerate(record.flows, start=1):
        if flow.client_port is None or not progress:
            continue
        name = f"{flow.transport.value.upper()} {way}" + (f"::{number}" if len(record.flows) > 1 else "")
        found[name] = _goodput(progress, flow.client_port)
        if sender:
            own = sender["client_port"] == flow.client_port
            for column, told, scale in (("srtt_s", "tcp_rtt", _MS), ("cwnd_bytes", "tcp_cwnd", 1e-3)):
                has_it = own & ~np.isnan(sender[column])
                found[f"{name}::{told}"] = _Points(
                    times_s=sender["time_s"][has_it], values=scale * sender[column][has_it]
                )
    return found


def _goodput(progress: Arrays, port: int) -> _Points:
    """Return the payload of each row, which counts that of BIN_S up to its instant, per second."""
    own = progress["client_port"] == port
    rates = progress["received_bytes"][own] * 8 / BIN_S / _MBIT
    return _Points(times_s=progress["time_s"][own], values=rates)
