"""How the settings of TCP reach the kernel: sysctls of a namespace and attributes of its routes."""

from bentpipe.model.hosts import TcpSpec

_FAST_OPEN_AT_BOTH_ENDS = 1 | 2
"""Bits of `net.ipv4.tcp_fastopen`: clients, servers (`ip-sysctl.rst`)."""

_ECN_ASKED_FOR = 1
"""Connections ask for classic ECN and agree to it (RFC 3168; `ip-sysctl.rst`)."""

_RECEIVE_BUFFER_BYTES = (4096, 131_072)
_SEND_BUFFER_BYTES = (4096, 16_384)
"""Minimum and initial size, the kernel's own."""


def sysctls(tcp: TcpSpec) -> dict[str, str]:
    """Return the settings below /proc/sys/net, by path, for a `tcp` table of a run's specification."""
    settings = {
        "ipv4/tcp_rmem": _sizes(_RECEIVE_BUFFER_BYTES, tcp.receive_buffer_bytes),
        "ipv4/tcp_wmem": _sizes(_SEND_BUFFER_BYTES, tcp.send_buffer_bytes),
        "ipv4/tcp_slow_start_after_idle": str(int(tcp.slow_start_after_idle)),
    }
    if tcp.timestamps == "off":
        settings["ipv4/tcp_timestamps"] = "0"
    # The kernel's own 2 agrees when it is asked, and nobody asks.
    if tcp.ecn == "on":
        settings["ipv4/tcp_ecn"] = str(_ECN_ASKED_FOR)
    if tcp.fast_open == "on":
        settings["ipv4/tcp_fastopen"] = str(_FAST_OPEN_AT_BOTH_ENDS)
    return settings


def route_attributes(tcp: TcpSpec, *, congestion_control: str | None = None) -> str:
    """Return what `ip route` is told of a route, for a `tcp` table of a run's specification.

    A route's congestion control, by the kernel's name, goes before what sockets ask for.
    """
    attributes = [f"initcwnd {tcp.initial_window}"]
    if tcp.initial_receive_window is not None:
        attributes.append(f"initrwnd {tcp.initial_receive_window}")
    if tcp.quick_ack == "on":
        attributes.append("quickack 1")
    if congestion_control is not None:
        attributes.append(f"congctl {congestion_control}")
    return " ".join(attributes)


def _sizes(kernels: tuple[int, int], limit_bytes: int) -> str:
    """Minimum, initial and largest size: the kernel's own first two as far as the run's limit allows."""
    return " ".join(str(size) for size in (*(min(size, limit_bytes) for size in kernels), limit_bytes))
