"""A run: its hosts, its proxy, its workload and when its numbers are valid.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen

from .cc import Algorithm, BbrSpec, ResumeSpec, SlowStartChoice
from .channel import LossSpec
from .flow import BulkWorkload, FlowsWorkload, Iperf3Workload
from .hosts import (
    DnsSpec,
    HostsSpec,
    Http2Spec,
    KeyExchange,
    QuicSpec,
    TcpSpec,
    TlsSpec,
)
from .link import LinkSpec
from .page import PageLoadWorkload
from .pep import PepSpec

ServerBehind = TypeAliasType("ServerBehind", Literal["terminal"])
"""Where the server is, where that is not behind the gateway."""


class PingWorkload(Frozen):
    """Send UDP echo requests."""

    kind: Literal["ping"] = "ping"
    count: int
    """Number of requests."""
    interval_ns: int
    """Time between two requests."""
    payload_bytes: int
    """UDP payload of each; at least 20."""


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
