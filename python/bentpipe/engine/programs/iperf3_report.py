"""What iperf3 says of a flow, as reports of a client and an origin (crates/run/src/report.rs).

Each end writes a JSON document whose instants count from the beginning of the test there: at the server when
it starts, at the client when the word of it has crossed the link. When that was by the run's clock neither
says; the link's counters tell it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Any

from bentpipe.model.flow import Direction
from bentpipe.model.reason import NothingTransferredReason, Reason
from bentpipe.model.record import ConnectionReport, Table
from bentpipe.model.report import ClientReport, LinkReport, OriginReport, TransferReport
from bentpipe.model.spec import RunSpec
from bentpipe.model.workload import only_flow
from bentpipe.scenario.link import server_behind

Document = Mapping[str, Any]
"""The JSON of one end (iperf3 --json)."""

_NO_SERIES: Table = MappingProxyType({})

INTERVAL_S = 0.1
"""Between two rows of a series; the least that iperf3 takes."""

CONTROL_BYTES = 1500
"""At most what the exchange before a test sends in one direction: two handshakes, a cookie of 37 bytes
for each connection, parameters of some 200, acknowledgements. The first data are more."""


def versions(document: Document) -> dict[str, str]:
    """Name the program for the provenance."""
    version = document.get("start", {}).get("version")
    return {} if version is None else {"iperf3": version.removeprefix("iperf ")}


def broken(fault: Reason, *, started_s: float) -> tuple[ClientReport, OriginReport]:
    """Return the reports of a flow without a result."""
    return _client_report(started_s, faults=[fault]), _origin_report()


def reports(
    *, client: Document, server: Document, spec: RunSpec, link: LinkReport
) -> tuple[ClientReport, OriginReport]:
    """Return the reports of both ends of a finished flow.

    Parameters
    ----------
    client, server : Document
        What iperf3 wrote at either end.
    spec : RunSpec
        The run's specification.
    link : LinkReport
        The link's report, by whose counters the beginning is found.
    """
    at_client, at_server = _ends(client, server, spec, link)
    is_up = only_flow(spec).direction is Direction.UP
    sender, receiver = (at_client, at_server) if is_up else (at_server, at_client)
    series = sender.sender_series()
    transfers = [receiver.transfer()] if receiver.received_bytes > 0 else []
    client_report = _client_report(
        receiver.started_s,
        connections=[at_client.connection(is_sender=is_up)],
        sender=series if is_up else {},
        transfers=[] if is_up else transfers,
        faults=[] if transfers else [NothingTransferredReason()],
    )
    origin_report = _origin_report(
        connections=[at_server.connection(is_sender=not is_up)],
        sender={} if is_up else series,
        transfers=transfers if is_up else [],
    )
    return client_report, origin_report


@dataclass(frozen=True, kw_only=True)
class _End:
    """One end of the test: its document, and when the test started there by the run's clock."""

    document: Document
    started_s: float
    client_port: int

    @property
    def intervals(self) -> Sequence[Mapping[str, Any]]:
        """What the flow did in each interval."""
        return [interval["streams"][0] for interval in self.document["intervals"]]

    @property
    def received_bytes(self) -> int:
        """Payload that this end read."""
        received: int = self.document["end"]["sum_received"]["bytes"]
        return received

    def transfer(self) -> TransferReport:
        """Return the transfer that this end received; its first and last byte are known to an interval."""
        intervals = self.intervals
        filled = [interval for interval in intervals if interval["bytes"] > 0]
        return TransferReport(
            flow=0,
            bytes=self.received_bytes,
            first_byte=_ns(self.started_s + filled[0]["start"]),
            last_byte=_ns(self.started_s + filled[-1]["end"]),
            progress={
                "time_s": self._times_s(),
                "received_bytes": [interval["bytes"] for interval in intervals],
            },
        )

    def sender_series(self) -> Table:
        """Return the sender's state at the end of each interval; iperf3 looks at less of it than we do."""
        intervals = self.intervals
        unknown = [None] * len(intervals)
        return {
            "time_s": self._times_s(),
            "client_port": [self.client_port] * len(intervals),
            "cwnd_bytes": [interval["snd_cwnd"] for interval in intervals],
            "in_flight_bytes": unknown,
            "srtt_s": [interval["rtt"] / 1e6 for interval in intervals],
            "delivery_rate_bps": unknown,
            "retransmitted_packets": list(accumulate(interval["retransmits"] for interval in intervals)),
            "rwnd_limited_s": unknown,
            "sndbuf_limited_s": unknown,
        }

    def connection(self, *, is_sender: bool) -> ConnectionReport:
        """Return the flow's connection. When it was opened, before the test, iperf3 does not say."""
        end = self.document["end"]
        role = "sender" if is_sender else "receiver"
        return ConnectionReport(
            transport="tcp",
            protocol="iperf3",
            client_port=self.client_port,
            flow=0,
            started_ns=_ns(self.started_s),
            congestion_control=end[f"{role}_tcp_congestion"],
            retransmitted_packets=end["sum_sent"]["retransmits"] if is_sender else 0,
        )

    def _times_s(self) -> list[float]:
        return [self.started_s + interval["end"] for interval in self.intervals]


def _ends(client: Document, server: Document, spec: RunSpec, link: LinkReport) -> tuple[_End, _End]:
    (connected,) = client["start"]["connected"]
    is_up = only_flow(spec).direction is Direction.UP
    # The server sends the word of the beginning down.
    ahead_s = server_behind.direction(spec, server_behind.down(spec)).delay_ns / 1e9
    data_take = server_behind.up(spec) if is_up else server_behind.down(spec)
    sender_started_s = _data_started_s(link, data_take)
    server_started_s = sender_started_s - ahead_s if is_up else sender_started_s
    port: int = connected["local_port"]
    return (
        _End(document=client, started_s=server_started_s + ahead_s, client_port=port),
        _End(document=server, started_s=server_started_s, client_port=port),
    )


def _data_started_s(link: LinkReport, direction: str) -> float:
    """When the flow's first packet entered the link, to a bin of its series: the beginning of that bin."""
    bin_started_s = link.marked / 1e9
    series = {name: [value or 0.0 for value in column] for name, column in link.series.items()}
    sent = accumulate(series[f"{direction}_sent_bytes"])
    for bin_ended_s, bytes_so_far in zip(series["time_s"], sent, strict=True):
        if bytes_so_far > CONTROL_BYTES:
            break
        bin_started_s = bin_ended_s
    return bin_started_s


def _client_report(
    started_s: float,
    *,
    connections: Sequence[ConnectionReport] = (),
    sender: Table = _NO_SERIES,
    transfers: Sequence[TransferReport] = (),
    faults: Sequence[Reason] = (),
) -> ClientReport:
    return ClientReport(
        started=_ns(started_s),
        objects=[],
        connections=connections,
        transfers=transfers,
        sender=sender,
        faults=faults,
        doubts=[],
        tls_secrets=[],
    )


def _origin_report(
    *,
    connections: Sequence[ConnectionReport] = (),
    sender: Table = _NO_SERIES,
    transfers: Sequence[TransferReport] = (),
) -> OriginReport:
    return OriginReport(connections=connections, sender=sender, transfers=transfers, faults=[])


def _ns(instant_s: float) -> int:
    return round(instant_s * 1e9)
