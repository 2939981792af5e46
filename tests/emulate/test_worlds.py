"""What the namespaces of a run keep from it: IPv6, what earlier connections learnt, packets above the MTU."""

import socket
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from bentpipe.engine.emulate import open_world
from bentpipe.engine.programs.browser import kernel
from bentpipe.engine.testbed import offload
from bentpipe.engine.testbed.netns import CLIENT_ADDRESS, DEVICE, HOST_DEVICE, TERMINAL_ADDRESS, inside
from tests.emulate import traces
from tools.specs import spec_of

RUN = {"link": "lan", "http": "h2", "page": "single-100k"}
BETWEEN_HOSTS = spec_of({**RUN, "pep": "tunnel"})
"""With a terminal and a gateway, which intercept nothing."""

NOWHERE = "192.0.2.1"
"""Set aside for documentation (RFC 5737); no route leads to it."""

LOOPBACK = "127.0.0.1"
PORT = 4433
PATIENCE_S = 20.0
SENT_BYTES = 50_000
"""Within the buffers of both ends; at once a sender may hand over ten packets of it as one."""

ETH_P_IP = 0x0800


def test_packets_that_lead_nowhere_are_counted():
    with open_world(spec_of(RUN)) as world:
        assert kernel.unroutable_packets(world.client) == 0
        with inside(world.client), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for _ in range(3):
                with pytest.raises(OSError, match="Network is unreachable"):
                    sender.sendto(b"x", (NOWHERE, 9))
        assert kernel.unroutable_packets(world.client) == 3


@pytest.mark.skipif(not Path("/proc/sys/net/ipv6").exists(), reason="this kernel has no IPv6")
@pytest.mark.parametrize("spec", [spec_of(RUN), BETWEEN_HOSTS], ids=["hosts alone", "routers between"])
def test_no_namespace_has_an_address_of_ipv6(spec):
    """Not even that of the loopback interface, without which there are no solicitations either (RFC 4861)."""
    with open_world(spec) as world:
        for name in world.names:
            with inside(name):
                assert Path("/proc/thread-self/net/if_inet6").read_text() == "", name


def learned(namespace):
    """Return what the kernel keeps of a connection that has ended (ip-tcp_metrics(8))."""
    with inside(namespace), socket.create_server((LOOPBACK, 0)) as server:
        client = socket.create_connection(server.getsockname(), timeout=PATIENCE_S)
        stream, _ = server.accept()
        with client, stream:
            client.sendall(b"a word")
            assert stream.recv(100) == b"a word"
    shown = subprocess.run(
        ["ip", "-n", namespace, "tcp_metrics", "show"], capture_output=True, text=True, check=True
    )
    return shown.stdout


def test_nothing_that_a_connection_learns_reaches_the_next():
    with open_world(spec_of(RUN)) as world:
        assert learned(world.client) == ""
        with inside(world.client):
            Path("/proc/sys/net/ipv4/tcp_no_metrics_save").write_text("0")
        assert traces.becomes_true(lambda: LOOPBACK in learned(world.client), within_s=3)


def longest_packet(*, sender, receiver, device, address):
    """Send to an address over TCP; return the length of the longest packet that comes in by its device."""
    with inside(receiver):
        tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
        tap.bind((device, ETH_P_IP))
        server = socket.create_server((address, PORT))
    with closing(tap), closing(server):
        with inside(sender):
            client = socket.create_connection((address, PORT), timeout=PATIENCE_S)
        stream, _ = server.accept()
        stream.settimeout(PATIENCE_S)
        with client, stream:
            client.sendall(bytes(SENT_BYTES))
            client.shutdown(socket.SHUT_WR)
            assert sum(map(len, iter(lambda: stream.recv(1 << 16), b""))) == SENT_BYTES
        tap.setblocking(False)
        lengths = []
        while True:
            try:
                lengths.append(len(tap.recv(1 << 17)))
            except BlockingIOError:
                return max(lengths)


def longest_packets():
    """Return those on the way from a host to its router, and back."""
    with open_world(BETWEEN_HOSTS) as world:
        host, router = world.client, world.terminal
        directions = (
            {"sender": host, "receiver": router, "device": HOST_DEVICE, "address": TERMINAL_ADDRESS},
            {"sender": router, "receiver": host, "device": DEVICE, "address": CLIENT_ADDRESS},
        )
        return [longest_packet(**direction) for direction in directions]


def test_what_passes_between_hosts_and_routers_is_packets_of_the_mtu():
    mtu_bytes = BETWEEN_HOSTS.link.mtu_bytes
    assert all(0.9 * mtu_bytes < length <= mtu_bytes for length in longest_packets())


def test_their_devices_would_hand_over_many_packets_as_one(monkeypatch):
    monkeypatch.setattr(offload, "switch_off", lambda _device: None)
    mtu_bytes = BETWEEN_HOSTS.link.mtu_bytes
    assert all(length > 2 * mtu_bytes for length in longest_packets())
