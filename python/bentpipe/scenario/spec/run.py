"""A run without its seed, and its workload: `crates/run/src/{spec,page_load,flows}.rs`."""

from typing import Literal, NotRequired, TypeAlias, TypedDict

from bentpipe.scenario.spec.hosts import Http2Spec, PepSpec, QuicSpec, TcpSpec, TlsSpec
from bentpipe.scenario.spec.link import LinkSpec
from bentpipe.scenario.spec.page import PageSpec
from bentpipe.scenario.written.vocabulary import CongestionControl, Direction, Http, Switch, Transport

Browser: TypeAlias = Literal["chromium", "firefox"]
WebServer: TypeAlias = Literal["nginx", "caddy"]


class PageLoadSpec(TypedDict):
    """The load of a page; what is not in use is not in it."""

    kind: Literal["page-load"]
    http: Http
    connections: int
    page: PageSpec
    requests_per_connection: NotRequired[int]
    pipelining: NotRequired[int]
    push_percent: NotRequired[int]
    priorities: NotRequired[Switch]
    visit: NotRequired[Literal["repeat"]]


class ExtentSpec(TypedDict):
    """Which way flows send, and how much or how long."""

    direction: Direction
    bytes: int | None
    duration_ns: int | None


class BulkSpec(ExtentSpec):
    """One bulk flow, of our programs or of iperf3."""

    kind: Literal["bulk", "iperf3"]
    transport: Transport


class FlowSpec(TypedDict):
    """A flow among others."""

    cc: CongestionControl
    transport: Transport
    start_ns: int
    dscp: NotRequired[int]


class FlowsSpec(ExtentSpec):
    """Several bulk flows at once."""

    kind: Literal["flows"]
    flows: list[FlowSpec]


class PingSpec(TypedDict):
    """UDP echo requests."""

    kind: Literal["ping"]
    count: int
    interval_ns: int
    payload_bytes: int


Workload: TypeAlias = PageLoadSpec | BulkSpec | FlowsSpec | PingSpec


class ValiditySpec(TypedDict):
    """When a run's numbers may be trusted."""

    lateness_p999_ns: int
    timeout_ns: int


class CaptureSpec(TypedDict):
    """What is kept besides the record."""

    pcapng: bool
    qlog: bool


class RunSpec(TypedDict):
    """A run without its seed; what is not in use is not in it."""

    link: LinkSpec
    cc: CongestionControl
    tcp: TcpSpec
    quic: QuicSpec
    http2: Http2Spec
    workload: Workload
    validity: ValiditySpec
    capture: CaptureSpec
    tls: NotRequired[TlsSpec]
    pep: NotRequired[PepSpec]
    client: NotRequired[Browser]
    server: NotRequired[WebServer]
    slow_start: NotRequired[Literal["hystart++"]]
    dscp: NotRequired[int]
