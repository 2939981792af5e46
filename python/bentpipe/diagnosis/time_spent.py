"""Where a run's time went: name and handshakes, then what held the sender back in each tenth of a second."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from bentpipe.model.cc import Algorithm
from bentpipe.model.flow import Direction
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.record import RunRecord
from bentpipe.model.spec import PingWorkload, RunSpec
from bentpipe.model.switch import Switch
from bentpipe.scenario.link.description import nominal_bps
from bentpipe.stats import interrupted_s

Series = Mapping[str, NDArray[np.float64]]

BIN_S = 0.1
"""Between two rows of the series `link` and `sender`."""
FULL_SHARE = 0.9
"""Of the rate, from which a link with a queue counts as full."""
_SEGMENT_BYTES = 1448
"""A window with less room than a segment takes none."""
_PACING = (Algorithm.BBR, Algorithm.BBR3, Algorithm.VIVACE)
"""Congestion controls that send at a rate; their window is only a bound."""
_COUNTERS = ("retransmitted_packets",)
_LIMITED = ("rwnd_limited_s", "sndbuf_limited_s")
"""Of TCP alone; what was measured before they were read has none."""
_LEVELS = ("cwnd_bytes", "in_flight_bytes")
_BITS_PER_BYTE = 8
_NS = 1e-9


class Spent(Enum):
    """What a part of a run's time was for, in the order in which it is told."""

    NAME = "name lookup"
    CONNECT = "connecting"
    TLS = "TLS handshake"
    FIRST_BYTE = "first byte of the document"
    INTERRUPTED = "path interrupted"
    LINK = "link full"
    RECOVERY = "retransmitting"
    CWND = "congestion window full"
    RWND = "receive window full"
    SNDBUF = "send buffer full"
    WINDOW = "receive window or send buffer full"
    PACED = "paced"
    APPLICATION = "nothing more to send"
    IDLE = "waiting"


MEANINGS = {
    Spent.NAME: "the resolver was asked for the address of the first host",
    Spent.CONNECT: "TCP's or QUIC's handshake of the first connection",
    Spent.TLS: "on top of TCP's",
    Spent.FIRST_BYTE: "a round trip, and what the server and the link took",
    Spent.INTERRUPTED: "a silence or an outage: nothing got through",
    Spent.LINK: "a queue stood, and the link carried nine tenths of its rate or more",
    Spent.RECOVERY: "a lost packet was retransmitted",
    Spent.CWND: "acknowledgements were waited for before more could be sent",
    Spent.RWND: "the peer's window was all that held the data; tcp.receive_buffer bounds it",
    Spent.SNDBUF: "both windows had room, and all that fitted was out; tcp.send_buffer bounds it",
    Spent.WINDOW: "the flow had data and its congestion window room",
    Spent.PACED: "the congestion window had room, and packets left at the rate of the sender's pacing",
    Spent.APPLICATION: "the window had room, and what was asked for was under way",
    Spent.IDLE: "nothing in flight: requests, further handshakes, or the client's own time",
}


_RANKS = (
    Spent.RECOVERY,
    Spent.RWND,
    Spent.SNDBUF,
    Spent.CWND,
    Spent.PACED,
    Spent.WINDOW,
    Spent.APPLICATION,
)
"""Of several connections the first of these counts."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """A part of a run's time; the parts add up to the whole."""

    spent: Spent
    time_s: float


def shares(record: RunRecord, series: Mapping[str, Series]) -> tuple[Share, ...]:
    """Return where the time went of a page load or a flow, as far as series tell; nothing of pings.

    Parameters
    ----------
    record
        The run's record.
    series
        `link`, `sender` and, of a path that changes, `path` of it, each with columns of shape (rows,).
    """
    end_s = end_of(record)
    if isinstance(record.spec.workload, PingWorkload) or end_s is None:
        return ()
    found = dict(_handshakes(record, end_s))
    started_s = sum(found.values())
    for spent, count in _bins(record.spec, series, from_s=started_s, to_s=end_s).items():
        found[spent] = count * BIN_S
    known_s = sum(found.values())
    # Bins are counted whole: what they have too much or too little is no more than one at either end.
    found[Spent.IDLE] = max(found.get(Spent.IDLE, 0.0) + end_s - known_s, 0.0)
    return tuple(Share(spent=spent, time_s=found[spent]) for spent in Spent if found.get(spent, 0) > 0)


