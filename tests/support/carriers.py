"""A DVB-S2 carrier with one MODCOD, and what it does by the standard's numbers: the same in both engines."""

from typing import Any

SYMBOLS_PER_S = 2.264e6
EFFICIENCY = 4.453027
"""Of 32APSK 9/10 on normal frames without pilots, in bit per symbol: EN 302 307-1 Table 13."""
DATA_FIELD_BYTES = (58_192 - 80) // 8
"""K_bch of 32APSK 9/10 (Table 5a) less the BBHEADER (clause 5.1.6)."""
FRAME_S = (90 + 90 * 144) / SYMBOLS_PER_S
"""PLHEADER and 144 slots of 90 symbols (Table 11)."""
DUMMY_S = (90 + 90 * 36) / SYMBOLS_PER_S
"""A dummy PLFRAME (clause 5.5.1)."""
PACKET_BYTES = 1500
LABEL_BYTES = 6
FRAGMENT_BYTES = 3 + 3 + 4
"""A cut at a frame's end (TS 102 606-1): a header of 7 bytes in place of 4, one of 3 for the rest, CRC-32."""
RETURN_BPS = 10e6
STEADY_AFTER_S = 4.0
RTT_S = 0.1

LINK = {
    "name": "carrier",
    "rtt": "100 ms",
    "forward": {"queue": "8 BDP", "dvbs2": {"symbol_rate": "2.264 Msym/s", "modcod": "32APSK 9/10"}},
    "return": {"rate": "10 Mbit/s", "queue": "1000 packets"},
}
FLOW = {
    "link": LINK,
    "cc": "cubic",
    # Three times the path's BDP and less than its queue: never empty, and nothing is lost, for which
    # what comes later would wait.
    "tcp": {"receive_buffer": "750 kB"},
    "bulk": {"transport": "tcp", "direction": "down", "duration": "20 s"},
}
PINGS = {"link": LINK, "ping": {"count": 40, "interval": "231 ms", "size": "56 B"}}
PING_BYTES = 56 + 8 + 20
"""With UDP and IPv4."""


def net_rate_bps() -> float:
    """Packets that follow each other: of each frame's data field one packet is cut, and each has a header."""
    packets = (DATA_FIELD_BYTES - FRAGMENT_BYTES) / (4 + LABEL_BYTES + PACKET_BYTES)
    return SYMBOLS_PER_S * EFFICIENCY * packets * PACKET_BYTES / DATA_FIELD_BYTES


def rate_bps(record: dict[str, Any]) -> float:
    """Return the rate of packets of 1500 bytes that the flow has received once the queue is never empty.

    1448 bytes of payload each: headers of IPv4, TCP and its timestamps are 52.
    """
    progress = record.series["progress"]
    points = [
        point
        for point in zip(progress["time_s"], progress["received_bytes"], strict=True)
        if point[0] > STEADY_AFTER_S
    ]
    # A point has what came since the one before it; the last ones are after the flow's end.
    whole = points[:-3]
    return 8 * sum(received for _, received in whole[1:]) / (whole[-1][0] - whole[0][0]) * 1500 / 1448


def idle_rtt_s() -> float:
    """Return what a ping takes on an idle link at least: the RTT, its time up, and a frame down."""
    return RTT_S + 8 * PING_BYTES / RETURN_BPS + FRAME_S
