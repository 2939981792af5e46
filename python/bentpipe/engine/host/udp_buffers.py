"""What a UDP socket may hold until its program reads it: what is too much is lost, like on no link."""

import socket

WANTED_BYTES = 4 << 20
"""What our QUIC endpoints ask for (crates/emu/src/net.rs)."""

_SO_RCVBUFFORCE = 33
"""For who administers the machine, not a namespace alone (socket(7), asm-generic/socket.h)."""


def allowed_bytes() -> int:
    """Return how much of `WANTED_BYTES` this process gets: all by root, or up to `net.core.rmem_max`."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, WANTED_BYTES)
        except PermissionError:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, WANTED_BYTES)
        # The kernel doubles what is asked for, for its own records (socket(7), SO_RCVBUF).
        return probe.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2
