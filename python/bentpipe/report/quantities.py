"""The metrics that a report shows for each kind of workload, with their units for people."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A metric of the record; `scale` of the shown unit make one of the record's."""

    metric: str
    label: str
    unit: str
    decimals: int
    scale: float = 1.0

    @property
    def heading(self) -> str:
        """Label and unit."""
        return f"{self.label} in {self.unit}" if self.unit else self.label


_PAGE_LOAD = (
    Quantity(metric="plt_s", label="Page load time", unit="s", decimals=3),
    Quantity(metric="fcp_s", label="FCP (first object complete)", unit="s", decimals=3),
    Quantity(metric="lcp_s", label="LCP (largest object complete)", unit="s", decimals=3),
    Quantity(metric="paint_fcp_s", label="FCP (painted)", unit="s", decimals=3),
    Quantity(metric="paint_lcp_s", label="LCP (painted)", unit="s", decimals=3),
    Quantity(metric="speed_index_s", label="Speed Index", unit="s", decimals=3),
    Quantity(metric="loaded_s", label="Load event", unit="s", decimals=3),
    Quantity(metric="ttfb_s", label="Time to first byte", unit="s", decimals=3),
    Quantity(metric="connect_s", label="Connect", unit="s", decimals=3),
    Quantity(metric="tls_s", label="TLS handshake", unit="s", decimals=3),
    Quantity(metric="overhead_percent", label="Overhead, both directions", unit="%", decimals=2),
    Quantity(metric="overhead_forward_percent", label="Overhead, forward", unit="%", decimals=2),
    Quantity(metric="utilisation", label="Utilisation", unit="%", decimals=1, scale=100),
    Quantity(metric="retransmitted_packets", label="Retransmitted packets", unit="", decimals=1),
    Quantity(metric="connections_used", label="Connections", unit="", decimals=1),
    Quantity(metric="streams_max", label="Objects under way on one", unit="", decimals=1),
    Quantity(metric="first_flight_bytes", label="First flight", unit="kB", decimals=1, scale=1e-3),
)
_BULK = (
    Quantity(metric="goodput_bps", label="Goodput", unit="Mbit/s", decimals=3, scale=1e-6),
    Quantity(metric="completion_s", label="Completion time", unit="s", decimals=3),
    Quantity(metric="utilisation", label="Utilisation", unit="%", decimals=1, scale=100),
    Quantity(
        metric="ack_utilisation", label="Utilisation, acknowledgements", unit="%", decimals=1, scale=100
    ),
    Quantity(metric="wire_packets_up", label="Packets up", unit="", decimals=0),
    Quantity(metric="wire_bytes_up", label="Bytes up", unit="kB", decimals=1, scale=1e-3),
    Quantity(metric="retransmitted_packets", label="Retransmitted packets", unit="", decimals=1),
    Quantity(metric="rtt_mean_s", label="Mean round trip", unit="ms", decimals=2, scale=1e3),
)
_FLOWS = (Quantity(metric="jain_index", label="Jain's fairness index", unit="", decimals=3), *_BULK)
_PING = (
    Quantity(metric="rtt_mean_s", label="Mean round trip", unit="ms", decimals=3, scale=1e3),
    Quantity(metric="rtt_sd_s", label="Round trip, standard deviation", unit="ms", decimals=3, scale=1e3),
    Quantity(metric="rtt_max_s", label="Longest round trip", unit="ms", decimals=3, scale=1e3),
    Quantity(metric="ping_loss_fraction", label="Lost pings", unit="%", decimals=2, scale=100),
)
_BY_WORKLOAD = {"page-load": _PAGE_LOAD, "bulk": _BULK, "flows": _FLOWS, "iperf3": _BULK, "ping": _PING}


def quantities(workload_kind: str) -> tuple[Quantity, ...]:
    """What is shown of a workload; the first is its headline."""
    return _BY_WORKLOAD.get(workload_kind, ())
