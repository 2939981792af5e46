"""What the kernel knows of a browser's TCP connections, which the browser itself is never told."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bentpipe.engine.programs.server.sockets import Sample, Sockets
from bentpipe.engine.testbed import netns

_UNKNOWN: Mapping[str, Any] = {
    "congestion_control": "",
    "retransmitted_packets": None,
    "srtt_ns": None,
    "min_rtt_ns": None,
    "initial_cwnd_bytes": None,
}


def samples(namespace: str) -> dict[int, Sample]:
    """Look at the connections of a client's namespace now; by their ports there."""
    with Sockets(namespace) as sockets:
        return {sample.local_port: sample for sample in sockets.samples()}


def unroutable_packets(namespace: str) -> int:
    """Return how many packets, and connections, a namespace was asked for that lead nowhere.

    They have not left: `OutNoRoutes` of /proc/net/snmp (RFC 4293, ipSystemStatsOutNoRoutes).
    """
    with netns.inside(namespace):
        lines = Path("/proc/thread-self/net/snmp").read_text().splitlines()
    names, values = (line.split() for line in lines if line.startswith("Ip:"))
    return int(dict(zip(names, values, strict=True))["OutNoRoutes"])


def fields(sample: Sample | None) -> Mapping[str, Any]:
    """Return what a `ConnectionReport` (crates/run/src/report.rs) says of it; nothing is known of QUIC's."""
    if sample is None:
        return _UNKNOWN
    return {
        **_UNKNOWN,
        "congestion_control": sample.congestion_control,
        "retransmitted_packets": sample.retransmitted_packets,
        "srtt_ns": _ns(sample.srtt_s),
        "min_rtt_ns": _ns(sample.min_rtt_s),
    }


def _ns(duration_s: float | None) -> int | None:
    return None if duration_s is None else round(duration_s * 1e9)
