"""What a server's connections did, looked at from beside it while it works."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bentpipe.engine.programs.server.sockets import Sample, Sockets
from bentpipe.model.reason import ConnectionsUnreadableReason
from bentpipe.model.record import ConnectionReport
from bentpipe.model.report import OriginReport

ROW_S = 0.1
"""Between two rows of the series, as of our own (crates/link/src/table.rs)."""

_LEAST_LOOK_S = 0.01

_SERIES = (
    "cwnd_bytes",
    "in_flight_bytes",
    "srtt_s",
    "delivery_rate_bps",
    "retransmitted_packets",
    "rwnd_limited_s",
    "sndbuf_limited_s",
)


class Watch:
    """A thread that looks at the connections of a namespace to one port."""

    def __init__(self, sockets: Sockets, *, port: int, interval_s: float) -> None:
        self._sockets, self._port, self._interval_s = sockets, port, interval_s
        self._connections: dict[bytes, _Connection] = {}
        self._rows: list[tuple[float, Sample]] = []
        self._fault: ConnectionsUnreadableReason | None = None
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Look no more."""
        self._end.set()
        self._thread.join()

    def report(self) -> OriginReport:
        """End; what was seen.

        A connection's beginning is that of the first look at it. Its protocol the server knows alone.
        """
        self.end()
        sender: dict[str, Sequence[float | None]] = {
            "time_s": [at_s for at_s, _ in self._rows],
            "client_port": [sample.client_port for _, sample in self._rows],
            **{name: [getattr(sample, name) for _, sample in self._rows] for name in _SERIES},
        }
        return OriginReport(
            connections=[connection.report() for connection in self._connections.values()],
            sender=sender if self._rows else {},
            transfers=[],
            faults=[] if self._fault is None else [self._fault],
        )

    def _look_on(self) -> None:
        at_s = row_s = time.monotonic()
        while not self._end.wait(max(at_s - time.monotonic(), 0)):
            try:
                samples = [sample for sample in self._sockets.samples() if sample.local_port == self._port]
            except OSError as error:
                self._fault = ConnectionsUnreadableReason(error=str(error))
                return
            now_s = time.monotonic()
            for sample in samples:
                self._connections.setdefault(sample.cookie, _Connection(now_s, sample)).last = sample
            if now_s >= row_s:
                self._rows += [(now_s, sample) for sample in samples]
                # What was missed on a busy machine is not made up for.
                row_s = max(row_s + ROW_S, now_s)
            at_s = max(at_s + self._interval_s, now_s)


@contextmanager
def watched(namespace: str, *, port: int, round_trip_s: float) -> Iterator[Watch]:
    """Look at the connections to a port of a namespace until the context ends.

    As often as the link's round trip: a connection lives for two at the least, of request and response and of
    its end.
    """
    interval_s = min(max(round_trip_s, _LEAST_LOOK_S), ROW_S)
    with Sockets(namespace) as sockets:
        watch = Watch(sockets, port=port, interval_s=interval_s)
        try:
            yield watch
        finally:
            watch.end()


class _Connection:
    """The first and the last that was seen of a connection."""

    def __init__(self, since_s: float, first: Sample) -> None:
        self._since_s, self._first, self.last = since_s, first, first

    def report(self) -> ConnectionReport:
        first, last = self._first, self.last
        return ConnectionReport(
            transport="tcp",
            protocol="",
            client_port=first.client_port,
            started_ns=round(self._since_s * 1e9),
            congestion_control=last.congestion_control,
            retransmitted_packets=last.retransmitted_packets,
            srtt_ns=_ns(last.srtt_s),
            min_rtt_ns=_ns(last.min_rtt_s),
            # It is the initial one as long as nothing has been acknowledged.
            initial_cwnd_bytes=None if first.acknowledged_bytes > 0 else first.cwnd_bytes,
        )


def _ns(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1e9)