def end_of(record: RunRecord) -> float | None:
    """Return when the workload ended, or was given up, in s from its start."""
    metrics = record.metrics
    if record.status == "failed":
        codes = {reason.code for reason in record.reasons}
        return record.spec.validity.timeout_ns * _NS if "timed-out" in codes else None
    return metrics.plt_s if metrics.plt_s is not None else metrics.completion_s


def data_direction(spec: RunSpec) -> str:
    """Return which direction of the link carries the payload: `forward` or `return`."""
    workload = spec.workload
    is_down = isinstance(workload, PageLoadWorkload | PingWorkload) or workload.direction is Direction.DOWN
    return "forward" if is_down is (spec.server_behind is None) else "return"


def rate_bps(spec: RunSpec) -> int:
    """Return the nominal rate of that direction."""
    link = spec.link
    return nominal_bps((link.forward if data_direction(spec) == "forward" else link.return_).capacity)


def mean_rate_bps(spec: RunSpec, path: Series, *, to_s: float) -> float | None:
    """Return the mean of that direction's rate until `to_s` after the start; None where it never changed.

    `path` is that series of the run, each column of shape (rows,); empty of a path that stands still.
    """
    rates = _rates_bps(spec, path, list(range(1, max(1, _ticks_of(to_s)) + 1)))
    return None if (rates == rate_bps(spec)).all() else float(rates.mean())


def _handshakes(record: RunRecord, end_s: float) -> Mapping[Spent, float]:
    metrics = record.metrics
    name_s = min(_name_lookup_s(record), end_s)
    connect_s, tls_s = metrics.connect_s or 0.0, metrics.tls_s or 0.0
    connect_s = min(connect_s, end_s - name_s)
    parts = {
        Spent.NAME: name_s,
        Spent.CONNECT: connect_s,
        Spent.TLS: min(tls_s, end_s - name_s - connect_s),
    }
    if metrics.ttfb_s is not None:
        # With early data the request travels with the handshake.
        since_connected_s = min(metrics.ttfb_s, end_s) - name_s - connect_s
        parts[Spent.TLS] = min(parts[Spent.TLS], max(since_connected_s, 0.0))
        parts[Spent.FIRST_BYTE] = max(since_connected_s - parts[Spent.TLS], 0.0)
    return parts


def _name_lookup_s(record: RunRecord) -> float:
    """Return how long the first connection waited for the address of its host."""
    first = next(iter(record.client_connections), None)
    return ((first and first.name_lookup_ns) or 0) * _NS


def _bins(spec: RunSpec, series: Mapping[str, Series], *, from_s: float, to_s: float) -> Mapping[Spent, int]:
    """Count the bins of what held the sender back; of several connections the busiest decides."""
    link, sender = series.get("link", {}), series.get("sender", {})
    direction = data_direction(spec)
    queue, delivered = f"{direction}_queue_bytes", f"{direction}_delivered_bytes"
    if not {"time_s", queue, delivered} <= link.keys():
        return {}
    times = _ticks(link["time_s"])
    path = series.get("path", {})
    interrupted = _interrupted(path)
    full_bytes = FULL_SHARE * _rates_bps(spec, path, times) * BIN_S / _BITS_PER_BYTE
    is_full = (link[queue] > 0) & (link[delivered] >= full_bytes)
    states = _sender_states(sender, spec)
    counts: dict[Spent, int] = {}
    for tick, full in zip(times, is_full, strict=True):
        if _ticks_of(from_s) <= tick < _ticks_of(to_s):
            if tick in interrupted:
                spent = Spent.INTERRUPTED
            else:
                spent = Spent.LINK if full else states.get(tick, Spent.IDLE)
            counts[spent] = counts.get(spent, 0) + 1
    return counts


