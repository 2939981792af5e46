"""The values that scenarios name."""

from dataclasses import dataclass

from bentpipe.scenario.written.location import Location, closest, quoted


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The names that one key accepts."""

    available: tuple[str, ...]

    def checked(self, name: str, where: Location) -> str:
        """Return `name` when it is available.

        Raises
        ------
        InputError
            When it is unknown.
        """
        if name in self.available:
            return name
        suggestion = closest(name, self.available)
        raise where.error(expected=one_of(self.available), found=quoted(name), suggestion=suggestion)


def one_of(names: tuple[str, ...]) -> str:
    """Write a list of names as a choice."""
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"


HTTP = Vocabulary(available=("http10", "http10s", "h1", "h1s", "h2", "h2c", "h3", "spdy"))
CONGESTION_CONTROL = Vocabulary(available=("reno", "cubic", "bbr", "bbr3", "hybla", "vivace"))
TRANSPORT = Vocabulary(available=("tcp", "quic"))
DIRECTION = Vocabulary(available=("down", "up"))
CLIENT = Vocabulary(available=("loader", "chromium", "firefox", "iperf3"))
SERVER = Vocabulary(available=("bentpipe", "nginx", "caddy", "iperf3"))
OBJECT_KIND = Vocabulary(available=("image", "script", "style", "font", "other"))
PEP = Vocabulary(available=("none", "split", "tunnel", "proxy"))
PEP_PLACE = Vocabulary(available=("terminal", "gateway", "both"))
TLS_VERSION = Vocabulary(available=("1.3", "1.2"))
RESUMPTION = Vocabulary(available=("none", "ticket", "early-data"))
VISIT = Vocabulary(available=("first", "repeat"))
SWITCH = Vocabulary(available=("off", "on"))
SLOW_START = Vocabulary(available=("linux", "hystart++"))
FECFRAME = Vocabulary(available=("normal", "short"))
PILOTS = Vocabulary(available=("on", "off"))
IDLE = Vocabulary(available=("dummy-frames", "silence"))
DVBS2_ENCAPSULATION = Vocabulary(available=("gse", "mpe", "ule"))
RCS2_ENCAPSULATION = Vocabulary(available=("rle", "mpe", "ule"))
LABEL = Vocabulary(available=("0 B", "3 B", "6 B"))
RLE_PROTOCOL = Vocabulary(available=("0 B", "1 B", "2 B"))
RLE_PROTECTION = Vocabulary(available=("sequence", "crc"))
PLACEMENT = Vocabulary(available=("spread", "contiguous"))
VOLUME_ORDER = Vocabulary(available=("oldest-first", "largest-first"))

MULTIPLEXING_HTTP = ("h2", "h2c", "h3", "spdy")
"""HTTP versions with streams."""
SINGLE_CONNECTION_HTTP = MULTIPLEXING_HTTP
"""HTTP versions that use one connection to an origin whatever the number asked for."""
PERSISTENT_HTTP = ("h1", "h1s")
"""HTTP versions with one request after the other over connections that last."""
PUSHING_HTTP = ("h2", "h2c", "spdy")
"""HTTP versions of which the origin can push."""
CLEAR_HTTP = ("http10", "h1", "h2c")
"""HTTP versions without TLS."""
LOSS_BASED = ("reno", "cubic")
"""Congestion controls with a slow start that HyStart++ ends (RFC 9406 section 4)."""
