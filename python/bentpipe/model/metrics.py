"""The figures of a run.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from bentpipe.model.frozen import Frozen


class DropCounts(Frozen):
    """Lost packets of one direction by cause."""

    queue: int
    """The queue was full."""
    channel: int
    """The channel lost it."""
    oversize: int
    """Larger than the link's MTU."""


class Drops(Frozen):
    """Lost packets of both directions."""

    forward: DropCounts
    """Server to client."""
    return_: Annotated[DropCounts, Field(alias="return")]
    """Client to server."""


class Metrics(Frozen):
    """The figures of a run. Those that a workload does not have are null."""

    plt_s: float | None = None
    """Page load time: start of the workload to the last byte of the last object."""
    fcp_s: float | None = None
    """First contentful paint by the study's definition: the first embedded object is complete."""
    lcp_s: float | None = None
    """Largest contentful paint by the study's definition: the largest embedded object is complete."""
    ttfb_s: float | None = None
    """Time to the first byte of the HTML document."""
    connect_s: float | None = None
    """TCP handshake, or QUIC's combined handshake, of the first connection."""
    tls_s: float | None = None
    """
    TLS handshake of the first connection; null without TLS and for QUIC. With early data the request is on its way
    meanwhile.
    """
    completion_s: float | None = None
    """Start to last byte of a bulk flow, or of the last of several."""
    goodput_bps: float | None = None
    """Payload over `completion_s`; flows limited by time: over their steady part, from first to last byte."""
    jain_index: float | None = None
    """
    Jain's fairness index of several flows over the time in which all of them ran: 1 when they got the same, 1/n
    when one got everything (Jain, Chiu, Hawe 1984).
    """
    payload_bytes: int | None = None
    """Bytes of bodies: HTML and objects, or the flows' payload."""
    wire_bytes_down: int
    """IP bytes that the server sent into the link."""
    wire_bytes_up: int
    """IP bytes that the client sent into the link."""
    wire_packets_down: int
    """IP packets that the server sent into the link."""
    wire_packets_up: int
    """IP packets that the client sent into the link."""
    overhead_percent: float | None = None
    """Wire bytes of both directions above the payload, in percent of the payload."""
    overhead_forward_percent: float | None = None
    """
    Wire bytes to the client above the payload, in percent of the payload; null for flows up. They take the forward
    direction, unless the server is behind the terminal.
    """
    retransmitted_packets: int | None = None
    """Packets retransmitted by the origin and the client, as far as they tell; null where neither does."""
    connections_used: int | None = None
    """Connections that carried the objects of a page load."""
    streams_max: int | None = None
    """The most objects that one of them had under way at a time: asked for, and not complete."""
    drops: Drops
    """Packets lost on the link."""
    first_flight_bytes: int | None = None
    """IP bytes delivered in the first round trip of object (or bulk) data; null for a flow up and for several."""
    queue_mean_bytes_down: float
    """Mean of the queue in the direction to the client, in bytes."""
    queue_max_bytes_down: int
    """Maximum of the queue in the direction to the client, in bytes."""
    utilisation: float | None = None
    """
    Bytes delivered in the data's direction over what its nominal rate, or the rates of its schedule, would have
    carried during the workload.
    """
    ack_utilisation: float | None = None
    """Likewise of the other direction, that of the acknowledgements, where bulk flows ask for a frequency of them."""
    rtt_mean_s: float | None = None
    """Mean round trip: of the echoes, or of the sender's smoothed RTT over time."""
    rtt_sd_s: float | None = None
    """Standard deviation of the same."""
    rtt_min_s: float | None = None
    """Smallest round trip."""
    rtt_max_s: float | None = None
    """Largest round trip."""
    ping_loss_fraction: float | None = None
    """Echoes that never came, over requests."""
    lateness_p50_s: float | None = None
    """Median release lateness; null in simulate."""
    lateness_p99_s: float | None = None
    """99th percentile of release lateness; null in simulate."""
    lateness_p999_s: float | None = None
    """99.9th percentile of release lateness; null in simulate."""
    lateness_max_s: float | None = None
    """Largest release lateness; null in simulate."""
