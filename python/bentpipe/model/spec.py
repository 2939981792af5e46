"""A run: its hosts, its proxy, its workload and when its numbers are valid.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen

from .link import LinkSpec, LossSpec, Switch

ServerBehind = TypeAliasType("ServerBehind", Literal["terminal"])
"""Where the server is, where that is not behind the gateway."""


class Algorithm(StrEnum):
    """A congestion control by the name that scenarios use."""

    RENO = "reno"
    """RFC 5681, as in Linux."""
    CUBIC = "cubic"
    """RFC 9438."""
    BBR = "bbr"
    """BBR version 1, as in Linux."""
    BBR3 = "bbr3"
    """BBR version 3 (draft-ietf-ccwg-bbr)."""
    HYBLA = "hybla"
    """TCP Hybla (Caini, Firrincieli 2004), as in Linux."""
    VIVACE = "vivace"
    """PCC Vivace (NSDI'18), latency flavour."""
    PRAGUE = "prague"
    """Prague (draft-briscoe-iccrg-prague-congestion-control), for L4S."""


class TcpSpec(Frozen):
    """TCP settings, applied through socket options or the namespace's sysctls."""

    initial_window: int
    """Initial window in segments (RFC 6928: 10)."""
    initial_receive_window: int | None = None
    """
    First receive window in segments at most (the route's `initrwnd`; Linux before 4.20: 20). Without it: what half of
    the first receive buffer holds.
    """
    receive_buffer_bytes: int
    """Upper limit of receive-buffer auto-tuning (third value of `tcp_rmem`)."""
    send_buffer_bytes: int
    """Upper limit of send-buffer auto-tuning (third value of `tcp_wmem`)."""
    slow_start_after_idle: bool
    """Whether the window collapses after an idle RTO (`tcp_slow_start_after_idle`, RFC 2861)."""
    fast_open: Switch | None = None
    """TCP Fast Open (RFC 7413) at both ends."""
    nagle: Switch | None = None
    """Nagle's algorithm (RFC 9293 section 3.7.4); off as browsers and servers have it."""
    timestamps: Switch | None = None
    """Timestamps (RFC 7323 section 3, `tcp_timestamps`); without it: on, as Linux has them. Windows has them off."""
    ecn: Switch | None = None
    """Explicit congestion notification (RFC 3168, `tcp_ecn` of 1) at both ends; off as Linux's clients have it."""
    quick_ack: Switch | None = None
    """Whether each segment is acknowledged at once (the route's `quickack`) rather than by Linux's own rules."""
    connect_retry_ns: int | None = None
    """A page's client that has no connection after this time opens a second one beside it (Chromium: 250 ms)."""
    connect_retries: int | None = None
    """
    How many it opens beside the first, each after that time; the first to come is used and the others are closed when
    they come. Without it: one, which is kept for the next request that needs a connection.
    """
    idle_reset_ns: int | None = None
    """
    A page's client resets a connection that has been idle for this long: of HTTP/1 one that nobody uses, of HTTP/2 and
    SPDY one on which nothing comes or goes.
    """
    idle_fallback: Switch | None = None
    """Whether what is left after such a reset of HTTP/2 or SPDY is asked for by HTTP/1.1 over TLS."""


class AckFrequencySpec(Frozen):
    """What an ACK_FREQUENCY frame asks for (draft-ietf-quic-ack-frequency section 4)."""

    ack_eliciting_threshold: int
    """
    Ack-eliciting packets that may come without an acknowledgement: with one more there is one. 1 as without the
    extension (RFC 9000 section 13.2.2).
    """
    requested_max_ack_delay_ns: int
    """
    How long a packet may wait for its acknowledgement, at least 1 ms. No longer than the longer of a round trip and
    25 ms is asked for.
    """
    reordering_threshold: int
    """
    By how many packets one may be late before it is acknowledged at once: 0 never, 1 as without the extension
    (RFC 9000 section 13.2.1).
    """


class Http2Spec(Frozen):
    """HTTP/2 settings (RFC 9113 section 6.5.2), the same at both ends."""

    stream_window_bytes: int
    """Flow-control window of one stream (SETTINGS_INITIAL_WINDOW_SIZE)."""
    connection_window_bytes: int
    """Flow-control window of the connection."""
    max_concurrent_streams: int
    """Streams that the peer may have open at once (SETTINGS_MAX_CONCURRENT_STREAMS)."""
    header_table_bytes: int | None = None
    """
    Size of the dynamic table for header fields (SETTINGS_HEADER_TABLE_SIZE), where it is not the protocol's own 4096
    (RFC 9113 section 6.5.2).
    """


class TlsVersion(StrEnum):
    """A version of TLS."""

    FIELD_1_2 = "1.2"
    """RFC 5246."""
    FIELD_1_3 = "1.3"
    """RFC 8446."""


class Resumption(StrEnum):
    """How much of the handshake an earlier one saves."""

    NONE = "none"
    """Nothing."""
    TICKET = "ticket"
    """A session ticket (RFC 5077, RFC 8446 section 2.2)."""
    EARLY_DATA = "early-data"
    """A session ticket, and requests that travel with the first flight (0-RTT, RFC 8446 section 2.3); TLS 1.3 alone."""


class KeyExchange(StrEnum):
    """What a client offers first for the keys of TLS 1.3 and of QUIC, and its peer takes."""

    X25519 = "x25519"
    """RFC 7748, RFC 8446 section 4.2.8.2: 32 bytes each way."""
    X25519MLKEM768 = "x25519mlkem768"
    """
    ML-KEM-768 (FIPS 203) beside X25519, as browsers have it: 1216 bytes to the server, 1120 back
    (draft-ietf-tls-ecdhe-mlkem).
    """


class DnsProtocol(StrEnum):
    """What is spoken with a resolver."""

    DO53 = "do53"
    """DNS over UDP, in clear text (RFC 1035)."""
    DOT = "dot"
    """DNS over TLS (RFC 7858)."""
    DOH = "doh"
    """DNS over HTTPS, by HTTP/2 (RFC 8484)."""
    DOQ = "doq"
    """DNS over QUIC (RFC 9250)."""


class ResolverPlace(StrEnum):
    """Where a resolver is."""

    GATEWAY = "gateway"
    """Beyond the satellite, at the operator's gateway."""
    TERMINAL = "terminal"
    """On the client's side of the satellite."""


class ResolverCache(StrEnum):
    """Whether a resolver knows the names that it is asked for."""

    WARM = "warm"
    """Others have asked for them lately."""
    COLD = "cold"
    """It asks authoritative servers: one at the terminal asks over the satellite."""


class ResolverConnection(StrEnum):
    """How the client comes to its connection to the resolver."""

    COLD = "cold"
    """The first name of the load opens it."""
    WARM = "warm"
    """It is there from before, as in a browser that is in use."""


class HostSpec(Frozen):
    """What a host's processor, one core, takes for what it encrypts and decrypts."""

    tls_handshake_ns: int
    """A handshake of TLS, over TCP or within QUIC. All of it falls where the peer's first flight has come."""
    tls_record_ns: int
    """A full record of TLS over TCP (2^14 bytes, RFC 8446 section 5.1), sent or received; others in proportion."""
    quic_packet_ns: int
    """A datagram of QUIC, sent or received."""


class TunnelPepSpec(Frozen):
    """As above, but what the hosts send goes through a tunnel, in which the proxy sees no TCP."""

    kind: Literal["tunnel"] = "tunnel"
    header_bytes: int
    """What it adds to each packet; the hosts' MTU is smaller by as much."""


class ProxyPepSpec(Frozen):
    """
    An HTTP proxy at the gateway, which the client knows: it asks for connections to the origin by CONNECT over HTTP/2
    (RFC 9113 section 8.5).
    """

    kind: Literal["proxy"] = "proxy"
    cc: Algorithm
    """Congestion control over the satellite, of both directions."""
    tcp: TcpSpec
    """TCP over the satellite."""
    relay_buffer_bytes: int
    """What is held at most of one direction of a connection, between the two sockets."""


class MasquePepSpec(Frozen):
    """
    A proxy for UDP at the gateway, which the client asks by CONNECT-UDP over HTTP/3 (RFC 9298): the client's QUIC
    connections to the origin are within one to the proxy.
    """

    kind: Literal["masque"] = "masque"
    cc: Algorithm
    """
    Congestion control of the connection to the proxy, of both directions; its other settings are those of the run's
    QUIC.
    """
    udp_payload_bytes: int
    """UDP payload of a full packet of that connection; those within are smaller by what stands around them."""
    relay_buffer_bytes: int
    """What waits at most of one direction until that connection's congestion control lets it go."""


class PepPlace(StrEnum):
    """Where a transport proxy stands."""

    TERMINAL = "terminal"
    """At the user's terminal: its connections are split in two."""
    GATEWAY = "gateway"
    """At the operator's gateway: likewise."""
    BOTH = "both"
    """At either end of the satellite link: in three."""


class SlowStartChoice(StrEnum):
    """A way to end slow start that is not that of today's Linux."""

    HYSTART__ = "hystart++"
    """HyStart++ (RFC 9406), for Reno and CUBIC."""
    LINUX_4_15 = "linux-4.15"
    """HyStart of Linux 4.15, for CUBIC over TCP."""
    LOSS = "loss"
    """Losses alone (RFC 5681 section 3.1), for CUBIC."""
    SEARCH = "search"
    """SEARCH (draft-chung-ccwg-search-09), for Reno and CUBIC."""


class BbrSpec(Frozen):
    """Settings of BBR version 1."""

    extra_acked: Switch
    """
    Whether the window has room for what is acknowledged at once beyond what the bandwidth explains
    (`bbr_update_ack_aggregation`, Linux since 5.1).
    """


class SavedSpec(Frozen):
    """Parameters of a path that were saved before the run."""

    cwnd_bytes: int
    """`saved_cwnd`, the capacity of the path as bytes in a round trip."""
    rtt_ns: int
    """`saved_rtt`."""
    age_ns: int
    """How long ago they were saved."""


class PingWorkload(Frozen):
    """Send UDP echo requests."""

    kind: Literal["ping"] = "ping"
    count: int
    """Number of requests."""
    interval_ns: int
    """Time between two requests."""
    payload_bytes: int
    """UDP payload of each; at least 20."""


class Http(StrEnum):
    """An HTTP version as scenarios name it; an `s` means over TLS."""

    HTTP10 = "http10"
    """HTTP/1.0 in clear text (RFC 1945): a connection for each object."""
    HTTP10S = "http10s"
    """HTTP/1.0 over TLS."""
    H1 = "h1"
    """HTTP/1.1 in clear text (RFC 9112)."""
    H1S = "h1s"
    """HTTP/1.1 over TLS."""
    H2 = "h2"
    """HTTP/2 over TLS (RFC 9113)."""
    H2C = "h2c"
    """HTTP/2 in clear text, of which the client knows beforehand (RFC 9113 section 3.3)."""
    H3 = "h3"
    """HTTP/3 over QUIC (RFC 9114)."""
    SPDY = "spdy"
    """SPDY/3.1 over TLS."""


class ObjectKind(StrEnum):
    """What an object is to its page."""

    IMAGE = "image"
    """An image."""
    SCRIPT = "script"
    """A script, which may name objects of any kind."""
    STYLE = "style"
    """A style sheet, which may name images, fonts and style sheets."""
    FONT = "font"
    """A font."""
    OTHER = "other"
    """Anything that scripts fetch."""


class FileSpec(Frozen):
    """A file and what it must hold."""

    folder: str
    """The folder."""
    name: str
    """Path of the file in the folder."""
    sha256: str
    """SHA-256 of the content, in hexadecimal digits."""


class Priorities(StrEnum):
    """Priorities of a load's requests."""

    OFF = "off"
    """Requests state none, and the origin knows none."""
    UNSTATED = "unstated"
    """Requests state none, and the origin gives each the default: urgency 3, not incremental (RFC 9218 section 4)."""
    ON = "on"
    """Requests state them, and the origin heeds them."""


Visit = TypeAliasType("Visit", Literal["repeat"])
"""What a client has when it loads a page."""


class Transport(StrEnum):
    """Transport of a bulk flow."""

    TCP = "tcp"
    """The kernel's TCP, or the simulator's."""
    QUIC = "quic"
    """QUIC version 1."""


class Direction(StrEnum):
    """Direction of a bulk flow, seen from the client."""

    DOWN = "down"
    """Server to client, over the forward link unless the server is behind the terminal."""
    UP = "up"
    """Client to server, over the return link likewise."""


class FlowSpec(Frozen):
    """What tells a flow from those beside it."""

    cc: Algorithm
    """Congestion control of both its ends."""
    transport: Transport
    """Transport protocol."""
    start_ns: int
    """When it begins, from the start of the workload."""
    dscp: int | None = None
    """Marks its packets, both ways, in place of the run's mark."""


class Browser(StrEnum):
    """A browser in place of our loader (emulate only)."""

    CHROMIUM = "chromium"
    """Chromium."""
    FIREFOX = "firefox"
    """Firefox."""


class Server(StrEnum):
    """A web server in place of our origin (emulate only)."""

    NGINX = "nginx"
    """nginx: HTTP/1.1 and HTTP/2."""
    CADDY = "caddy"
    """Caddy: HTTP/1.1, HTTP/2 and HTTP/3."""


class ValiditySpec(Frozen):
    """Bounds beyond which a run is invalid or given up."""

    lateness_p999_ns: int
    """Largest tolerated 99.9th percentile of the emulator's release lateness."""
    timeout_ns: int
    """The run fails when its workload takes longer than this."""


class CaptureSpec(Frozen):
    """Optional outputs of a run."""

    pcapng: bool
    """Every packet at both ends of the link, with the TLS secrets, as pcapng."""
    qlog: bool
    """QUIC events of both ends as qlog."""


class TerrestrialSpec(Frozen):
    """The network between gateway and server."""

    loss: LossSpec
    """What it loses, by the same law in either direction."""


class QuicSpec(Frozen):
    """QUIC settings (RFC 9000 transport parameters and RFC 9002 recovery)."""

    initial_window_bytes: int
    """
    Initial window in bytes, comparable with TCP's in segments of its MSS; two packets where it is less (RFC 9002
    section 7.2).
    """
    initial_rtt_ns: int
    """RTT assumed before the first sample (RFC 9002 section 6.2.2: 333 ms)."""
    stream_receive_window_bytes: int
    """Flow-control window of one stream."""
    receive_window_bytes: int
    """Flow-control window of the connection."""
    send_window_bytes: int
    """Unacknowledged data a sender keeps at most."""
    udp_payload_bytes: int
    """UDP payload of a full packet; fixed for the run, no discovery."""
    max_concurrent_streams: int
    """Requests that the peer may have open at once (initial_max_streams_bidi)."""
    cwnd_validation: Switch | None = None
    """Whether a window has to be used to grow in slow start (RFC 9002 section 7.8); without it: on."""
    ack_frequency: AckFrequencySpec | None = None
    """How often each end asks the other to acknowledge; without it nobody asks, and every second packet is."""
    ecn: Switch | None = None
    """Whether packets are ECN-capable (RFC 9000 section 13.4), ECT(1) with Prague and ECT(0) otherwise; without it: on."""


class TlsSpec(Frozen):
    """TLS at both ends."""

    version: TlsVersion
    """The version that both ends offer, alone. QUIC has 1.3 whatever stands here (RFC 9001 section 4.2)."""
    resumption: Resumption
    """What a handshake may take from an earlier connection to the origin, of this load or of an earlier visit."""


class DnsSpec(Frozen):
    """How the client of a page load finds the addresses of its hosts; without it they are known."""

    protocol: DnsProtocol
    """What it speaks with the resolver."""
    resolver: ResolverPlace
    """Where the resolver is."""
    cache: ResolverCache
    """Whether the resolver knows the names."""
    recursion_ns: int | None = None
    """
    Time that a resolver beyond the satellite needs for a question that it has no answer to: its own way to
    authoritative servers.
    """
    connection: ResolverConnection
    """Whether the connection to the resolver stands before the load; Do53 has none."""


class HostsSpec(Frozen):
    """The processors at both ends. Proxies between them have none: they take no time."""

    client: HostSpec
    """The client's."""
    server: HostSpec
    """The server's."""


class SplitPepSpec(Frozen):
    """Splits TCP connections without their ends knowing."""

    kind: Literal["split"] = "split"
    place: PepPlace
    """Where it stands."""
    cc: Algorithm
    """Congestion control over the satellite, of both directions."""
    tcp: TcpSpec
    """TCP over the satellite."""
    relay_buffer_bytes: int
    """What is held at most of one direction of a connection, between the two sockets."""
    standing: Switch | None = None
    """
    Whether terminal and gateway have connections with each other before the run, of which each of a client takes one:
    none waits for a handshake over the satellite. With a proxy at both places alone.
    """


class QuicSplitPepSpec(Frozen):
    """Ends QUIC connections at the terminal and at the gateway, each of which is trusted with the server's key."""

    kind: Literal["quic-split"] = "quic-split"
    cc: Algorithm
    """Congestion control over the satellite, of both directions."""
    quic: QuicSpec
    """QUIC over the satellite."""
    relay_buffer_bytes: int
    """
    What a proxy holds at most of one direction of a connection on its side towards a host: its receive window there,
    and what it has sent there without an acknowledgement.
    """


PepSpec = TypeAliasType(
    "PepSpec",
    Annotated[
        SplitPepSpec | TunnelPepSpec | ProxyPepSpec | MasquePepSpec | QuicSplitPepSpec,
        Field(discriminator="kind"),
    ],
)
"""A performance-enhancing proxy on the path (RFC 3135)."""


class ResumeSpec(Frozen):
    """Careful Resume (RFC 9959) of every sender that can."""

    max_jump_bytes: int | None = None
    """`max_jump`, the longest window that is jumped to; without it half of what is saved."""
    lifetime_ns: int
    """How long saved parameters may be used."""
    saved: SavedSpec | None = None
    """What senders know of the path before the run; without it what a visit before has taught them."""


class BulkWorkload(Frozen):
    """Transfer one flow."""

    kind: Literal["bulk"] = "bulk"
    transport: Transport
    """Transport protocol."""
    direction: Direction
    """Who sends."""
    bytes: int | None = None
    """Length of the transfer, when it is limited by length."""
    duration_ns: int | None = None
    """Length of the transfer, when it is limited by time."""


class FlowsWorkload(Frozen):
    """Transfer several flows at once."""

    kind: Literal["flows"] = "flows"
    direction: Direction
    """Who sends, in all of them."""
    bytes: int | None = None
    """Length of each transfer, when they are limited by length."""
    duration_ns: int | None = None
    """The end that they have in common, when they are limited by time."""
    flows: Sequence[FlowSpec]
    """The flows."""


class Iperf3Workload(Frozen):
    """Transfer one flow over TCP by iperf3, which is client and server then (emulate only)."""

    kind: Literal["iperf3"] = "iperf3"
    transport: Transport
    """Transport protocol."""
    direction: Direction
    """Who sends."""
    bytes: int | None = None
    """Length of the transfer, when it is limited by length."""
    duration_ns: int | None = None
    """Length of the transfer, when it is limited by time."""


class ObjectSpec(Frozen):
    """One embedded object."""

    path: str
    """Absolute path on its host, such as `/object-1.jpg`; a query may follow."""
    bytes: int
    """Length of the body; only a style sheet or a script that names more than fits into it is longer."""
    host: str | None = None
    """Its host; without it the page's."""
    kind: ObjectKind | None = None
    """What it is to the page."""
    after: int | None = None
    """Index of the style sheet or the script that names it; without it the document does."""
    wait_ns: int | None = None
    """
    Time between the arrival of what names it and its request, which only a document and a script can wait. Without
    it: none.
    """
    file: FileSpec | None = None
    """Its content, where that is not made up."""


class PageSpec(Frozen):
    """A page: an HTML document and what it makes a browser fetch, from one host or several."""

    name: str
    """Its name in scenarios and figures."""
    objects: Sequence[ObjectSpec]
    """The embedded objects; those that the document names stand there in this order."""
    document_bytes: int | None = None
    """Length of the HTML document, where it is to be more than its markup."""
    host: str | None = None
    """The host of the document; without it the origin's usual name."""
    document: FileSpec | None = None
    """The document itself, where it is not made from the objects."""


class PageLoadWorkload(Frozen):
    """Load one web page."""

    kind: Literal["page-load"] = "page-load"
    http: Http
    """Protocol version and whether it runs over TLS."""
    connections: int
    """Parallel connections of HTTP/1.0 and HTTP/1.1 to the origin; the others always use one."""
    page: PageSpec
    """The page."""
    requests_per_connection: int | None = None
    """Requests after which an HTTP/1.1 connection is closed, by both ends; 1 is "not persistent". Without it: never."""
    pipelining: int | None = None
    """Requests that may wait for their responses on one HTTP/1.1 connection (RFC 9112 section 9.3.2). Without it: one."""
    optimistic_pipelining: int | None = None
    """The most of them on a connection from which no response has come yet. Without it: as many as on any."""
    push_percent: int | None = None
    """Percentage of the objects that the origin pushes, the first ones of the page (HTTP/2, SPDY). Without it: none."""
    priorities: Priorities | None = None
    """Priorities of requests (HTTP/2, HTTP/3: RFC 9218; SPDY: its own)."""
    response_header_bytes: int | None = None
    """
    Size of each response's header as HTTP/1.1 writes it, first line and empty line included; the origin adds fields
    until it has that. Other versions have the same fields but those about the connection. Without it: the origin's own.
    """
    visit: Visit | None = None
    """What the client remembers of the origin. Without it: nothing."""


Workload = TypeAliasType(
    "Workload",
    Annotated[
        PageLoadWorkload | BulkWorkload | FlowsWorkload | Iperf3Workload | PingWorkload,
        Field(discriminator="kind"),
    ],
)
"""What the client does."""


class RunSpec(Frozen):
    """Everything that decides a run's result. Equal specs and seeds give equal simulated records."""

    seed: int
    """Seed of every random stream of the run; each component derives its own."""
    link: LinkSpec
    """The path between client and server."""
    server_behind: ServerBehind | None = None
    """Where the server is, where that is not behind the gateway."""
    terrestrial: TerrestrialSpec | None = None
    """The network between gateway and server, where that is not perfect."""
    cc: Algorithm
    """Congestion control of every sender of the run; of several flows each has its own."""
    tcp: TcpSpec
    """Settings of TCP at both ends."""
    quic: QuicSpec
    """Settings of QUIC at both ends."""
    http2: Http2Spec
    """Settings of HTTP/2 at both ends; SPDY has the same windows and limits."""
    tls: TlsSpec | None = None
    """TLS at both ends; without it: TLS 1.3 with a full handshake for every connection."""
    key_exchange: KeyExchange | None = None
    """Key exchange of TLS over TCP and of QUIC; without it: X25519."""
    dns: DnsSpec | None = None
    """How the client of a page load finds the addresses of hosts; without it they are known."""
    host: HostsSpec | None = None
    """How fast both ends are; without it they take no time beside that of the machine."""
    pep: PepSpec | None = None
    """A proxy on the path, if there is one."""
    slow_start: SlowStartChoice | None = None
    """How slow start ends, where that is not the algorithm's own way in Linux. The kernel's CUBIC can do SEARCH."""
    bbr: BbrSpec | None = None
    """BBR version 1, where it is not that of today's Linux. TCP of the kernel knows its own alone."""
    resume: ResumeSpec | None = None
    """Careful Resume (RFC 9959) of senders, where they start from what is known of the path. TCP of the kernel cannot."""
    workload: Workload
    """What is done over the link."""
    client: Browser | None = None
    """What loads the page, where that is not our loader."""
    server: Server | None = None
    """What serves the page, where that is not our origin."""
    dscp: int | None = None
    """Marks the packets of the workload, both ways."""
    validity: ValiditySpec
    """When the run's numbers may be trusted."""
    capture: CaptureSpec
    """What is kept besides the record."""
