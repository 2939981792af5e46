"""QUIC at both ends of a connection, from what is written to the run specification."""

from bentpipe.model.draft.hosts import AckFrequencySpec, QuicSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts.http import max_concurrent_streams
from bentpipe.scenario.link.resolved import LEAST_QUIC_BYTES
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import count, duration_ns, size_bytes, size_bytes_or
from bentpipe.scenario.written.schema import AckFrequencyTable, QuicTable
from bentpipe.scenario.written.table import or_default

LEAST_QUIC_WINDOW = 2
"""Packets in the smallest window (RFC 9002 section 7.2)."""
LEAST_INITIAL_RTT_NS = 1_000_000
"""The granularity of QUIC's timers (RFC 9002 section 6.1.2). Starved flows that assume much less never come
out of their probe timeouts."""
MOST_ACK_PACKETS = 10_000
"""More than a window of any link here has."""
LEAST_ACK_DELAY_NS = 1_000_000
"""The min_ack_delay of the library, below which a request breaks the protocol
(draft-ietf-quic-ack-frequency section 4)."""


def quic_spec(
    table: QuicTable, where: Location, *, most_payload_bytes: int, initial_window: int, limit_bytes: int
) -> QuicSpec:
    """Return the settings of QUIC; windows that are not written are `limit_bytes`.

    Parameters
    ----------
    table : QuicTable
        As written.
    where : Location
        Its place.
    most_payload_bytes : int
        The longest UDP payload that the path takes.
    initial_window : int
        That of TCP, in segments.
    limit_bytes : int
        What a window has that shall not limit.
    """

    def window(text: str | None, key: str) -> int:
        return size_bytes_or(text, limit_bytes, where.at(key))

    payload_bytes = most_payload_bytes
    if table.udp_payload is not None:
        place = where.at("udp_payload")
        payload_bytes = size_bytes(table.udp_payload, place, least=LEAST_QUIC_BYTES, most=most_payload_bytes)
    spec: QuicSpec = {
        # As many full packets as TCP sends, so that the first flights of both weigh the same on the wire.
        "initial_window_bytes": size_bytes_or(
            table.initial_window,
            max(initial_window, LEAST_QUIC_WINDOW) * most_payload_bytes,
            where.at("initial_window"),
            least=LEAST_QUIC_WINDOW * payload_bytes,
        ),
        "initial_rtt_ns": duration_ns(
            or_default(table.initial_rtt, defaults.INITIAL_RTT),
            where.at("initial_rtt"),
            least_ns=LEAST_INITIAL_RTT_NS,
        ),
        "stream_receive_window_bytes": window(table.stream_receive_window, "stream_receive_window"),
        "receive_window_bytes": window(table.receive_window, "receive_window"),
        "send_window_bytes": window(table.send_window, "send_window"),
        "udp_payload_bytes": payload_bytes,
        "max_concurrent_streams": max_concurrent_streams(table.max_concurrent_streams, where),
    }
    # What is not in use is not in a specification.
    if not or_default(table.cwnd_validation, defaults.CWND_VALIDATION):
        spec["cwnd_validation"] = "off"
    if table.ack_frequency is not None:
        spec["ack_frequency"] = _ack_frequency(table.ack_frequency, where.at("ack_frequency"))
    if not or_default(table.ecn, defaults.QUIC_ECN):
        spec["ecn"] = "off"
    return spec


def _ack_frequency(table: AckFrequencyTable, where: Location) -> AckFrequencySpec:
    threshold = or_default(table.ack_eliciting_threshold, defaults.ACK_ELICITING_THRESHOLD)
    reordering = or_default(table.reordering_threshold, defaults.REORDERING_THRESHOLD)
    return {
        "ack_eliciting_threshold": count(
            threshold, where.at("ack_eliciting_threshold"), least=0, most=MOST_ACK_PACKETS
        ),
        "requested_max_ack_delay_ns": duration_ns(
            or_default(table.requested_max_ack_delay, defaults.REQUESTED_MAX_ACK_DELAY),
            where.at("requested_max_ack_delay"),
            least_ns=LEAST_ACK_DELAY_NS,
        ),
        "reordering_threshold": count(
            reordering, where.at("reordering_threshold"), least=0, most=MOST_ACK_PACKETS
        ),
    }
