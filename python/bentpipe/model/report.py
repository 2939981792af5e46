"""What client, origin and link saw of a run, before it is a record.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from bentpipe.model.frozen import Frozen

from .metrics import DropCounts
from .reason import Reason
from .record import ConnectionReport, Table


class ObjectSighting(Frozen):
    """One object as the loader saw it."""

    url: str
    """Absolute URL."""
    bytes: int
    """Bytes of the body received."""
    connection: int
    """Index into the client's connections."""
    discovered: int
    """When the document that names it had been parsed."""
    requested: int
    """When the request was handed to the connection."""
    first_byte: int
    """When the response's header had arrived."""
    last_byte: int
    """When the last byte of the body had arrived."""
    status: int
    """HTTP status code."""
    response_header_bytes: int
    """Bytes of the response's header fields, uncompressed."""
    request_header_bytes: int
    """Bytes of the request's header fields, uncompressed."""


class TransferReport(Frozen):
    """One bulk transfer as its receiver saw it."""

    flow: int
    """Index of the flow."""
    bytes: int
    """Payload received."""
    first_byte: int
    """When the first payload byte arrived."""
    last_byte: int
    """When the last payload byte arrived."""
    progress: Table
    """Payload per 100 ms at the receiver: `time_s` (end of the bin, on the run's clock), `received_bytes`."""


class PingReport(Frozen):
    """Echoes of a ping workload."""

    rtts: Sequence[int | None]
    """One entry per request in order: its round trip, or none when no echo came."""


class FrameSighting(Frozen):
    """One picture of the window."""

    at_ns: int
    """When it was taken."""
    file: str
    """Its file among the run's artifacts."""
    completeness: float
    """
    How much of what the last picture shows it shows already, from 0 to 1: colour histograms compared as Speed Index
    does.
    """


class QueueClassReport(Frozen):
    """One class of a queue that marks packets."""

    name: str
    """Its name."""
    packets: int
    """Packets that left the queue for the transmitter."""
    marked_packets: int
    """Packets of them that the queue marked (RFC 3168: CE); those that came with a mark are not among them."""
    dropped_packets: int
    """Packets that were dropped in place of a mark."""
    wait_p50_ns: int | None = None
    """Median of the wait, to the next 10 us; none where no packet left."""
    wait_p99_ns: int | None = None
    """99th percentile of the wait."""
    wait_max_ns: int | None = None
    """Longest wait."""


class TimerReport(Frozen):
    """How late timers were that wait for nothing but the machine, one on each core that the link may run on."""

    p999: int
    """99.9th percentile of all wake-ups."""
    max: int
    """Largest."""
    beside_latest: int
    """How much of the lateness of the link's latest packet a timer was late too, or the link overslept."""


class PacketSighting(Frozen):
    """One delivered packet."""

    at: int
    """When it left the link."""
    bytes: int
    """IP length."""


class BrowserReport(Frozen):
    """What a browser saw of a load besides its objects and connections."""

    version: str
    """Name and version as the browser gives them, such as `Chromium 156.0.8078.79`."""
    parsed_ns: int | None = None
    """When the document had been parsed (DOMContentLoaded)."""
    loaded_ns: int | None = None
    """When the page said that it was loaded (load event)."""
    first_contentful_paint_ns: int | None = None
    """First contentful paint (W3C Paint Timing)."""
    largest_contentful_paint_ns: int | None = None
    """Largest contentful paint (W3C Largest Contentful Paint)."""
    frames: Sequence[FrameSighting]
    """Pictures of the page as it appeared, in order."""


class DirectionReport(Frozen):
    """Counters of one direction."""

    offered_packets: int
    """Packets and bytes offered to the link."""
    offered_bytes: int
    """Bytes offered to the link."""
    delivered_packets: int
    """Packets delivered."""
    delivered_bytes: int
    """Bytes delivered."""
    drops: DropCounts
    """Packets lost, by cause."""
    queue_mean_bytes: float
    """Time-weighted mean of the waiting bytes."""
    queue_max_bytes: int
    """Most bytes that waited at one time."""
    queue_classes: Sequence[QueueClassReport] | None = None
    """The classes of a queue that marks packets: `l4s` and `classic`, or `all`; none where it only drops."""


class LatenessReport(Frozen):
    """Release lateness (actual minus due) of the emulator's link process."""

    p50: int
    """Median."""
    p99: int
    """99th percentile."""
    p999: int
    """99.9th percentile."""
    max: int
    """Largest."""
    count: int
    """Packets released, and those read right after a stall."""
    refused: int
    """Packets that the receiving host's device refused, and what the sending host's handed over that is none."""
    timer: TimerReport | None = None
    """What bare timers on the same cores were late by meanwhile."""


class ClientReport(Frozen):
    """The client's view."""

    started: int
    """When the workload began: the first `connect` of a page load or flow, the first ping."""
    objects: Sequence[ObjectSighting]
    """Every object of a page load in order of completion, the HTML document first."""
    connections: Sequence[ConnectionReport]
    """Every connection the client opened, in order."""
    transfers: Sequence[TransferReport]
    """The transfers of a bulk workload that the client received."""
    ping: PingReport | None = None
    """The echoes of a ping workload."""
    browser: BrowserReport | None = None
    """What a browser saw besides."""
    sender: Table
    """Per-connection state at 100 ms where the client is the sender; columns as in [`OriginReport`]."""
    faults: Sequence[Reason]
    """Why there is no number: errors of the protocol, of a socket, time run out."""
    doubts: Sequence[Reason]
    """Why the number is untrustworthy: objects that were missing, short or corrupt."""
    tls_secrets: Sequence[str]
    """TLS secrets in NSS key-log format, when captured."""


class OriginReport(Frozen):
    """The origin's view."""

    connections: Sequence[ConnectionReport]
    """Every connection accepted, in order."""
    sender: Table
    """
    Per-connection state at 100 ms: `time_s` (on the run's clock), `client_port`, `cwnd_bytes`, `srtt_s`,
    `in_flight_bytes`, `delivery_rate_bps`, `retransmitted_packets`, `rwnd_limited_s`, `sndbuf_limited_s`. NaN of what does
    not exist: before the first RTT sample, and of QUIC the last two.
    """
    transfers: Sequence[TransferReport]
    """The transfers of a bulk workload that the origin received."""
    faults: Sequence[Reason]
    """Errors that the origin met."""


class LinkReport(Frozen):
    """The link's view, from its mark (start of the measurement) on."""

    marked: int
    """When counting began."""
    forward: DirectionReport
    """Gateway to terminal."""
    return_: Annotated[DirectionReport, Field(alias="return")]
    """Terminal to gateway."""
    series: Table
    """
    Counters at 100 ms: `time_s` (on the run's clock) and, for each direction, `forward_sent_bytes`,
    `forward_delivered_bytes`, `forward_queue_bytes`, `forward_drops`, ...
    """
    probes: Mapping[str, Table] = {}
    """What the satellite's parts did, by name: `acm`, `dama`, `classes`, `delays`, `path`; each has `time_s` as `series` has."""
    lateness: LatenessReport | None = None
    """How late packets were released (emulate only)."""
    first_packets: Sequence[PacketSighting]
    """The first packets to the client, for the first-flight size."""


class RunReports(Frozen):
    """The reports of a finished run."""

    client: ClientReport
    """The client's."""
    origin: OriginReport
    """The origin's."""
    link: LinkReport
    """The link's."""
