"""A scenario as written: names and types of its keys, nothing filled in; its link is in `link_schema`.

A key that is not written is None here; what that means is decided in `resolve`.
"""

from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from bentpipe.scenario.written.link_schema import LinkTable, TerrestrialTable
from bentpipe.scenario.written.table import (
    A_TABLE,
    COUNT,
    DSCP,
    DURATION,
    RATE,
    SIZE,
    TRUE_OR_FALSE,
    Table,
    named,
)
from bentpipe.scenario.written.texts import LINE, TEXT, Line, Text
from bentpipe.scenario.written.toml import TomlTable

LATENCIES = 'a duration such as "60 us", or a list of sleeps and durations'
DURATION_OR_OFF = f'{DURATION}, or "off"'


def _flow(value: object) -> object:
    """Accept a flow in one word: [TRANSPORT:]CC[@START][#DSCP]."""
    if not isinstance(value, str):
        return value
    unmarked, hash_, mark = value.partition("#")
    flow, at, start = unmarked.partition("@")
    transport, colon, cc = flow.rpartition(":")
    named = {"transport": transport} if colon else {}
    dscp = {"dscp": int(mark) if mark.isdecimal() else mark} if hash_ else {}
    return {"cc": cc, **named, **({"start": start} if at else {}), **dscp}


class PageTable(Table):
    """A page: a built-in one by name, or one of your own."""

    name: str | None = Field(default=None, description='a page\'s name such as "uniform-100k"')
    """Name of the page in results."""
    objects: list[str] | None = Field(
        default=None, description='a list of sizes such as ["12.5 kB", "50 kB"]'
    )
    """Sizes of the objects; the first one is the document."""


class FlowTable(Table):
    """What tells a flow from those beside it."""

    cc: str | None = Field(default=None, description='a congestion control such as "bbr"')
    """Congestion control of the flow. Default: that of the run."""
    transport: str | None = Field(default=None, description='"tcp" or "quic"')
    """TCP or QUIC. Default: that of the table."""
    start: str | None = Field(default=None, description=DURATION)
    """When the flow starts, counted from the start of the run. Default: {FLOW_START}."""
    dscp: int | str | None = Field(default=None, description=DSCP)
    """Code point of the packets of the flow. Default: none."""


class BulkTable(Table):
    """One flow, or several at once."""

    transport: str | None = Field(default=None, description='"tcp" or "quic"')
    """TCP or QUIC. Default: {BULK_TRANSPORT}."""
    direction: str | None = Field(default=None, description='"down" or "up"')
    """`down` is server to client. Default: {BULK_DIRECTION}."""
    size: str | None = Field(default=None, description=SIZE)
    """The flow ends after this many bytes. Either this or `duration`."""
    duration: str | None = Field(default=None, description=DURATION)
    """The flow ends after this time; with several flows all end at this time after the start of the run."""
    flows: list[Annotated[FlowTable, BeforeValidator(_flow)]] | None = Field(
        default=None,
        description='a list of flows such as ["cubic", "quic:bbr", { cc = "hybla", start = "10 s" }]',
    )
    """Several flows, each `[TRANSPORT:]CC[@START][#DSCP]` or a table. `cc` of the run is then an error.
    Default: one flow with the run's `cc`.
    """


class PingTable(Table):
    """UDP echo requests."""

    count: int | None = Field(default=None, description=COUNT)
    """Number of requests. Default: {PING_COUNT}."""
    interval: str | None = Field(default=None, description=DURATION)
    """Time between two requests. Default: {PING_INTERVAL}."""
    size: str | None = Field(default=None, description='a size such as "20 B"')
    """UDP payload of a request, at least 20 B. Default: {PING_SIZE}."""


class AckFrequencyTable(Table):
    """What each end of QUIC asks of the other (draft-ietf-quic-ack-frequency); of TCP there is none."""

    ack_eliciting_threshold: int | None = Field(default=None, description="a whole number of packets")
    """Ack-eliciting packets that may stay unacknowledged; 9 means every tenth is acknowledged. Default:
    {ACK_ELICITING_THRESHOLD}.
    """
    requested_max_ack_delay: str | None = Field(default=None, description=DURATION)
    """Longest delay of an acknowledgement, from 1 ms; at most the larger of the RTT and 25 ms is requested.
    Default: {REQUESTED_MAX_ACK_DELAY}.
    """
    reordering_threshold: int | None = Field(default=None, description="a whole number of packets")
    """Packets of reordering that cause an immediate acknowledgement; 0: never. Default:
    {REORDERING_THRESHOLD}.
    """


