"""What a UDP socket may hold until its program reads it: what is too much is lost, like on no link."""

import socket
from pathlib import Path

from bentpipe import _core

WANTED_BYTES = _core.UDP_BUFFER_BYTES
"""What our QUIC endpoints ask for in each direction."""

LIMITS = ("net.core.rmem_max", "net.core.wmem_max")
"""Sysctls of the machine (socket(7)): what may be asked for without administering it."""

_DIRECTIONS = (
    # SO_RCVBUFFORCE, SO_SNDBUFFORCE (asm-generic/socket.h): for who administers the machine, not a namespace.
    (33, socket.SO_RCVBUF),
    (32, socket.SO_SNDBUF),
)


def allowed_bytes() -> int:
    """Return how much of `WANTED_BYTES` this process gets each way: all by root, or up to `LIMITS`."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        return min(_allowed_bytes(probe, forced, option) for forced, option in _DIRECTIONS)


def limits() -> str:
    """Say what the machine allows those who may not exceed it, such as `net.core.rmem_max 212992`."""
    return " and ".join(f"{name} {_value(name)}" for name in LIMITS)


def _allowed_bytes(probe: socket.socket, forced: int, option: int) -> int:
    try:
        probe.setsockopt(socket.SOL_SOCKET, forced, WANTED_BYTES)
    except PermissionError:
        probe.setsockopt(socket.SOL_SOCKET, option, WANTED_BYTES)
    # The kernel doubles what is asked for, for its own records (socket(7), SO_RCVBUF).
    return probe.getsockopt(socket.SOL_SOCKET, option) // 2


def _value(name: str) -> str:
    # Linux has them in the first network namespace alone, and later for all to read.
    try:
        return Path("/proc/sys", *name.split(".")).read_text().strip()
    except OSError:
        return "out of sight"
