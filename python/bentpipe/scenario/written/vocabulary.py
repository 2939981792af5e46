"""The values that scenarios name."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar, get_args

from bentpipe.scenario.written.location import Location, closest, quoted

Name = TypeVar("Name", bound=str)


@dataclass(frozen=True, kw_only=True)
class Vocabulary(Generic[Name]):
    """The names that one key accepts."""

    available: tuple[Name, ...]

    def checked(self, name: str, where: Location) -> Name:
        """Return `name` when it is available.

        Raises
        ------
        InputError
            When it is unknown.
        """
        for known in self.available:
            if name == known:
                return known
        suggestion = closest(name, self.available)
        raise where.error(expected=one_of(self.available), found=quoted(name), suggestion=suggestion)


def one_of(names: tuple[str, ...]) -> str:
    """Write a list of names as a choice."""
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"


Http: TypeAlias = Literal["http10", "http10s", "h1", "h1s", "h2", "h2c", "h3", "spdy"]
CongestionControl: TypeAlias = Literal["reno", "cubic", "bbr", "bbr3", "hybla", "vivace", "prague"]
Transport: TypeAlias = Literal["tcp", "quic"]
ServerBehind: TypeAlias = Literal["gateway", "terminal"]
Direction: TypeAlias = Literal["down", "up"]
Client: TypeAlias = Literal["loader", "chromium", "firefox", "iperf3"]
Server: TypeAlias = Literal["bentpipe", "nginx", "caddy", "iperf3"]
ObjectKind: TypeAlias = Literal["image", "script", "style", "font", "other"]
Pep: TypeAlias = Literal["none", "split", "tunnel", "proxy", "masque", "quic-split"]
PepPlace: TypeAlias = Literal["terminal", "gateway", "both"]
TlsVersion: TypeAlias = Literal["1.3", "1.2"]
Resumption: TypeAlias = Literal["none", "ticket", "early-data"]
KeyExchange: TypeAlias = Literal["x25519", "x25519mlkem768"]
DnsProtocol: TypeAlias = Literal["none", "do53", "dot", "doh", "doq"]
ResolverPlace: TypeAlias = Literal["gateway", "terminal"]
ResolverCache: TypeAlias = Literal["warm", "cold"]
ResolverConnection: TypeAlias = Literal["cold", "warm"]
Visit: TypeAlias = Literal["first", "repeat"]
Priorities: TypeAlias = Literal["off", "unstated", "on"]
Switch: TypeAlias = Literal["off", "on"]
SlowStart: TypeAlias = Literal["linux", "linux-4.15", "hystart++", "search", "loss"]
FecFrame: TypeAlias = Literal["normal", "short"]
Pilots: TypeAlias = Literal["on", "off"]
Idle: TypeAlias = Literal["dummy-frames", "silence"]
Dvbs2Encapsulation: TypeAlias = Literal["gse", "mpe", "ule"]
Rcs2Encapsulation: TypeAlias = Literal["rle", "mpe", "ule"]
Label: TypeAlias = Literal["0 B", "3 B", "6 B"]
RleProtocol: TypeAlias = Literal["0 B", "1 B", "2 B"]
RleProtection: TypeAlias = Literal["sequence", "crc"]
Resume: TypeAlias = Literal["none", "careful"]
Placement: TypeAlias = Literal["spread", "contiguous"]
VolumeOrder: TypeAlias = Literal["oldest-first", "largest-first"]
Aqm: TypeAlias = Literal["dualpi2"]

HTTP: Vocabulary[Http] = Vocabulary(available=get_args(Http))
CONGESTION_CONTROL: Vocabulary[CongestionControl] = Vocabulary(available=get_args(CongestionControl))
TRANSPORT: Vocabulary[Transport] = Vocabulary(available=get_args(Transport))
SERVER_BEHIND: Vocabulary[ServerBehind] = Vocabulary(available=get_args(ServerBehind))
DIRECTION: Vocabulary[Direction] = Vocabulary(available=get_args(Direction))
CLIENT: Vocabulary[Client] = Vocabulary(available=get_args(Client))
SERVER: Vocabulary[Server] = Vocabulary(available=get_args(Server))
OBJECT_KIND: Vocabulary[ObjectKind] = Vocabulary(available=get_args(ObjectKind))
PEP: Vocabulary[Pep] = Vocabulary(available=get_args(Pep))
PEP_PLACE: Vocabulary[PepPlace] = Vocabulary(available=get_args(PepPlace))
TLS_VERSION: Vocabulary[TlsVersion] = Vocabulary(available=get_args(TlsVersion))
RESUMPTION: Vocabulary[Resumption] = Vocabulary(available=get_args(Resumption))
KEY_EXCHANGE: Vocabulary[KeyExchange] = Vocabulary(available=get_args(KeyExchange))
DNS_PROTOCOL: Vocabulary[DnsProtocol] = Vocabulary(available=get_args(DnsProtocol))
RESOLVER_PLACE: Vocabulary[ResolverPlace] = Vocabulary(available=get_args(ResolverPlace))
RESOLVER_CACHE: Vocabulary[ResolverCache] = Vocabulary(available=get_args(ResolverCache))
RESOLVER_CONNECTION: Vocabulary[ResolverConnection] = Vocabulary(available=get_args(ResolverConnection))
VISIT: Vocabulary[Visit] = Vocabulary(available=get_args(Visit))
RESUME: Vocabulary[Resume] = Vocabulary(available=get_args(Resume))
PRIORITIES: Vocabulary[Priorities] = Vocabulary(available=get_args(Priorities))
SWITCH: Vocabulary[Switch] = Vocabulary(available=get_args(Switch))
SLOW_START: Vocabulary[SlowStart] = Vocabulary(available=get_args(SlowStart))
FECFRAME: Vocabulary[FecFrame] = Vocabulary(available=get_args(FecFrame))
PILOTS: Vocabulary[Pilots] = Vocabulary(available=get_args(Pilots))
IDLE: Vocabulary[Idle] = Vocabulary(available=get_args(Idle))
DVBS2_ENCAPSULATION: Vocabulary[Dvbs2Encapsulation] = Vocabulary(available=get_args(Dvbs2Encapsulation))
RCS2_ENCAPSULATION: Vocabulary[Rcs2Encapsulation] = Vocabulary(available=get_args(Rcs2Encapsulation))
LABEL: Vocabulary[Label] = Vocabulary(available=get_args(Label))
RLE_PROTOCOL: Vocabulary[RleProtocol] = Vocabulary(available=get_args(RleProtocol))
RLE_PROTECTION: Vocabulary[RleProtection] = Vocabulary(available=get_args(RleProtection))
PLACEMENT: Vocabulary[Placement] = Vocabulary(available=get_args(Placement))
VOLUME_ORDER: Vocabulary[VolumeOrder] = Vocabulary(available=get_args(VolumeOrder))
AQM: Vocabulary[Aqm] = Vocabulary(available=get_args(Aqm))

MULTIPLEXING_HTTP = ("h2", "h2c", "h3", "spdy")
"""HTTP versions with streams."""
SINGLE_CONNECTION_HTTP = MULTIPLEXING_HTTP
"""HTTP versions that use one connection to an origin whatever the number asked for."""
PERSISTENT_HTTP = ("h1", "h1s")
"""HTTP versions with one request after the other over connections that last."""
RFC_9218_HTTP = ("h2", "h2c", "h3")
"""HTTP versions whose requests may state a priority or none."""
PUSHING_HTTP = ("h2", "h2c", "spdy")
"""HTTP versions of which the origin can push."""
FALLING_BACK_HTTP = ("h2", "spdy")
"""HTTP versions of which a client may go on by HTTP/1.1 over TLS."""
CLEAR_HTTP = ("http10", "h1", "h2c")
"""HTTP versions without TLS."""
RESUMING = ("reno", "cubic", "hybla", "bbr")
"""Congestion controls that can start from what is known of a path (RFC 9959)."""
OVER_TCP: tuple[CongestionControl, ...] = ("reno", "cubic", "bbr", "bbr3", "hybla", "vivace")
"""Congestion controls that TCP can have: only AccECN could tell Prague how many packets were marked."""
LOSS_BASED = ("reno", "cubic")
"""Congestion controls with a slow start that HyStart++ ends (RFC 9406 section 4)."""