class TcpTable(Table):
    """TCP at both ends."""

    initial_window: int | None = Field(default=None, description="a whole number of segments")
    """Initial congestion window in segments. Default: {INITIAL_WINDOW_SEGMENTS}."""
    initial_receive_window: int | None = Field(default=None, description="a whole number of segments")
    """Largest window that a receiver offers at first, in segments; Linux before 4.20: 20. Default: as many as
    fit into half of 131 072 B, which are 44.
    """
    receive_buffer: str | None = Field(default=None, description=SIZE)
    """Upper limit of the receive buffer. Default: 4 BDP of the link's faster direction, at least 6 MiB."""
    send_buffer: str | None = Field(default=None, description=SIZE)
    """Upper limit of the send buffer. Default: as `receive_buffer`."""
    slow_start_after_idle: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Whether the congestion window decays while idle (RFC 2861). Default: {SLOW_START_AFTER_IDLE}."""
    fast_open: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Data in the SYN to hosts whose cookie is known (RFC 7413). Default: {FAST_OPEN}."""
    nagle: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """A small segment waits while another is in flight. Default: {NAGLE}."""
    pacing: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Pace whatever the congestion control, at 2 cwnd / SRTT in slow start and 1.2 cwnd / SRTT after it, as
    behind Linux's `fq`. Default: {PACING}.
    """
    max_pacing_rate: str | None = Field(default=None, description=RATE)
    """Pace likewise, at this rate of TCP payload at most (`SO_MAX_PACING_RATE`). Default: no limit."""
    timestamps: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Timestamps (RFC 7323); `false` as Windows by default. Default: {TIMESTAMPS}."""
    ecn: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Negotiate classic ECN (RFC 3168); no AccECN. Default: {TCP_ECN}."""
    quick_ack: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Acknowledge every segment at once. Default: {QUICK_ACK}."""
    ack_frequency: AckFrequencyTable | None = Field(default=None, description=A_TABLE)
    """An error: Linux has no ACK ratio to set; see `quick_ack`."""
    connect_retry: str | None = Field(default=None, description=DURATION_OR_OFF)
    """A page's client that has no connection after this time opens another one in parallel, as Chromium and
    Firefox do after 250 ms. Default: {CONNECT_RETRY}.
    """
    connect_retries: int | None = Field(default=None, description=COUNT)
    """Parallel connection attempts beside the first, one per `connect_retry`. The first to complete is used;
    with 1, a late one is kept for the next request, else late ones are closed. Default: {CONNECT_RETRIES}.
    """
    idle_reset: str | None = Field(default=None, description=DURATION_OR_OFF)
    """A page's client resets a connection after this idle time: with HTTP/1 an unused one, with HTTP/2 and
    SPDY one without traffic; missing objects are requested on a new connection. Default: {IDLE_RESET}.
    """
    idle_fallback: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """After `idle_reset` of `h2` or `spdy` the rest is loaded by HTTP/1.1 over TLS on `connections`. Default:
    {IDLE_FALLBACK}.
    """


class BbrTable(Table):
    """BBR version 1 at both ends."""

    extra_acked: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Add room for aggregated acknowledgements to BBR's window; `false` as before Linux 5.1; not settable in
    the kernel's TCP. Default: {BBR_EXTRA_ACKED}.
    """


class QuicTable(Table):
    """QUIC at both ends."""

    initial_window: str | None = Field(default=None, description='a size such as "14720 B"')
    """Initial congestion window, at least two full packets. Default: as many full packets as
    `tcp.initial_window`, 14 720 B.
    """
    initial_rtt: str | None = Field(default=None, description=DURATION)
    """RTT assumed before the first sample. Default: {INITIAL_RTT}."""
    stream_receive_window: str | None = Field(default=None, description=SIZE)
    """Flow-control window of a stream. Default: as `tcp.receive_buffer`."""
    receive_window: str | None = Field(default=None, description=SIZE)
    """Flow-control window of the connection. Default: as `tcp.receive_buffer`."""
    send_window: str | None = Field(default=None, description=SIZE)
    """Largest amount of unacknowledged data. Default: as `tcp.receive_buffer`."""
    udp_payload: str | None = Field(default=None, description='a size such as "1472 B"')
    """UDP payload of a full packet, from 1200 B. Default: the link's MTU less 28 B."""
    max_concurrent_streams: int | None = Field(default=None, description=COUNT)
    """Requests open at once. Default: {MAX_CONCURRENT_STREAMS}."""
    cwnd_validation: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Grow the window in slow start only if it was used (RFC 9002 section 7.8); `false` as lsquic. Default:
    {CWND_VALIDATION}.
    """
    ack_frequency: AckFrequencyTable | None = Field(default=None, description=A_TABLE)
    """What each end asks of the other (draft-ietf-quic-ack-frequency). Default: no requests."""
    ecn: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Mark packets ECT(0), with `cc = "prague"` ECT(1). Default: {QUIC_ECN}."""


