"""What a namespace says to anybody."""

import select
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bentpipe.engine import emulate
from bentpipe.engine.programs.browser import kernel
from bentpipe.engine.testbed import netns
from bentpipe.model.spec import RunSpec

_ALL = 3
"""ETH_P_ALL (linux/if_ether.h)."""

Packet = tuple[int, str, str, int, int]
"""Protocol, source and destination, their ports."""


@contextmanager
def overheard(namespace: str) -> Iterator[list[Packet]]:
    """Give the IPv4 packets of a namespace that are not of a browser's remote control or its warm-up."""
    heard: list[Packet] = []
    done = threading.Event()
    with (
        netns.inside(namespace),
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ALL)) as tap,
    ):

        def listen() -> None:
            while not done.is_set():
                if select.select([tap], [], [], 0.1)[0]:
                    packet = tap.recv(1 << 16)
                    source, destination = (socket.inet_ntoa(packet[at : at + 4]) for at in (12, 16))
                    is_tcp_at_home = packet[9] == socket.IPPROTO_TCP and source == destination == "127.0.0.1"
                    ports = struct.unpack_from("!HH", packet, 4 * (packet[0] & 15))
                    if not is_tcp_at_home:
                        heard.append((packet[9], source, destination, *ports))

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield heard
        finally:
            done.set()
            thread.join()


@contextmanager
def waiting(browser: type, run: RunSpec, *, for_s: float) -> Iterator[tuple[Any, list[Packet], int]]:
    """Start a browser and tell it nothing for a while.

    Gives it, the packets that it sends until the end, and the number of those so far that led nowhere.
    """
    configuration = emulate.configuration_of(run, None)
    with (
        emulate.open_world(run) as world,
        overheard(world.client) as heard,
        browser(world.client, configuration).started() as client,
    ):
        client.await_ready()
        time.sleep(for_s)
        yield client, heard, kernel.unroutable_packets(world.client)
