"""What a script by chance does to an endpoint: segments of its peer and calls of its application, in time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tools.agreement_random.draw import Draw

OPENED_AT_S = 0.1
"""When the handshake is over: its round trip."""
GAPS_S = (0.003, 0.007, 0.023, 0.061, 0.13, 0.31)
"""Between events; none is a delay of the endpoint (40, 200 ms and more): things at once have no order."""
REST_S = 1.2
"""Behind the last event: delayed acknowledgements and the first timeouts fall into it."""
MSS_BYTES = (536, 1000, 1460)
SIZES_BYTES = (1, 100, 500, 1000, 1460, 3000, 10_000)
"""Of reads, writes and segments of the peer."""
SHIFTS = (0, 2, 7)
"""Of the peer's window (RFC 7323 section 2)."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a script.

    Attributes
    ----------
    at_s : float
        When, from the script's start, in seconds.
    text : str
        The line without its time.
    """

    at_s: float
    text: str


def stimuli(draw: Draw) -> list[Line]:
    """Return the lines of a script by chance, in their order."""
    return list(_Script(draw).lines())


class _Script:
    """What both ends have done so far, as far as the script's own numbers need it."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._mss_bytes = draw.one_of(*MSS_BYTES)
        self._has_sack, self._has_timestamps = draw.happens(0.7), draw.happens(0.3)
        self._shift = draw.one_of(None, *SHIFTS)
        self._sent_in_order = 1
        self._written = self._acknowledged = 1
        self._is_closed = self._has_ended = False
        self._clock = 1000
        self._at_s = OPENED_AT_S

    def lines(self) -> Iterator[Line]:
        """Yield the handshake, five to fifteen events, and the time to rest."""
        draw = self._draw
        yield from self._at_start("socket(..., SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP) = 3")
        if draw.happens(0.3):
            size = draw.one_of(3000, 10_000, 50_000)
            yield from self._at_start(f"setsockopt(3, SOL_SOCKET, SO_RCVBUF, [{size}], 4) = 0")
        yield from self._at_start("bind(3, ..., ...) = 0", "listen(3, 1) = 0")
        yield from self._at_start(f"< S 0:0(0) win {draw.one_of(5000, 65535)} {self._options_of_syn()}")
        yield from self._at_start("> S. 0:0(0) ack 1 <...>")
        yield self._line(f"< . 1:1(0) ack 1 win {self._window()}{self._options()}")
        yield self._line("accept4(3, ..., ..., SOCK_NONBLOCK) = 4")
        events: dict[Callable[[], str], float] = {
            self._data: 5,
            self._acknowledgement: 5,
            self._write: 4,
            self._read: 3,
            self._option: 1.5,
            self._end_of_peer: 0.3,
            self._end: 0.3,
        }
        for _ in range(draw.count(5, 15)):
            self._wait(draw.one_of(*GAPS_S))
            yield self._line(draw.weighted(events)())
        self._wait(REST_S)
        yield self._line("getsockopt(3, SOL_SOCKET, SO_ERROR, ..., [4]) = 0")

    def _wait(self, wait_s: float) -> None:
        # Whole microseconds, as scripts are written.
        self._at_s = round(self._at_s + wait_s, 6)

    def _at_start(self, *texts: str) -> Iterator[Line]:
        return (Line(at_s=0, text=text) for text in texts)

    def _line(self, text: str) -> Line:
        return Line(at_s=self._at_s, text=text)

    # ---- segments of the peer ----------------------------------------------------------------------------

    def _options_of_syn(self) -> str:
        options = [f"mss {self._mss_bytes}"]
        options += ["sackOK"] * self._has_sack
        options += ["TS val 1000 ecr 0"] * self._has_timestamps
        options += [] if self._shift is None else [f"wscale {self._shift}"]
        return f"<{','.join(options)}>"

    def _window(self) -> int:
        """Return a window as it stands in a segment; a small one, or none, now and then."""
        window = self._draw.weighted({60_000: 6, 20_000: 2, 4000: 1, 1200: 1, 300: 1, 0: 1})
        return window >> (self._shift or 0)

    def _options(self, *others: str) -> str:
        options = list(others)
        if self._has_timestamps:
            self._clock += 10
            # No echo: what is echoed is the endpoint's own clock, which two endpoints do not have in common.
            options.insert(0, f"TS val {self._clock} ecr 0")
        return f" <{','.join(options)}>" if options else ""

    def _answer(self, *options: str) -> str:
        """Return what any segment says of the other direction."""
        return f"ack {self._acknowledged} win {self._window()}{self._options(*options)}"

    def _data(self) -> str:
        draw, length = self._draw, self._draw.one_of(*SIZES_BYTES)
        length = min(length, self._mss_bytes)
        place = draw.weighted({"next": 6, "behind a hole": 2, "again": 2})
        seq = self._sent_in_order
        if place == "behind a hole":
            seq += draw.one_of(1, self._mss_bytes, 3 * self._mss_bytes)
        elif place == "again":
            seq = max(1, seq - draw.one_of(1, 500, self._mss_bytes))
        if place == "next":
            self._sent_in_order = max(self._sent_in_order, seq + length)
        flags = "P." if draw.happens(0.5) else "."
        return f"< {flags} {seq}:{seq + length}({length}) {self._answer()}"

    def _acknowledgement(self) -> str:
        draw, seq = self._draw, self._sent_in_order
        out = self._written - self._acknowledged
        steps = [0, 0, out // 2, out, out, min(out, self._mss_bytes), min(out, 2 * self._mss_bytes)]
        self._acknowledged += draw.one_of(*steps)
        blocks = []
        rest = (self._written - self._acknowledged) // self._mss_bytes
        if self._has_sack and rest >= 2 and draw.happens(0.5):
            first = draw.count(1, rest - 1)
            last = draw.count(first + 1, rest)
            start = self._acknowledged
            blocks = [f"sack {start + first * self._mss_bytes}:{start + last * self._mss_bytes}"]
        return f"< . {seq}:{seq}(0) {self._answer(*blocks)}"

    def _end_of_peer(self) -> str:
        seq = self._sent_in_order
        if not self._has_ended:
            self._sent_in_order += 1
        self._has_ended = True
        return f"< F. {seq}:{seq}(0) {self._answer()}"

    # ---- calls of the application ------------------------------------------------------------------------

    def _write(self) -> str:
        length = self._draw.one_of(*SIZES_BYTES)
        if self._is_closed:
            return self._read()
        self._written += length
        return f"write(4, ..., {length}) = {length}"

    def _read(self) -> str:
        return f"read(4, ..., {self._draw.one_of(*SIZES_BYTES)}) = ..."

    def _option(self) -> str:
        level, name, values = self._draw.one_of(
            ("SOL_TCP", "TCP_NODELAY", (0, 1)),
            ("SOL_TCP", "TCP_CORK", (0, 1)),
            ("SOL_TCP", "TCP_NOTSENT_LOWAT", (1, 5000)),
            ("SOL_SOCKET", "SO_RCVBUF", (3000, 10_000, 100_000)),
        )
        return f"setsockopt(4, {level}, {name}, [{self._draw.one_of(*values)}], 4) = 0"

    def _end(self) -> str:
        self._is_closed = True
        return "shutdown(4, SHUT_WR) = ..."