class Http2Table(Table):
    """HTTP/2 at both ends; SPDY has the same windows and limits."""

    stream_window: str | None = Field(default=None, description=SIZE)
    """Flow-control window of a stream. Default: as `tcp.receive_buffer`, at most 2 GiB."""
    connection_window: str | None = Field(default=None, description=SIZE)
    """Flow-control window of the connection. Default: as `stream_window`."""
    max_concurrent_streams: int | None = Field(default=None, description=COUNT)
    """Requests open at once. Default: {MAX_CONCURRENT_STREAMS}."""
    header_table: str | None = Field(default=None, description='a size such as "4096 B"')
    """Dynamic table of HPACK. Default: {HEADER_TABLE}."""


class TlsTable(Table):
    """TLS at both ends."""

    version: float | str | None = Field(default=None, description='"1.3" or "1.2"')
    """TLS over TCP; QUIC always has 1.3. Default: {TLS_VERSION}."""
    resumption: str | None = Field(default=None, description='"none", "ticket" or "early-data"')
    """What later connections use of earlier ones: `ticket` shortens the handshake, `early-data` sends
    requests in the first flight (TLS 1.3). Default: {RESUMPTION}.
    """
    key_exchange: str | None = Field(default=None, description='"x25519" or "x25519mlkem768"')
    """`x25519mlkem768` needs a ClientHello of two packets; TLS 1.3 and QUIC only. Default: {KEY_EXCHANGE}."""


class DnsTable(Table):
    """Names: whom the client of a page asks for addresses, and over what."""

    protocol: str | None = Field(default=None, description='"none", "do53", "dot", "doh" or "doq"')
    """`none` (addresses are known), `do53` (UDP), `dot` (TLS), `doh` (HTTP/2) or `doq` (QUIC). Default:
    {DNS}.
    """
    resolver: str | None = Field(default=None, description='"gateway" or "terminal"')
    """At the `gateway`, beyond the satellite, or at the `terminal`. Default: {RESOLVER}."""
    cache: str | None = Field(default=None, description='"warm" or "cold"')
    """`warm`: the resolver knows the names. `cold`: it asks authoritative servers, from the terminal over the
    satellite. Default: {RESOLVER_CACHE}.
    """
    recursion: str | None = Field(default=None, description=DURATION)
    """Time a resolver at the gateway takes to answer a name that it has not cached. Required with `cache =
    "cold"` at the gateway.
    """
    connection: str | None = Field(default=None, description='"cold" or "warm"')
    """`cold`: the first lookup opens the connection to the resolver; `warm`: it exists before the load (not
    with `do53`). Default: {RESOLVER_CONNECTION}.
    """


class HostTable(Table):
    """What the processor of a host takes for things."""

    tls_handshake: str | None = Field(default=None, description=DURATION)
    """Processor time of a TLS handshake, over TCP or in QUIC. Default: {PROCESSOR_TIME}."""
    tls_record: str | None = Field(default=None, description=DURATION)
    """Processor time of a full TLS record (16 KiB) sent or received over TCP; shorter ones in proportion.
    Default: {PROCESSOR_TIME}.
    """
    quic_packet: str | None = Field(default=None, description=DURATION)
    """Processor time of a QUIC datagram sent or received. Default: {PROCESSOR_TIME}."""


