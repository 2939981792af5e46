"""What both ends of a run have: `crates/run/src/{spec,page_load,tls,pep}.rs` and `crates/tcp`."""

from typing import Literal, NotRequired, TypeAlias, TypedDict

from bentpipe.scenario.written.vocabulary import CongestionControl, PepPlace, Resumption, Switch, TlsVersion


class TcpSpec(TypedDict):
    """TCP at either end; what is not in use is not in it."""

    initial_window: int
    receive_buffer_bytes: int
    send_buffer_bytes: int
    slow_start_after_idle: bool
    fast_open: NotRequired[Switch]
    nagle: NotRequired[Switch]
    quick_ack: NotRequired[Switch]
    connect_retry_ns: NotRequired[int]
    idle_reset_ns: NotRequired[int]


class QuicSpec(TypedDict):
    """QUIC at either end."""

    initial_window_bytes: int
    initial_rtt_ns: int
    stream_receive_window_bytes: int
    receive_window_bytes: int
    send_window_bytes: int
    udp_payload_bytes: int
    max_concurrent_streams: int


class Http2Spec(TypedDict):
    """HTTP/2 and SPDY at either end."""

    stream_window_bytes: int
    connection_window_bytes: int
    max_concurrent_streams: int
    header_table_bytes: NotRequired[int]


class TlsSpec(TypedDict):
    """TLS at either end."""

    version: TlsVersion
    resumption: Resumption


class OverSatelliteSpec(TypedDict):
    """What a proxy has that ends connections."""

    cc: CongestionControl
    tcp: TcpSpec
    relay_buffer_bytes: int


class SplitSpec(OverSatelliteSpec):
    """A proxy that splits TCP connections unasked."""

    kind: Literal["split"]
    place: PepPlace


class TunnelSpec(TypedDict):
    """A tunnel, whose header every packet bears."""

    kind: Literal["tunnel"]
    header_bytes: int


class ProxySpec(OverSatelliteSpec):
    """A proxy that is asked to connect (HTTP CONNECT)."""

    kind: Literal["proxy"]


PepSpec: TypeAlias = SplitSpec | TunnelSpec | ProxySpec
