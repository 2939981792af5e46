"""What a run measured.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen

from .cc import Algorithm
from .flow import Direction, Transport
from .metrics import Metrics
from .reason import Reason
from .spec import RunSpec


class Status(StrEnum):
    """How a run ended (invariant 7)."""

    SUCCEEDED = "succeeded"
    """The numbers may be used."""
    FAILED = "failed"
    """There is no number: our fault or the machine's."""
    INVALID = "invalid"
    """Measured under conditions that make the numbers untrustworthy."""


class Engine(StrEnum):
    """Which engine made a record."""

    EMULATE = "emulate"
    """Real time, real kernel."""
    SIMULATE = "simulate"
    """Virtual time."""


Provenance = TypeAliasType("Provenance", Mapping[str, str])
"""Where a record comes from (invariant 8). The host's part is filled in by the orchestrator."""


class ObjectTiming(Frozen):
    """One object's timeline in seconds from the start of the workload."""

    url: str
    """Absolute URL."""
    bytes: int
    """Bytes of the body."""
    connection: int
    """Index into the client's connections."""
    discovered_s: float
    """When it became known."""
    request_s: float
    """When it was requested."""
    first_byte_s: float
    """When its response began."""
    last_byte_s: float
    """When it was complete."""
    status: int
    """HTTP status code."""
    response_header_bytes: int
    """Uncompressed header fields of the response."""
    request_header_bytes: int
    """Uncompressed header fields of the request."""


class Frame(Frozen):
    """One picture of the window."""

    time_s: float
    """When it was taken."""
    file: str
    """Its file among the run's artifacts."""
    completeness: float
    """How much of what the last picture shows it shows already, from 0 to 1."""


class LayerBytes(Frozen):
    """One direction of it."""

    ip_bytes: int
    """IP headers."""
    transport_bytes: int
    """
    TCP: headers, and whatever was retransmitted. UDP and QUIC: headers, encryption, handshake, acknowledgements and
    whatever was retransmitted.
    """
    tls_bytes: int
    """TLS over TCP: handshake, record headers, encryption."""
    framing_bytes: int
    """HTTP's frames without their content; HTTP/1 has none."""
    header_bytes: int
    """Header fields as they were sent; of HTTP/1 all text before the bodies."""
    body_bytes: int
    """Bodies."""
    uncompressed_header_bytes: int
    """What the header fields would have been as text (RFC 9112 section 5), which is no layer."""


class RttUnderLoad(Frozen):
    """How long round trips of a flow were while it ran."""

    min_s: float
    """Smallest RTT that the sender saw."""
    p50_s: float
    """Median of its smoothed RTT, looked at every 100 ms."""
    p99_s: float
    """99th percentile of the same."""


class QueueRecord(Frozen):
    """What one class of a queue of the link did."""

    direction: Direction
    """Which way the packets went, seen from the client."""
    class_: Annotated[str, Field(alias="class")]
    """`l4s` or `classic` of a dual queue, `all` of another; of satellite carriers after the name of its class of service."""
    packets: int
    """Packets that left the queue for the transmitter."""
    marked_packets: int
    """Packets of them that the queue marked (RFC 3168: CE)."""
    dropped_packets: int
    """Packets that were dropped in place of a mark."""
    wait_p50_s: float | None = None
    """Median of their wait, to the next 10 us; null where none left."""
    wait_p99_s: float | None = None
    """99th percentile of the wait."""
    wait_max_s: float | None = None
    """Longest wait."""


class Handshake(StrEnum):
    """How a TLS handshake went, read back from the library."""

    FULL = "full"
    """With key exchange and certificate."""
    RESUMED = "resumed"
    """From a ticket of an earlier connection."""
    EARLY_DATA_ACCEPTED = "early-data-accepted"
    """From a ticket, with requests in the client's first flight, which the origin took."""
    EARLY_DATA_REFUSED = "early-data-refused"
    """The same, but the origin took none of them, and the client sent them again. Only the client knows that it tried."""


class CarriedBytes(Frozen):
    """One direction of it."""

    stream_bytes: int
    """Content of the TCP connection, or of all streams of the QUIC connection: each byte once, however often it was sent."""
    plain_bytes: int
    """The same without TLS. QUIC's TLS is below its streams."""
    header_block_bytes: int
    """Of these, header fields as they were sent: compressed by HPACK, QPACK or zlib; none of HTTP/1, which has them as text."""


Purpose = TypeAliasType("Purpose", Literal["duplicate"])
"""Why a connection was opened, where not for a request that had none."""