class HostsTable(Table):
    """How fast the hosts are."""

    client: HostTable | None = Field(default=None, description=A_TABLE)
    """The client's processor."""
    server: HostTable | None = Field(default=None, description=A_TABLE)
    """The server's processor."""
    wakeup_latency: str | list[list[str]] | None = Field(default=None, description=LATENCIES)
    """How late the programs of simulated hosts run after sleep: one time, or by the shortest sleep for which
    it holds, `[["0 s", "60 us"], ["20 ms", "90 us"]]`. Default: {WAKEUP_LATENCY}.
    """
    packet_spacing: str | None = Field(default=None, description=DURATION)
    """How far apart packets come out of the simulated link at least, both directions together. Default:
    {PACKET_SPACING}.
    """


class PepTable(Table):
    """A performance-enhancing proxy."""

    kind: str | None = Field(
        default=None, description='"none", "split", "tunnel", "proxy", "masque" or "quic-split"'
    )
    """`split`: transparent TCP splitting. `tunnel`: hosts' packets are tunnelled past such a proxy. `proxy`:
    HTTP proxy at the gateway, reached by CONNECT over HTTP/2, for pages except `h3`. `masque`: UDP proxy at
    the gateway, reached by CONNECT-UDP over QUIC (RFC 9298). `quic-split`: proxies with the server's key at
    terminal and gateway terminate QUIC. The last two are for `h3` and flows over QUIC. Required.
    """
    place: str | None = Field(default=None, description='"terminal", "gateway" or "both"')
    """Where `split` is. Default: {PEP_PLACE}."""
    cc: str | None = Field(default=None, description='a congestion control such as "hybla"')
    """Congestion control over the satellite, of all kinds but `tunnel`; of `masque` that of the outer
    connection, whose other settings are `quic`'s; inner connections have the run's. Default: the run's.
    """
    relay_buffer: str | None = Field(default=None, description='a size such as "256 KiB"')
    """Most data held for one direction of a connection between its two sockets, of `quic-split` on the side
    of each host; of `masque` what waits for the outer connection. Default: {PEP_RELAY_BUFFER}.
    """
    header: str | None = Field(default=None, description='a size such as "24 B"')
    """Bytes that `tunnel` adds to each packet. Default: {TUNNEL_HEADER}."""
    standing: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Terminal and gateway have connections before the run, one of which each client connection takes;
    `split` at `both` places. Default: {PEP_STANDING}.
    """
    tcp: TcpTable | None = Field(default=None, description=A_TABLE)
    """TCP over the satellite for `split` and `proxy`: the keys of `tcp` except those of a client
    (`connect_retry` to `idle_fallback`). Nothing is inherited from `tcp`.
    """
    quic: QuicTable | None = Field(default=None, description=A_TABLE)
    """QUIC over the satellite for `quic-split`: the keys of `quic`. Nothing is inherited; the initial window
    has as many packets as `tcp`'s.
    """


class ResumeTable(Table):
    """Careful Resume (RFC 9959)."""

    method: str | None = Field(default=None, description='"none" or "careful"')
    """`careful` starts from saved path parameters. Default: {RESUME} if there is a table."""
    saved_capacity: str | None = Field(
        default=None, description='a size such as "2.5 MB", or "2 x" of the link\'s'
    )
    """Saved bytes per round trip, or a multiple of the BDP (`2 x` overestimates). Required for flows.
    Default: of a page with `visit = "repeat"` what the first visit observes.
    """
    saved_rtt: str | None = Field(
        default=None, description='a duration such as "600 ms", or "2 x" of the link\'s'
    )
    """Saved RTT, or a multiple of the link's. Default: {RESUME_SAVED_RTT}."""
    saved_age: str | None = Field(default=None, description=DURATION)
    """Age of what was saved. Default: {RESUME_SAVED_AGE}."""
    lifetime: str | None = Field(default=None, description=DURATION)
    """Age from which it is not used. Default: {RESUME_LIFETIME}."""
    max_jump: str | None = Field(default=None, description=SIZE)
    """Largest window to jump to. Default: half of what is saved."""


class ValidityTable(Table):
    """When a run's numbers may be trusted."""

    lateness: str | None = Field(default=None, description=DURATION)
    """A run is invalid if more than 0.1 % of the packets were released later than this. Default: 0.5 % of the
    RTT, at least 1 ms, above 100 Mbit/s at least 2 ms.
    """
    timeout: str | None = Field(default=None, description=DURATION)
    """A run fails if it takes longer. Default: 60 s and five times the ideal time, of a page at least 120 s.
    """


