"""The link process under TCP at gigabits: streams of the kernel's, down alone or both ways."""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Literal

from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.loaded_link import loaded
from bentpipe.engine.process.part import START_TIMEOUT_S, PartError
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.netns import SERVER_ADDRESS, World
from bentpipe.model.spec import RunSpec
from bentpipe.scenario.link.description import nominal_bps
from bentpipe.scenario.written.quantity import SECOND_NS

Way = Literal["down", "up"]

STARTED_S = 3.0
"""After so long the streams have left slow start."""

LOADED_S = 5.0
"""How long they are counted."""

_PORTS: Mapping[Way, int] = {"down": 5201, "up": 5202}
"""Of the server, for the stream of each direction."""

_STREAM = """
import socket, struct, sys, time
place, way, address, port, seconds = *sys.argv[1:4], int(sys.argv[4]), float(sys.argv[5])
pace = int(sys.argv[6])
if place == "server":
    listener = socket.create_server((address, port))
    print("ready", flush=True)
    stream, _ = listener.accept()
else:
    stream = socket.create_connection((address, port), timeout=seconds)
# Reno has no HyStart, which takes jitter of a busy machine for a full pipe and leaves a window far too small.
stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
if pace:
    SO_MAX_PACING_RATE = 47
    stream.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, struct.pack("Q", pace))
end = time.monotonic() + seconds
content = bytearray(1 << 20)
if (place, way) in {("server", "down"), ("client", "up")}:
    while time.monotonic() < end:
        stream.send(content)
else:
    # The kernel throws away what has come (tcp(7)): the link is measured, not the copy to a program.
    while stream.recv_into(content, 0, socket.MSG_TRUNC):
        pass
"""
"""One end of a stream, at most `pace` bytes in a second (none: zero). Who receives ends with who sends."""

PAYLOAD_SHARE = 1448 / 1500
"""MSS with timestamps over the IP packet of 1500 bytes."""


def load(spec: RunSpec, ways: Sequence[Way]) -> Mapping[str, float]:
    """Load one link process with a stream of TCP in each of `ways`.

    Streams both ways are paced at the rate of their direction. Acknowledgements of one wait in the queue of
    the other, so that both have one round trip; held back by nothing but its window, which the receivers'
    estimates decide, that of the smaller one would stay below the rate.

    Returns
    -------
    dict
        Rates of IP packets delivered (bit/s), the share of a core that the link process had, and how late
        it and bare timers beside it were (s).

    Raises
    ------
    PartError
        When a stream does not begin, or ends before it was measured, or when the link does not answer.
    """
    with ExitStack() as stack:
        world = stack.enter_context(open_world(spec))
        link = stack.enter_context(open_link(world, configuration_of(spec, None))).part
        link.answer(timeout_s=START_TIMEOUT_S)
        for way in ways:
            stack.enter_context(_stream(world, way, pace=_pace(spec, way) if len(ways) > 1 else 0))
        time.sleep(STARTED_S)
        seen = loaded(link, seconds=LOADED_S)
    report, span_s = seen.report, seen.span_s
    lateness = report.lateness
    assert lateness is not None and lateness.timer is not None, "an emulated link tells both"
    return {
        "delivered_down_bps": report.forward.delivered_bytes * 8 / span_s,
        "delivered_up_bps": report.return_.delivered_bytes * 8 / span_s,
        "delivered_pps": (report.forward.delivered_packets + report.return_.delivered_packets) / span_s,
        "link_cores": seen.link_cores,
        "lateness_p50_s": lateness.p50 / SECOND_NS,
        "lateness_p999_s": lateness.p999 / SECOND_NS,
        "lateness_max_s": lateness.max / SECOND_NS,
        "machine_lateness_p999_s": lateness.timer.p999 / SECOND_NS,
        "machine_lateness_max_s": lateness.timer.max / SECOND_NS,
    }


def _pace(spec: RunSpec, way: Way) -> int:
    """Return what fills the direction, in payload bytes per second."""
    of = spec.link.forward if way == "down" else spec.link.return_
    return int(nominal_bps(of.capacity) * PAYLOAD_SHARE / 8)


@contextmanager
def _stream(world: World, way: Way, *, pace: int) -> Iterator[None]:
    """Open a stream between client and server; it is over at the end, and not before."""
    with ExitStack() as stack:
        server = stack.enter_context(_program(world.server, "server", way, pace=pace))
        assert server.stdout is not None
        if not server.stdout.readline():
            raise PartError(f"the server of the stream {way} does not listen")
        client = stack.enter_context(_program(world.client, "client", way, pace=pace))
        yield
        if server.poll() is not None or client.poll() is not None:
            raise PartError(f"the stream {way} ended before it was measured")


@contextmanager
def _program(namespace: str, place: str, way: Way, *, pace: int) -> Iterator[subprocess.Popen[bytes]]:
    seconds = 2 * (STARTED_S + LOADED_S)
    arguments = [place, way, SERVER_ADDRESS, str(_PORTS[way]), str(seconds), str(pace)]
    with netns.inside(namespace):
        program = subprocess.Popen([sys.executable, "-I", "-c", _STREAM, *arguments], stdout=subprocess.PIPE)
    with program:
        try:
            yield program
        finally:
            program.kill()