class Phase(StrEnum):
    """A phase (RFC 9959 section 3)."""

    RECONNAISSANCE = "reconnaissance"
    """The path is compared with what is saved; the window is the algorithm's own."""
    UNVALIDATED = "unvalidated"
    """The window has jumped, and packets leave that only the jump allows."""
    VALIDATING = "validating"
    """They have left, and it is seen whether they arrive."""
    SAFE_RETREAT = "safe_retreat"
    """They met congestion."""
    NORMAL = "normal"
    """The algorithm is alone."""


class Trigger(StrEnum):
    """Why a phase began."""

    CONGESTION_WINDOW_LIMITED = "congestion_window_limited"
    """The path is confirmed, and more waits than the window lets out."""
    RTT_NOT_VALIDATED = "rtt_not_validated"
    """The RTT is not that of the saved path."""
    LAST_UNVALIDATED_PACKET_SENT = "last_unvalidated_packet_sent"
    """The window is full."""
    FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED = "first_unvalidated_packet_acknowledged"
    """A packet has arrived that the jump let out."""
    RTT_EXCEEDED = "rtt_exceeded"
    """A round trip is over."""
    RATE_LIMITED = "rate_limited"
    """Fewer packets were sent than the window let out."""
    LAST_UNVALIDATED_PACKET_ACKNOWLEDGED = "last_unvalidated_packet_acknowledged"
    """All unvalidated packets have arrived."""
    PATH_CHANGED = "path_changed"
    """The RTT fell below what the saved path has."""
    PACKET_LOSS = "packet_loss"
    """A packet was lost."""
    ECN_CE = "ECN_CE"
    """A packet came with a mark of congestion."""
    EXIT_RECOVERY = "exit_recovery"
    """The last unvalidated packet has arrived, or a later one."""
    PERSISTENT_CONGESTION = "persistent_congestion"
    """Persistent congestion or a retransmission timeout (RFC 9959 section 3.6), which the draft has no name for."""
    NOTHING_SAVED = "nothing_saved"
    """Another connection has the saved parameters, or their lifetime is over (section 3.2), likewise."""
    NOTHING_TO_GAIN = "nothing_to_gain"
    """What is saved lets out no more than the window does, likewise."""


Table = TypeAliasType("Table", Mapping[str, Sequence[float | None]])
"""
Columns of equal length; each name ends in its unit (`time_s`, `queue_bytes`).

A value that does not exist, such as the round trip of a lost echo, is NaN here and null in JSON.
"""


class BrowserRecord(Frozen):
    """What a browser saw of a load; instants in seconds from the start of the workload."""

    version: str
    """Name and version as the browser gives them."""
    parsed_s: float | None = None
    """When the document had been parsed (DOMContentLoaded)."""
    loaded_s: float | None = None
    """When the page said that it was loaded (load event)."""
    paint_fcp_s: float | None = None
    """First contentful paint (W3C Paint Timing); `fcp_s` of the metrics is by objects."""
    paint_lcp_s: float | None = None
    """Largest contentful paint (W3C Largest Contentful Paint); `lcp_s` of the metrics is by objects."""
    speed_index_s: float | None = None
    """Speed Index: the integral over time of what is not shown yet."""
    frames: Sequence[Frame]
    """Pictures of the page as it appeared, in order."""


class BytesByLayer(Frozen):
    """Where the bytes of a page load went, by layer. The layers of a direction add up to the bytes on the wire."""

    down: LayerBytes
    """Server to client."""
    up: LayerBytes
    """Client to server."""


class FlowRecord(Frozen):
    """One bulk flow; instants in seconds from the start of the workload."""

    cc: Algorithm
    """Congestion control asked for at both ends."""
    transport: Transport
    """Transport protocol."""
    start_s: float
    """When it began to connect."""
    client_port: int | None = None
    """The client's port, by which series tell flows apart; null when it was never connected."""
    bytes: int
    """Payload received."""
    first_byte_s: float | None = None
    """When the first byte of payload arrived; null when none did."""
    last_byte_s: float | None = None
    """When the last byte of payload arrived; null when none did."""
    completion_s: float | None = None
    """From `start_s` to the last byte."""
    goodput_bps: float | None = None
    """Payload over `completion_s`; limited by time: over its steady part, from first to last byte."""
    retransmitted_packets: int
    """Packets retransmitted by both ends."""
    rtt_mean_s: float | None = None
    """Mean of the sender's smoothed RTT over time."""
    share: float | None = None
    """
    Of the payload that all flows received while all of them ran, the fraction that was this one's; null when
    they never ran at the same time.
    """
    rtt_under_load: RttUnderLoad | None = None
    """The sender's smoothed RTT over time; null where no queue of the link marks packets."""