class CaptureTable(Table):
    """What is kept besides the record."""

    pcapng: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Keep all packets, with the TLS secrets. Default: {PCAPNG}."""
    qlog: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    """Keep QUIC's events. Default: {QLOG}."""


class RunTable(Table):
    """One cell of the experiment, complete."""

    hint_at_lists: ClassVar[str] = ": what varies stands in [matrix]"

    link: Annotated[LinkTable | None, named("base")] = Field(
        default=None, description="a preset's name, a TOML file, an inline pipe or a table"
    )
    """A preset's name, a TOML file (path from the scenario's folder), an inline pipe, or a table. Required.
    """
    server_behind: str | None = Field(default=None, description='"gateway" or "terminal"')
    """The server is behind the satellite's gateway or behind the terminal; in the latter case its data takes
    the return link. Default: {SERVER_BEHIND}.
    """
    terrestrial: TerrestrialTable | None = Field(default=None, description=A_TABLE)
    """The network between gateway and server. On the simulate engine."""
    http: str | None = Field(default=None, description='an HTTP version such as "h3"')
    """`http10`, `h1`, `h2c` in clear text; `http10s`, `h1s`, `h2`, `spdy` (3.1) over TLS; `h3` over QUIC.
    Required by `page`.
    """
    cc: str | None = Field(default=None, description='a congestion control such as "bbr"')
    """Congestion control of every sender: `reno`, `cubic`, `bbr`, `bbr3`, `hybla`, `vivace`, `prague`. QUIC
    has all; simulated TCP all but `prague`; the kernel's TCP `reno`, `cubic`, `bbr` and, as eBPF programs,
    `hybla` and `vivace`. Default: {CONGESTION_CONTROL}.
    """
    page: Annotated[PageTable | None, named("name")] = Field(
        default=None, description='a page\'s name such as "uniform-100k", or a table'
    )
    """A built-in page (`bentpipe pages`), `har:FILE`, `dir:FOLDER`, or a table with `name` and `objects`."""
    connections: int | None = Field(default=None, description=COUNT)
    """Parallel connections of HTTP/1.0 and HTTP/1.1; other versions use one. Default: {CONNECTIONS}."""
    requests_per_connection: int | str | None = Field(
        default=None, description='a whole number, or "unlimited"'
    )
    """Requests after which an HTTP/1.1 connection is closed; 1 is non-persistent, as HTTP/1.0 always is.
    Default: {REQUESTS_PER_CONNECTION}.
    """
    pipelining: int | None = Field(default=None, description=COUNT)
    """Outstanding HTTP/1.1 requests per connection, 1 to 32. Default: {PIPELINING}."""
    optimistic_pipelining: int | None = Field(default=None, description=COUNT)
    """Outstanding requests of `h1` and `h1s` on a connection without a response yet, 1 to 32. Default: as
    `pipelining`.
    """
    push: str | None = Field(default=None, description='a share such as "50 %"')
    """Share of the objects, the first of the page, that the origin pushes: `h2`, `h2c`, `spdy`. Default:
    {PUSH}.
    """
    priorities: str | None = Field(default=None, description='"off", "unstated" or "on"')
    """`on`: requests carry priorities and the origin follows them (RFC 9218, SPDY's own). `unstated`:
    requests carry none and the origin serves them in order, RFC 9218's default (not `spdy`). `off`: responses
    share the connection evenly. Default: {PRIORITIES}.
    """
    response_header: str | None = Field(default=None, description='a size such as "291 B"')
    """Size of each response header in HTTP/1.1 form, 200 B to 16 KiB: Apache 2.2's fields, padded. Default:
    the origin's own fields, about 110 B.
    """
    visit: str | None = Field(default=None, description='"first" or "repeat"')
    """`repeat`: the client has tickets, TCP Fast Open cookies and address tokens of a visit before, but no
    connection. Default: {VISIT}.
    """
    slow_start: str | None = Field(
        default=None, description='"linux", "linux-4.15", "hystart++", "search" or "loss"'
    )
    """How slow start ends. `linux`: as each congestion control does; `linux-4.15`: CUBIC over TCP as before
    Linux 5.8, `simulate` only; `loss`: CUBIC by loss only (RFC 5681); `hystart++` (RFC 9406) and `search`
    (draft-chung-ccwg-search): for `reno` and `cubic`. The kernel's TCP takes `linux` and, as an eBPF program,
    `search` with `cubic`. Default: {SLOW_START}.
    """
    bulk: BulkTable | None = Field(default=None, description=A_TABLE)
    """One flow, or several at once."""
    ping: PingTable | None = Field(default=None, description=A_TABLE)
    """UDP echo requests."""
    dscp: int | str | None = Field(default=None, description=DSCP)
    """Code point of the run's packets (RFC 4594); links may map it to a class. Default: none."""
    client: str | None = Field(default=None, description='a client such as "loader" or "iperf3"')
    """`loader` is Bentpipe's; `chromium`, `firefox` and `iperf3` on the emulate engine. Default: {CLIENT}."""
    server: str | None = Field(default=None, description='a server such as "bentpipe" or "iperf3"')
    """`bentpipe` is Bentpipe's; `nginx`, `caddy` and `iperf3` on the emulate engine. Default: {SERVER}."""
    pep: Annotated[PepTable | None, named("kind")] = Field(
        default=None, description='a proxy such as "split", or a table'
    )
    """Performance-enhancing proxy, a kind or a table. Default: {PEP}."""
    tcp: TcpTable | None = Field(default=None, description=A_TABLE)
    """TCP at both ends."""
    bbr: BbrTable | None = Field(default=None, description=A_TABLE)
    """BBR version 1 at both ends."""
    quic: QuicTable | None = Field(default=None, description=A_TABLE)
    """QUIC at both ends."""
    resume: Annotated[ResumeTable | None, named("method")] = Field(
        default=None, description='"none", "careful" or a table'
    )
    """Careful Resume (RFC 9959): a method or a table. Default: none."""
    http2: Http2Table | None = Field(default=None, description=A_TABLE)
    """HTTP/2 and SPDY at both ends."""
    tls: TlsTable | None = Field(default=None, description=A_TABLE)
    """TLS at both ends."""
    dns: Annotated[DnsTable | None, named("protocol")] = Field(
        default=None, description='a protocol such as "doh", or a table'
    )
    """Lookups of names: a protocol or a table. Default: {DNS}."""
    host: HostsTable | None = Field(default=None, description=A_TABLE)
    """Processor times; `bentpipe bench --host` measures this machine's."""
    validity: ValidityTable | None = Field(default=None, description=A_TABLE)
    """Bounds of validity."""
    capture: CaptureTable | None = Field(default=None, description=A_TABLE)
    """Captures to keep."""


