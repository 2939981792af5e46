"""What the kernel knows of a browser's TCP connections, which the browser itself is never told."""

from pathlib import Path

from bentpipe.engine.programs.server.sockets import Sample, Sockets
from bentpipe.engine.testbed import netns


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