class Carried(Frozen):
    """What a connection of a page load carried, as its client counted it."""

    down: CarriedBytes
    """Server to client."""
    up: CarriedBytes
    """Client to server."""


class Transition(Frozen):
    """A phase begins."""

    at_ns: int
    """When."""
    phase: Phase
    """Which."""
    trigger: Trigger | None = None
    """Why; none at the start of a connection."""
    pipe_size_bytes: int
    """PipeSize: what is validated of the window; zero until the jump."""
    cwnd_bytes: int
    """The window from now on."""
    ssthresh_bytes: int | None = None
    """The slow-start threshold from now on; none while it is infinite."""
    saved_cwnd_bytes: int
    """`saved_cwnd` of what was saved of the path."""
    saved_rtt_ns: int
    """`saved_rtt`."""


class ConnectionReport(Frozen):
    """One connection as one of its ends saw it."""

    transport: str
    """`tcp` or `quic`; `tunnel` within a connection to a proxy."""
    protocol: str
    """Negotiated application protocol: `http/1.1`, `h2`, `h3`, `bulk`; `connect` to a proxy."""
    client_port: int
    """The client's port, which identifies the connection at both ends."""
    flow: int | None = None
    """Index of the bulk flow that it carries."""
    started_ns: int
    """When the first packet was sent."""
    name_lookup_ns: int | None = None
    """How long it waited for the address of its host, right before it started; none where that was known."""
    connected_ns: int | None = None
    """
    When TCP was established; for QUIC, when the handshake was complete, which with early data is not before the
    first response. With Fast Open that is not when data could be sent first: at a client it is when the SYN-ACK came,
    at an origin when the SYN did.
    """
    secured_ns: int | None = None
    """
    When TLS was established, which with early data is not before the first response; none without TLS. QUIC's is
    part of `connected`.
    """
    handshake: Handshake | None = None
    """How TLS was established, where the run has settings for TLS."""
    key_exchange: str | None = None
    """Key exchange of TLS or QUIC, read back from the library, where the run asks for one."""
    closed_ns: int | None = None
    """When the client closed it, or its peer did; none of a connection that was open at the end of the workload."""
    congestion_control: str
    """Congestion control in use, read back from the socket or the library."""
    retransmitted_packets: int | None = None
    """Packets retransmitted (TCP segments; QUIC packets declared lost); none where only a program of others knows."""
    srtt_ns: int | None = None
    """Smoothed RTT at the end."""
    min_rtt_ns: int | None = None
    """Smallest RTT seen."""
    initial_cwnd_bytes: int | None = None
    """Initial congestion window read back at the start; none at a client whose SYN carried data (RFC 7413)."""
    carried: Carried | None = None
    """What it carried, as the client of a page load counted it."""
    purpose: Purpose | None = None
    """Why it was opened, where not for a request that had none."""
    resumption: Sequence[Transition] | None = None
    """The phases of Careful Resume (RFC 9959) at this end, where its sender had something to resume from."""


class RunRecord(Frozen):
    """The result of one run, with all that is needed to judge and repeat it."""

    run_id: str
    """Hash of spec and seed."""
    status: Status
    """How the run ended."""
    reasons: Sequence[Reason]
    """Why it failed or is invalid; empty when it succeeded."""
    engine: Engine
    """Which engine measured it."""
    spec: RunSpec
    """What was run."""
    provenance: Provenance
    """Where, when and with what it was run."""
    metrics: Metrics
    """The figures."""
    objects: Sequence[ObjectTiming]
    """Every object of a page load, in order of completion."""
    browser: BrowserRecord | None = None
    """What a browser saw besides; there is none in records of the loader."""
    bytes_by_layer: BytesByLayer | None = None
    """Where the bytes of a page load went; null of other workloads and where a connection was not counted."""
    flows: Annotated[Sequence[FlowRecord], Field(validate_default=True)] = []
    """Every flow of a bulk workload, in the order of the spec. Records of earlier versions have none."""
    queues: Sequence[QueueRecord] | None = None
    """The classes of the link's queues that mark packets; none where queues only drop."""
    client_connections: Sequence[ConnectionReport]
    """Every connection as the client saw it; instants in nanoseconds from the start of the workload."""
    origin_connections: Sequence[ConnectionReport]
    """Every connection as the origin saw it; instants as above."""
    series: Mapping[str, Table] = {}
    """
    Time series by name: `link`, `sender`, `progress`, `ping`, and of a satellite link `acm`, `dama`, `classes`,
    `delays`. `time_s` counts from the start of the workload. A ledger keeps them in files beside the record.
    """
