"""Performance-enhancing proxies.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen

from .cc import Algorithm
from .hosts import QuicSpec, TcpSpec
from .switch import Switch


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
