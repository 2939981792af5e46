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
    SIZE,
    TRUE_OR_FALSE,
    Table,
    named,
)
from bentpipe.scenario.written.texts import LINE, TEXT, Line, Text
from bentpipe.scenario.written.toml import TomlTable

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
    objects: list[str] | None = Field(
        default=None, description='a list of sizes such as ["12.5 kB", "50 kB"]'
    )


class FlowTable(Table):
    """What tells a flow from those beside it."""

    cc: str | None = Field(default=None, description='a congestion control such as "bbr"')
    transport: str | None = Field(default=None, description='"tcp" or "quic"')
    start: str | None = Field(default=None, description=DURATION)
    dscp: int | str | None = Field(default=None, description=DSCP)


class BulkTable(Table):
    """One flow, or several at once."""

    transport: str | None = Field(default=None, description='"tcp" or "quic"')
    direction: str | None = Field(default=None, description='"down" or "up"')
    size: str | None = Field(default=None, description=SIZE)
    duration: str | None = Field(default=None, description=DURATION)
    flows: list[Annotated[FlowTable, BeforeValidator(_flow)]] | None = Field(
        default=None,
        description='a list of flows such as ["cubic", "quic:bbr", { cc = "hybla", start = "10 s" }]',
    )


class PingTable(Table):
    """UDP echo requests."""

    count: int | None = Field(default=None, description=COUNT)
    interval: str | None = Field(default=None, description=DURATION)
    size: str | None = Field(default=None, description='a size such as "20 B"')


class AckFrequencyTable(Table):
    """What each end of QUIC asks of the other (draft-ietf-quic-ack-frequency); of TCP there is none."""

    ack_eliciting_threshold: int | None = Field(default=None, description="a whole number of packets")
    requested_max_ack_delay: str | None = Field(default=None, description=DURATION)
    reordering_threshold: int | None = Field(default=None, description="a whole number of packets")


class TcpTable(Table):
    """TCP at both ends."""

    initial_window: int | None = Field(default=None, description="a whole number of segments")
    initial_receive_window: int | None = Field(default=None, description="a whole number of segments")
    receive_buffer: str | None = Field(default=None, description=SIZE)
    send_buffer: str | None = Field(default=None, description=SIZE)
    slow_start_after_idle: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    fast_open: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    nagle: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    timestamps: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    ecn: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    quick_ack: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    ack_frequency: AckFrequencyTable | None = Field(default=None, description=A_TABLE)
    connect_retry: str | None = Field(default=None, description=DURATION_OR_OFF)
    connect_retries: int | None = Field(default=None, description=COUNT)
    idle_reset: str | None = Field(default=None, description=DURATION_OR_OFF)
    idle_fallback: bool | None = Field(default=None, description=TRUE_OR_FALSE)


class BbrTable(Table):
    """BBR version 1 at both ends."""

    extra_acked: bool | None = Field(default=None, description=TRUE_OR_FALSE)


class QuicTable(Table):
    """QUIC at both ends."""

    initial_window: str | None = Field(default=None, description='a size such as "14720 B"')
    initial_rtt: str | None = Field(default=None, description=DURATION)
    stream_receive_window: str | None = Field(default=None, description=SIZE)
    receive_window: str | None = Field(default=None, description=SIZE)
    send_window: str | None = Field(default=None, description=SIZE)
    udp_payload: str | None = Field(default=None, description='a size such as "1472 B"')
    max_concurrent_streams: int | None = Field(default=None, description=COUNT)
    cwnd_validation: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    ack_frequency: AckFrequencyTable | None = Field(default=None, description=A_TABLE)
    ecn: bool | None = Field(default=None, description=TRUE_OR_FALSE)


class Http2Table(Table):
    """HTTP/2 at both ends; SPDY has the same windows and limits."""

    stream_window: str | None = Field(default=None, description=SIZE)
    connection_window: str | None = Field(default=None, description=SIZE)
    max_concurrent_streams: int | None = Field(default=None, description=COUNT)
    header_table: str | None = Field(default=None, description='a size such as "4096 B"')


class TlsTable(Table):
    """TLS at both ends."""

    version: float | str | None = Field(default=None, description='"1.3" or "1.2"')
    resumption: str | None = Field(default=None, description='"none", "ticket" or "early-data"')
    key_exchange: str | None = Field(default=None, description='"x25519" or "x25519mlkem768"')


class DnsTable(Table):
    """Names: whom the client of a page asks for addresses, and over what."""

    protocol: str | None = Field(default=None, description='"none", "do53", "dot", "doh" or "doq"')
    resolver: str | None = Field(default=None, description='"gateway" or "terminal"')
    cache: str | None = Field(default=None, description='"warm" or "cold"')
    recursion: str | None = Field(default=None, description=DURATION)
    connection: str | None = Field(default=None, description='"cold" or "warm"')


class HostTable(Table):
    """What the processor of a host takes for things."""

    tls_handshake: str | None = Field(default=None, description=DURATION)
    tls_record: str | None = Field(default=None, description=DURATION)
    quic_packet: str | None = Field(default=None, description=DURATION)


class HostsTable(Table):
    """How fast the hosts at both ends are."""

    client: HostTable | None = Field(default=None, description=A_TABLE)
    server: HostTable | None = Field(default=None, description=A_TABLE)


