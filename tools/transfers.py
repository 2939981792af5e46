"""Mixed transfers through the proxies of a lossy satellite, long and short, some reset, each byte compared.

    python -m tools.transfers 10e9

moves so many bytes, as root, and prints what it has seen.
"""

import json
import math
import random
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.process.part import START_TIMEOUT_S
from bentpipe.engine.testbed import netns, pep
from bentpipe.engine.testbed.netns import SERVER_ADDRESS, World
from bentpipe.model.cc import Algorithm
from bentpipe.model.pep import PepPlace, SplitPepSpec
from bentpipe.model.spec import RunSpec
from tools.specs import spec_of

LINK = "flat:down=144Mbit/s,up=144Mbit/s,rtt=200ms,queue=1BDP,loss=0.01%"
PORT = 4433
PATIENCE_S = 120.0
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER: on, for no time (socket(7))."""
RESET_EVERY = 10
AT_ONCE = 64
LEAST_BYTES, MOST_BYTES = 1_000, 20_000_000
POOL = random.Random(1).randbytes(2 * MOST_BYTES)
"""Contents are pieces of it: bytes of another place or another connection differ."""
HEADER = struct.Struct("!I")


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """What one connection carries each way."""

    number: int
    up: memoryview
    down: memoryview

    @property
    def is_reset(self) -> bool:
        """Whether the client resets it in the midst."""
        return self.number % RESET_EVERY == 0


def transfer(number: int, *, most_bytes: int = MOST_BYTES) -> Transfer:
    """Return the transfer of this number: lengths as likely in each decade."""
    draw = random.Random(number)
    return Transfer(number=number, up=_piece(draw, most_bytes), down=_piece(draw, most_bytes))


@contextmanager
def at_work(spec: RunSpec) -> Iterator[tuple[World, Any]]:
    """Open a world with its link and its proxies, and no programs at its ends but what a test puts there."""
    configuration = configuration_of(spec, None)
    with ExitStack() as stack:
        world = stack.enter_context(open_world(spec))
        link = stack.enter_context(open_link(world, configuration)).part
        proxies = stack.enter_context(pep.opened(world, configuration))
        link.answer(timeout_s=START_TIMEOUT_S)
        proxies.await_ready()
        yield world, proxies


def carry(world: World, transfers: Callable[[], Iterator[Transfer]], *, at_once: int) -> int:
    """Carry every transfer, some of them at once; return the bytes compared.

    Raises
    ------
    AssertionError
        When a byte is wrong or missing.
    """
    with netns.inside(world.server):
        listener = socket.create_server((SERVER_ADDRESS, PORT), backlog=2 * at_once)
    listener.settimeout(PATIENCE_S)
    known = {each.number: each for each in transfers()}
    with listener, ThreadPoolExecutor(at_once) as clients, ThreadPoolExecutor(4 * at_once) as others:
        talks = [clients.submit(_talk, world, each, others) for each in known.values()]
        serves = []
        for _ in talks:
            stream, _ = listener.accept()
            stream.settimeout(PATIENCE_S)
            serves.append(others.submit(_serve, stream, known, others))
        return sum(each.result() for each in talks) + sum(each.result() for each in serves)


def _talk(world: World, each: Transfer, others: ThreadPoolExecutor) -> int:
    with netns.inside(world.client):
        stream = socket.socket()
    stream.settimeout(PATIENCE_S)
    with stream:
        stream.connect((SERVER_ADDRESS, PORT))
        stream.sendall(HEADER.pack(each.number))
        if each.is_reset:
            stream.sendall(each.up[: LEAST_BYTES // 2])
            assert bytes(stream.recv(100)) in bytes(each.down[:100])
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            return 0
        sent = others.submit(_send, stream, each.up)
        received = _compare(stream, each.down)
        assert received == len(each.down), f"{received} of {len(each.down)} bytes"
        sent.result()
        return received


def _serve(stream: socket.socket, known: dict[int, Transfer], others: ThreadPoolExecutor) -> int:
    with stream:
        each = known[HEADER.unpack(stream.recv(HEADER.size, socket.MSG_WAITALL))[0]]
        sent: Future[None] = others.submit(_send, stream, each.down)
        try:
            received = _compare(stream, each.up)
        except ConnectionError:
            if not each.is_reset:
                raise
            return 0
        if each.is_reset:
            # A reset is told once, to who asks first; who asks next is told of an end (tcp_recvmsg_locked).
            assert isinstance(sent.exception(), ConnectionError)
            return 0
        assert received == len(each.up), f"{received} of {len(each.up)} bytes"
        sent.result()
        return received


def _send(stream: socket.socket, content: memoryview) -> None:
    stream.sendall(content)
    stream.shutdown(socket.SHUT_WR)


def _compare(stream: socket.socket, content: memoryview) -> int:
    place = 0
    buffer = memoryview(bytearray(1 << 18))
    while length := stream.recv_into(buffer):
        assert buffer[:length] == content[place : place + length], f"wrong bytes behind {place}"
        place += length
    return place


def _piece(draw: random.Random, most_bytes: int) -> memoryview:
    length = round(math.exp(draw.uniform(math.log(LEAST_BYTES), math.log(most_bytes))))
    place = draw.randrange(len(POOL) - length)
    return memoryview(POOL)[place : place + length]


def _main(total_bytes: float) -> None:
    def enough() -> Iterator[Transfer]:
        number, planned = 0, 0
        while planned < total_bytes:
            each = transfer(number)
            yield each
            planned += 0 if each.is_reset else len(each.up) + len(each.down)
            number += 1

    spec = spec_of({"link": LINK, "ping": {"count": 1}})
    split = SplitPepSpec(place=PepPlace.BOTH, cc=Algorithm.CUBIC, tcp=spec.tcp, relay_buffer_bytes=262_144)
    started_s = time.monotonic()
    with at_work(spec.model_copy(update={"pep": split})) as (world, proxies):
        compared = carry(world, enough, at_once=AT_ONCE)
        seen = proxies.seen()
    took_s = time.monotonic() - started_s
    print(json.dumps({"compared_bytes": compared, "wrong": 0, "seconds": took_s, **seen}))


if __name__ == "__main__":
    _main(float(sys.argv[1]))