def _interrupted(path: Series) -> set[int]:
    """Return the ticks of which half or more nothing got through."""
    if "time_s" not in path:
        return set()
    ticks = zip(_ticks(path["time_s"]), interrupted_s(path), strict=True)
    return {tick for tick, stopped_s in ticks if stopped_s >= BIN_S / 2}


def _rates_bps(spec: RunSpec, path: Series, ticks: list[int]) -> NDArray[np.float64]:
    """Return what the link could carry in each tick: by its path where that changes, else nominally."""
    nominal = rate_bps(spec)
    column = path.get(f"{data_direction(spec)}_capacity_bps")
    if column is None or np.isnan(column).all():
        return np.full(len(ticks), float(nominal))
    known = dict(zip(_ticks(path["time_s"]), column.tolist(), strict=True))
    return np.array([known.get(tick, float(nominal)) for tick in ticks])


def _sender_states(sender: Series, spec: RunSpec) -> Mapping[int, Spent]:
    """Return for each tick what held back the connection that was held back the most."""
    if not {"time_s", "client_port", *_COUNTERS, *_LEVELS} <= sender.keys():
        return {}
    states: dict[int, Spent] = {}
    for port in np.unique(sender["client_port"]):
        rows = sender["client_port"] == port
        one = {name: column[rows] for name, column in sender.items()}
        for tick, spent in zip(_ticks(one["time_s"]), _connection_states(one, spec), strict=True):
            if spent is not None:
                states[tick] = min(states.get(tick, spent), spent, key=_RANKS.index)
    return states


def _connection_states(sender: Series, spec: RunSpec) -> Iterator[Spent | None]:
    """Yield for each row of one connection what held it back; None where nothing was in flight."""
    unknown = np.full(len(sender["time_s"]), np.nan)
    counters = (sender.get(name, unknown) for name in (*_COUNTERS, *_LIMITED))
    grown = (np.diff(column, prepend=0.0) for column in counters)
    levels = (sender[name] for name in _LEVELS)
    ends = _is_ending(sender["in_flight_bytes"])
    for again, rwnd_s, sndbuf_s, cwnd, in_flight, is_end in zip(*grown, *levels, ends, strict=True):
        if again > 0:
            yield Spent.RECOVERY
        elif not in_flight > 0:
            yield None
        elif rwnd_s >= BIN_S / 2:
            yield Spent.RWND
        elif sndbuf_s >= BIN_S / 2:
            yield Spent.SNDBUF
        elif in_flight + _SEGMENT_BYTES > cwnd:
            yield Spent.CWND
        elif is_end:
            yield Spent.APPLICATION
        elif _is_paced(spec):
            yield Spent.PACED
        elif isinstance(spec.workload, PageLoadWorkload):
            yield Spent.APPLICATION
        else:
            # A flow has data until its end; TCP counts few of its waits for room (tcp_cwnd_validate).
            yield Spent.WINDOW if np.isnan(rwnd_s) else Spent.SNDBUF


def _is_ending(in_flight: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for each row whether what is in flight only falls from there on."""
    falls = np.diff(in_flight, prepend=0.0) < 0
    return np.logical_and.accumulate(falls[::-1])[::-1]


def _is_paced(spec: RunSpec) -> bool:
    tcp = spec.tcp
    return spec.cc in _PACING or tcp.pacing is Switch.ON or tcp.max_pacing_rate_bps is not None


def _ticks(times_s: NDArray[np.float64]) -> list[int]:
    return [_ticks_of(time_s) for time_s in times_s]


def _ticks_of(time_s: float) -> int:
    return round(float(time_s) / BIN_S)