class PepTable(Table):
    """A performance-enhancing proxy."""

    kind: str | None = Field(
        default=None, description='"none", "split", "tunnel", "proxy", "masque" or "quic-split"'
    )
    place: str | None = Field(default=None, description='"terminal", "gateway" or "both"')
    cc: str | None = Field(default=None, description='a congestion control such as "hybla"')
    relay_buffer: str | None = Field(default=None, description='a size such as "256 KiB"')
    header: str | None = Field(default=None, description='a size such as "24 B"')
    standing: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    tcp: TcpTable | None = Field(default=None, description=A_TABLE)
    quic: QuicTable | None = Field(default=None, description=A_TABLE)


class ResumeTable(Table):
    """Careful Resume (RFC 9959)."""

    method: str | None = Field(default=None, description='"none" or "careful"')
    saved_capacity: str | None = Field(
        default=None, description='a size such as "2.5 MB", or "2 x" of the link\'s'
    )
    saved_rtt: str | None = Field(
        default=None, description='a duration such as "600 ms", or "2 x" of the link\'s'
    )
    saved_age: str | None = Field(default=None, description=DURATION)
    lifetime: str | None = Field(default=None, description=DURATION)
    max_jump: str | None = Field(default=None, description=SIZE)


class ValidityTable(Table):
    """When a run's numbers may be trusted."""

    lateness: str | None = Field(default=None, description=DURATION)
    timeout: str | None = Field(default=None, description=DURATION)


class CaptureTable(Table):
    """What is kept besides the record."""

    pcapng: bool | None = Field(default=None, description=TRUE_OR_FALSE)
    qlog: bool | None = Field(default=None, description=TRUE_OR_FALSE)


class RunTable(Table):
    """One cell of the experiment, complete."""

    hint_at_lists: ClassVar[str] = ": what varies stands in [matrix]"

    link: Annotated[LinkTable | None, named("base")] = Field(
        default=None, description="a preset's name, a TOML file, an inline pipe or a table"
    )
    server_behind: str | None = Field(default=None, description='"gateway" or "terminal"')
    terrestrial: TerrestrialTable | None = Field(default=None, description=A_TABLE)
    http: str | None = Field(default=None, description='an HTTP version such as "h3"')
    cc: str | None = Field(default=None, description='a congestion control such as "bbr"')
    page: Annotated[PageTable | None, named("name")] = Field(
        default=None, description='a page\'s name such as "uniform-100k", or a table'
    )
    connections: int | None = Field(default=None, description=COUNT)
    requests_per_connection: int | str | None = Field(
        default=None, description='a whole number, or "unlimited"'
    )
    pipelining: int | None = Field(default=None, description=COUNT)
    optimistic_pipelining: int | None = Field(default=None, description=COUNT)
    push: str | None = Field(default=None, description='a share such as "50 %"')
    priorities: str | None = Field(default=None, description='"off", "unstated" or "on"')
    response_header: str | None = Field(default=None, description='a size such as "291 B"')
    visit: str | None = Field(default=None, description='"first" or "repeat"')
    slow_start: str | None = Field(
        default=None, description='"linux", "linux-4.15", "hystart++", "search" or "loss"'
    )
    bulk: BulkTable | None = Field(default=None, description=A_TABLE)
    ping: PingTable | None = Field(default=None, description=A_TABLE)
    dscp: int | str | None = Field(default=None, description=DSCP)
    client: str | None = Field(default=None, description='a client such as "loader" or "iperf3"')
    server: str | None = Field(default=None, description='a server such as "bentpipe" or "iperf3"')
    pep: Annotated[PepTable | None, named("kind")] = Field(
        default=None, description='a proxy such as "split", or a table'
    )
    tcp: TcpTable | None = Field(default=None, description=A_TABLE)
    bbr: BbrTable | None = Field(default=None, description=A_TABLE)
    quic: QuicTable | None = Field(default=None, description=A_TABLE)
    resume: Annotated[ResumeTable | None, named("method")] = Field(
        default=None, description='"none", "careful" or a table'
    )
    http2: Http2Table | None = Field(default=None, description=A_TABLE)
    tls: TlsTable | None = Field(default=None, description=A_TABLE)
    dns: Annotated[DnsTable | None, named("protocol")] = Field(
        default=None, description='a protocol such as "doh", or a table'
    )
    host: HostsTable | None = Field(default=None, description=A_TABLE)
    validity: ValidityTable | None = Field(default=None, description=A_TABLE)
    capture: CaptureTable | None = Field(default=None, description=A_TABLE)


class QuickTable(Table):
    """What `--quick` changes."""

    repetitions: int | None = Field(default=None, description=COUNT)
    matrix: object = Field(default=None, description="a table of lists, or a list of such tables")


class SimulateTable(Table):
    """What the simulate engine changes: its runs cost little."""

    repetitions: int | None = Field(default=None, description=COUNT)


class ScenarioTable(Table):
    """The whole file. The cells are checked one by one once the matrix has completed them."""

    name: str | None = Field(default=None, description="a name")
    title: Line | None = Field(default=None, description=LINE)
    description: Text | None = Field(default=None, description=TEXT)
    repetitions: int | None = Field(default=None, description=COUNT)
    seed: int | None = Field(default=None, description=COUNT)
    run: TomlTable | None = Field(default=None, description=A_TABLE)
    matrix: object = Field(default=None, description="a table of lists, or a list of such tables")
    quick: QuickTable | None = Field(default=None, description=A_TABLE)
    simulate: SimulateTable | None = Field(default=None, description=A_TABLE)
