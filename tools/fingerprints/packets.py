"""The packets of a capture, without what TLS and QUIC keep secret."""

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path

ENHANCED_PACKET = 6
"""Block type (draft-ietf-opsawg-pcapng section 4.3)."""
PROTOCOL = 9
"""Place in the header of IPv4 (RFC 791 section 3.1)."""
TCP, UDP = 6, 17
"""Protocol numbers of IPv4."""
DATA_OFFSET = 12
"""Place in a TCP header; its upper half counts words of four bytes."""
PORTS_AND_LENGTH = 6
"""Bytes of a UDP header before its checksum (RFC 768)."""
CHECKSUM = slice(16, 18)
"""Of a TCP header (RFC 9293 section 3.1); it covers the payload."""


def digest(capture: Path) -> str:
    """Hash time, place, IP header, TCP or UDP header and length of every packet, in order.

    Payloads and the checksums over them are left out: encryption starts with random numbers of the system.
    """
    hashed = hashlib.sha256()
    count = 0
    for packet in _packets(capture.read_bytes()):
        hashed.update(packet)
        count += 1
    assert count > 0
    return hashed.hexdigest()


def _packets(capture: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(capture):
        kind, length = struct.unpack_from("<II", capture, at)
        if kind == ENHANCED_PACKET:
            interface, high, low, captured, original = struct.unpack_from("<IIIII", capture, at + 8)
            assert captured == original
            packet = capture[at + 28 : at + 28 + captured]
            yield struct.pack("<IIII", interface, high, low, original) + _headers(packet)
        at += length


def _headers(packet: bytes) -> bytes:
    ip_length = (packet[0] & 0x0F) * 4
    ip, transport = packet[:ip_length], bytearray(packet[ip_length:])
    if ip[PROTOCOL] == TCP:
        transport[CHECKSUM] = bytes(2)
        return ip + transport[: (transport[DATA_OFFSET] >> 4) * 4]
    assert ip[PROTOCOL] == UDP
    return ip + transport[:PORTS_AND_LENGTH]
