"""What the kernel tells of the TCP connections of a namespace, without asking the program that has them.

That is what `ss -ti` prints, by the same interface (sock_diag(7)): less than a millisecond a look, and no
process that the server would have to wait for.
"""

import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from bentpipe.engine.testbed import netns

_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_NLM_F_REQUEST, _NLM_F_DUMP = 0x1, 0x300
_NLMSG_ERROR, _NLMSG_DONE = 2, 3
_INET_DIAG_INFO, _INET_DIAG_CONG = 2, 4
_ESTABLISHED, _FIN_WAIT1, _FIN_WAIT2, _CLOSE_WAIT, _LAST_ACK, _CLOSING = 1, 4, 5, 8, 9, 11
"""States in which a connection is one: include/net/tcp_states.h."""
_STATES = sum(1 << s for s in (_ESTABLISHED, _FIN_WAIT1, _FIN_WAIT2, _CLOSE_WAIT, _LAST_ACK, _CLOSING))

_MESSAGE = struct.Struct("=IHHII")
"""struct nlmsghdr: length, type, flags, sequence, port (linux/netlink.h)."""
_REQUEST = struct.Struct("=BBBxI48x")
"""struct inet_diag_req_v2: family, protocol, extensions, states, any socket (linux/inet_diag.h)."""
_SOCKET = struct.Struct(">4xHH32x4x8s20x")
"""struct inet_diag_msg: ports here and there, cookie."""
_ATTRIBUTE = struct.Struct("=HH")
_INFO = struct.Struct("=8x24I4Q6I4Q")
"""struct tcp_info as far as it is read here (linux/tcp.h); newer kernels tell more behind it."""
_RECEIVE_BYTES = 1 << 18
_UNKNOWN_RTT_US = 2**32 - 1


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A connection as its sender has it now.

    Attributes
    ----------
    cookie : bytes
        Tells it from every other of the namespace, of any time.
    local_port, client_port : int
        Its ports, at this end and at the other.
    congestion_control : str
        The kernel's name for it.
    cwnd_bytes, in_flight_bytes, acknowledged_bytes : int
        Congestion window, what is out, and what of the data has arrived.
    srtt_s, min_rtt_s : float or None
        Smoothed and smallest round trip; None before the first.
    delivery_rate_bps : int
        The kernel's latest estimate.
    retransmitted_packets : int
        Segments retransmitted so far.
    rwnd_limited_s, sndbuf_limited_s : float
        How long the peer's window, or the send buffer, was all that held the sender back.
    """

    cookie: bytes
    local_port: int
    client_port: int
    congestion_control: str
    cwnd_bytes: int
    in_flight_bytes: int
    acknowledged_bytes: int
    srtt_s: float | None
    min_rtt_s: float | None
    delivery_rate_bps: int
    retransmitted_packets: int
    rwnd_limited_s: float
    sndbuf_limited_s: float


class Sockets:
    """A window on the TCP connections of a namespace."""

    def __init__(self, namespace: str) -> None:
        with netns.inside(namespace):
            # A socket stays in the namespace where it was made.
            self._netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._netlink.close()

    def samples(self) -> Iterator[Sample]:
        """Look at all connections (IPv4) now.

        Raises
        ------
        OSError
            When the kernel does not tell.
        """
        extensions = 1 << (_INET_DIAG_INFO - 1) | 1 << (_INET_DIAG_CONG - 1)
        request = _REQUEST.pack(socket.AF_INET, socket.IPPROTO_TCP, extensions, _STATES)
        length, flags = _MESSAGE.size + len(request), _NLM_F_REQUEST | _NLM_F_DUMP
        self._netlink.send(_MESSAGE.pack(length, _SOCK_DIAG_BY_FAMILY, flags, 0, 0) + request)
        for kind, payload in self._answers():
            if kind == _NLMSG_ERROR:
                number = -struct.unpack_from("=i", payload)[0]
                raise OSError(number, os.strerror(number))
            sample = _sample(payload)
            if sample is not None:
                yield sample

    def _answers(self) -> Iterator[tuple[int, bytes]]:
        while True:
            buffer = self._netlink.recv(_RECEIVE_BYTES)
            place = 0
            while place < len(buffer):
                length, kind, *_ = _MESSAGE.unpack_from(buffer, place)
                if kind == _NLMSG_DONE:
                    return
                yield kind, buffer[place + _MESSAGE.size : place + length]
                place += _aligned(length)


def _sample(payload: bytes) -> Sample | None:
    """Read a message; None of one without what the connection's sender knows."""
    local_port, client_port, cookie = _SOCKET.unpack_from(payload)
    attributes = dict(_attributes(payload[_SOCKET.size :]))
    info = attributes.get(_INET_DIAG_INFO, b"")
    if len(info) < _INFO.size:
        return None
    (
        _rto, _ato, mss, _rcv_mss, unacked, sacked, lost, retrans, _fackets,
        _data_sent, _ack_sent, _data_received, _ack_received, _pmtu, _rcv_ssthresh,
        rtt_us, _rttvar, _ssthresh, cwnd, _advmss, _reordering, _rcv_rtt, _rcv_space, total_retrans,
        _pacing, _max_pacing, acknowledged, _received,
        _segs_out, _segs_in, _not_sent, min_rtt_us, _data_in, _data_out, rate_bytes,
        _busy_us, rwnd_limited_us, sndbuf_limited_us,
    ) = _INFO.unpack_from(info)  # fmt: skip
    # tcp_packets_in_flight(): what is out, less what has left the network, plus what was retransmitted.
    in_flight = max(unacked + retrans - sacked - lost, 0)
    return Sample(
        cookie=cookie,
        local_port=local_port,
        client_port=client_port,
        congestion_control=attributes.get(_INET_DIAG_CONG, b"").rstrip(b"\0").decode(),
        cwnd_bytes=cwnd * mss,
        in_flight_bytes=in_flight * mss,
        acknowledged_bytes=acknowledged,
        srtt_s=_seconds(rtt_us),
        min_rtt_s=_seconds(min_rtt_us),
        delivery_rate_bps=8 * rate_bytes,
        retransmitted_packets=total_retrans,
        rwnd_limited_s=rwnd_limited_us / 1e6,
        sndbuf_limited_s=sndbuf_limited_us / 1e6,
    )


def _attributes(buffer: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place + _ATTRIBUTE.size <= len(buffer):
        length, kind = _ATTRIBUTE.unpack_from(buffer, place)
        yield kind, buffer[place + _ATTRIBUTE.size : place + length]
        place += _aligned(length)


def _seconds(us: int) -> float | None:
    return None if us in (0, _UNKNOWN_RTT_US) else us / 1e6


def _aligned(length: int) -> int:
    """NLMSG_ALIGN and NLA_ALIGN: to four bytes."""
    return (length + 3) & ~3