class QuickTable(Table):
    """What `--quick` changes."""

    repetitions: int | None = Field(default=None, description=COUNT)
    """Runs per cell with `--quick`. Default: {QUICK_REPETITIONS}."""
    matrix: object = Field(default=None, description="a table of lists, or a list of such tables")
    """The matrix with `--quick`. Default: that of the scenario."""


class SimulateTable(Table):
    """What the simulate engine changes: its runs cost little."""

    repetitions: int | None = Field(default=None, description=COUNT)
    """Runs per cell on the simulate engine; `--quick` and `--set repetitions` take precedence. Default:
    `repetitions`.
    """


class ScenarioTable(Table):
    """The whole file. The cells are checked one by one once the matrix has completed them."""

    name: str | None = Field(default=None, description="a name")
    """Name of the experiment and of its folder `results/NAME`. Default: the file's name."""
    title: Line | None = Field(default=None, description=LINE)
    """Heading of the report. Default: `name`."""
    description: Text | None = Field(default=None, description=TEXT)
    """Text of the report. Default: none."""
    repetitions: int | None = Field(default=None, description=COUNT)
    """Runs per cell. Default: {REPETITIONS}."""
    seed: int | None = Field(default=None, description=COUNT)
    """Seed of all random streams; each run derives its own from this, its cell and its repetition. Default:
    {SEED}.
    """
    run: TomlTable | None = Field(default=None, description=A_TABLE)
    """Settings common to all runs."""
    matrix: object = Field(default=None, description="a table of lists, or a list of such tables")
    """Lists of values by dotted key; every combination is a cell. Cells of several tables are united.
    Default: one cell.
    """
    quick: QuickTable | None = Field(default=None, description=A_TABLE)
    """Changes by `--quick`."""
    simulate: SimulateTable | None = Field(default=None, description=A_TABLE)
    """Changes on the simulate engine."""
