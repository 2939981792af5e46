"""How late programs of this machine run after sleep, beside an emulated link as in a run.

A program sleeps until a datagram comes and sends it back. The time between them, as the kernel notes it
(packet(7)), is that of waking and of a system call each to receive and to send.
"""

import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from statistics import median

from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.process.part import START_TIMEOUT_S, PartError
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.netns import CLIENT_ADDRESS
from bentpipe.model.spec import RunSpec
from bentpipe.scenario.written.quantity import SECOND_NS

SLEEPS_S: Mapping[float, float] = {0.0: 0.001, 0.003: 0.01, 0.02: 0.05, 0.1: 0.2}
"""How long the program sleeps, by the shortest sleep that this stands for."""
DATAGRAMS = 100
"""For each: their median is good to a few per cent."""
STARTED_S = 0.5
"""What the program gets to start."""

_PORT = 7  # RFC 862
_ECHO = f"""
import socket
echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
echo.bind(("", {_PORT}))
while True:
    echo.sendto(*echo.recvfrom(2048))
"""
_ETH_P_ALL = 3  # linux/if_ether.h
_SO_TIMESTAMPNS = 35  # asm-generic/socket.h
_IP_PROTOCOL = 9
"""Of an IPv4 header, the byte (RFC 791 section 3.1)."""
_TIMESPEC = struct.Struct("@qq")


def latencies_s(spec: RunSpec, *, sleeps_s: Mapping[float, float] = SLEEPS_S) -> Mapping[float, float]:
    """Measure how late a program runs, over the link of a run; takes half a minute.

    Parameters
    ----------
    spec : RunSpec
        The run.
    sleeps_s : mapping of float to float
        See `SLEEPS_S`.

    Returns
    -------
    mapping of float to float
        Median of the times from a datagram's arrival to its way back, by the shortest sleep for which that
        holds, both in seconds.

    Raises
    ------
    PartError
        When nothing comes back.
    """
    with ExitStack() as stack:
        world = stack.enter_context(open_world(spec))
        link = stack.enter_context(open_link(world, configuration_of(spec, None))).part
        link.answer(timeout_s=START_TIMEOUT_S)
        with netns.inside(world.client):
            seen = stack.enter_context(
                socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ETH_P_ALL))
            )
            program = stack.enter_context(subprocess.Popen([sys.executable, "-I", "-c", _ECHO]))
        stack.callback(program.kill)
        seen.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        seen.setblocking(False)
        with netns.inside(world.server):
            sender = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        time.sleep(STARTED_S)
        return {
            least_s: _median_latency_s(sender, seen, sleep_s=sleep_s) for least_s, sleep_s in sleeps_s.items()
        }


def _median_latency_s(sender: socket.socket, seen: socket.socket, *, sleep_s: float) -> float:
    _times_ns(seen)
    for _ in range(DATAGRAMS):
        sender.sendto(bytes(64), (CLIENT_ADDRESS, _PORT))
        time.sleep(sleep_s)
    time.sleep(STARTED_S)
    came_ns, left_ns = _times_ns(seen)
    if len(came_ns) != len(left_ns) or not came_ns:
        raise PartError(f"of {len(came_ns)} datagrams {len(left_ns)} were sent back")
    return median(left - came for came, left in zip(came_ns, left_ns, strict=True)) / SECOND_NS


def _times_ns(seen: socket.socket) -> tuple[list[int], list[int]]:
    """Return when datagrams came to the program and when they left it, of all that are noted by now."""
    came_ns: list[int] = []
    left_ns: list[int] = []
    while True:
        try:
            packet, notes, _, address = seen.recvmsg(2048, socket.CMSG_SPACE(_TIMESPEC.size))
        except BlockingIOError:
            return came_ns, left_ns
        if packet[_IP_PROTOCOL] != socket.IPPROTO_UDP:
            continue
        ((_, _, stamp),) = notes
        seconds, nanoseconds = _TIMESPEC.unpack(stamp)
        times_ns = left_ns if address[2] == socket.PACKET_OUTGOING else came_ns
        times_ns.append(seconds * SECOND_NS + nanoseconds)
