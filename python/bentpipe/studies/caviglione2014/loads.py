"""What the loads of the study's page came to: one value of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bentpipe.model.record import ConnectionReport
from bentpipe.stats import metric_values, select
from bentpipe.studies.loads import FORWARD, RETURN, busiest_bps, content_bytes, wire_bytes
from bentpipe.studies.study import Run, Runs

BUSIEST_S = 1.0
"""Wireshark's graphs of input and output, with which the study measures, count by seconds."""
_NS = 1e-9

Factors: TypeAlias = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One value of each load."""

    name: str
    unit: str
    decimals: int
    of: Callable[[Sequence[Run]], list[float]]


def load_times_s(runs: Sequence[Run]) -> list[float]:
    """From the first GET to the end of the last object, of those that have any (section 4)."""
    return [
        max(each.last_byte_s for each in objects) - min(each.request_s for each in objects)
        for run in runs
        if (objects := run.record.objects)
    ]


def mean_rates_kbps(runs: Sequence[Run]) -> list[float]:
    """All IP bytes, both directions, over the load time, in kB/s."""
    timed = [run for run in runs if run.record.objects]
    return [size / 1e3 / time_s for size, time_s in zip(wire_bytes(timed), load_times_s(timed), strict=True)]


def last_objects(run: Run, *, limit: int) -> int:
    """How many objects came over connections that were opened after others had had as many as they take."""
    carried = [each.connection for each in run.record.objects]
    first = _before_any_is_full(run, limit=limit)
    return sum(connection not in first for connection in carried)


def more_connections(run: Run, *, limit: int) -> int:
    """How many connections were opened after one had had as many requests as it takes."""
    return len(run.record.client_connections) - len(_before_any_is_full(run, limit=limit))


def first_connection_s(runs: Sequence[Run]) -> list[float]:
    """From the first packet of the document's connection to its end, or to that of the load."""
    found = []
    for run in runs:
        objects = run.record.objects
        if objects:
            document = min(objects, key=lambda each: each.request_s)
            opened = run.record.client_connections[document.connection]
            found.append(_closed_s(opened, document.last_byte_s) - opened.started_ns * _NS)
    return found


def _before_any_is_full(run: Run, *, limit: int) -> set[int]:
    """The connections that were opened before the last request of any that took as many as it may."""
    requests: dict[int, list[float]] = {}
    for each in run.record.objects:
        requests.setdefault(each.connection, []).append(each.request_s)
    full_s = [max(times) for times in requests.values() if len(times) >= limit]
    opened = run.record.client_connections
    if not full_s:
        return set(range(len(opened)))
    return {place for place, each in enumerate(opened) if each.started_ns * _NS <= min(full_s)}


def _closed_s(connection: ConnectionReport, otherwise_s: float) -> float:
    return otherwise_s if connection.closed_ns is None else connection.closed_ns * _NS


PLT = Quantity(name="load time", unit="s", decimals=1, of=load_times_s)
DATA = Quantity(
    name="data", unit="kB", decimals=0, of=lambda runs: [size / 1e3 for size in content_bytes(runs)]
)
DATA_BOTH_WAYS = Quantity(
    name="data of both directions",
    unit="kB",
    decimals=0,
    of=lambda runs: [size / 1e3 for size in content_bytes(runs, directions=("down", "up"))],
)
WIRE = Quantity(
    name="bytes on the wire", unit="kB", decimals=0, of=lambda runs: [size / 1e3 for size in wire_bytes(runs)]
)
ROUND_TRIP = Quantity(
    name="round trip", unit="s", decimals=2, of=lambda runs: metric_values(runs, "rtt_mean_s")
)
MEAN_RATE = Quantity(name="average rate", unit="kB/s", decimals=1, of=mean_rates_kbps)
BUSIEST = Quantity(
    name="throughput of the busiest second",
    unit="kB/s",
    decimals=0,
    of=lambda runs: [
        bps / 8e3 for bps in busiest_bps(runs, window_s=BUSIEST_S, directions=(FORWARD, RETURN))
    ],
)
CONNECTIONS = Quantity(
    name="connections",
    unit="",
    decimals=0,
    of=lambda runs: [float(len(run.record.client_connections)) for run in runs],
)


def values(runs: Runs, quantity: Quantity, cell: Factors) -> list[float]:
    """One quantity of each succeeded load of a cell that has it."""
    return quantity.of(select(runs, **cell))
