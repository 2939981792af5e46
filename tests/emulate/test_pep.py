"""Proxies on the path, on the real kernel: split connections, a tunnel, CONNECT; what passes them by."""

import json
import signal
import socket
import struct
import subprocess
import sys
from contextlib import contextmanager

import pytest

from bentpipe.engine.emulate import Emulator, open_world
from bentpipe.engine.testbed import congestion_control, netns, pep
from bentpipe.engine.testbed.netns import CLIENT_ADDRESS, SERVER_ADDRESS
from tests.emulate import traces
from tests.emulate.measuring import in_time
from tests.emulate.measuring import measured as in_time_of
from tests.support.models import changed
from tools import transfers
from tools.specs import spec_of
from tools.transfers import at_work

pytestmark = pytest.mark.skipif(pep.missing() is not None, reason=str(pep.missing()))

RTT_S = 0.2
LINK = "flat:down=20Mbit/s,up=20Mbit/s,rtt=200ms,queue=2BDP"
LOSSY = f"{LINK},loss=1%"
LATE_OR_NOT = {"lateness": "1 s"}
"""Of runs that are judged by what arrives, whenever it does."""
PORT = 4433
PATIENCE_S = 20.0
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER: on, for no time (socket(7))."""


def spec_with(kind, *, run=None, **settings):
    """A run with a proxy, whose TCP over the satellite is the hosts' but for the initial window."""
    spec = spec_of({"link": LINK, "ping": {"count": 1}} if run is None else run)
    tcp = spec.tcp.model_copy(update={"initial_window": 32})
    own = {
        "split": {"place": "both", "cc": "cubic", "tcp": tcp, "relay_buffer_bytes": 65536},
        "proxy": {"cc": "cubic", "tcp": tcp, "relay_buffer_bytes": 65536},
        "tunnel": {"header_bytes": 60},
    }
    return changed(spec, pep={"kind": kind, **own[kind], **settings})


def measured(kind, run, **settings):
    spec = spec_with(kind, run=run, **settings)
    return in_time(lambda: Emulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None))


@contextmanager
def listener(world):
    with netns.inside(world.server):
        server = socket.create_server((SERVER_ADDRESS, PORT), backlog=512)
    server.settimeout(PATIENCE_S)
    with server:
        yield server


def connected(world, *, timeout_s=PATIENCE_S):
    with netns.inside(world.client):
        client = socket.socket()
    client.settimeout(timeout_s)
    client.connect((SERVER_ADDRESS, PORT))
    return client


def accepted(server):
    stream, peer = server.accept()
    stream.settimeout(PATIENCE_S)
    return stream, peer


def read_to_end(stream):
    return b"".join(iter(lambda: stream.recv(1 << 16), b""))


@pytest.fixture(params=["terminal", "gateway", "both"])
def place(request):
    return request.param


def test_addresses_ports_and_marks_are_those_of_the_hosts(place):
    with at_work(spec_with("split", place=place)) as (world, proxies), listener(world) as server:
        server.setsockopt(socket.IPPROTO_TCP, 27, 1)  # TCP_SAVE_SYN (linux/tcp.h)
        with netns.inside(world.client):
            client = socket.socket()
        # Expedited forwarding (RFC 3246).
        client.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 46 << 2)
        with client:
            client.connect((SERVER_ADDRESS, PORT))
            stream, peer = accepted(server)
            with stream:
                assert peer == client.getsockname()
                assert peer[0] == CLIENT_ADDRESS
                assert client.getpeername() == (SERVER_ADDRESS, PORT)
                first_packet = stream.getsockopt(socket.IPPROTO_TCP, 28, 60)  # TCP_SAVED_SYN
                assert first_packet[1] >> 2 == 46
        seen = proxies.seen()
    taken_part = [name for name in ("terminal", "gateway") if seen[f"{name}_connections"] == "1"]
    assert taken_part == (["terminal", "gateway"] if place == "both" else [place])


def test_the_end_of_one_direction_reaches_the_other_host_and_the_other_direction_goes_on(place):
    with (
        at_work(spec_with("split", place=place)) as (world, _),
        listener(world) as server,
        connected(world) as client,
    ):
        client.sendall(b"all that I have")
        client.shutdown(socket.SHUT_WR)
        stream, _ = accepted(server)
        with stream:
            assert read_to_end(stream) == b"all that I have"
            stream.sendall(b"then this is all that you get")
        assert read_to_end(client) == b"then this is all that you get"


@pytest.mark.parametrize("resetting", ["client", "server"])
def test_a_reset_reaches_the_other_host(place, resetting):
    with at_work(spec_with("split", place=place)) as (world, _), listener(world) as server:
        client = connected(world)
        stream, _ = accepted(server)
        with client, stream:
            ends = {"client": client, "server": stream}
            first, other = ends.pop(resetting), next(iter(ends.values()))
            first.sendall(b"one word")
            assert other.recv(100) == b"one word"
            first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            first.close()
            with pytest.raises(ConnectionResetError):
                other.recv(100)


def test_who_is_refused_by_the_server_is_reset(place):
    with at_work(spec_with("split", place=place)) as (world, proxies):
        with pytest.raises(ConnectionError), connected(world) as client:
            # Before the satellite the connection is there at once, and gone when the refusal arrives.
            client.recv(1)
        seen = proxies.seen()
    assert sum(int(count) for name, count in seen.items() if name.endswith("errors")) > 0


def test_two_hundred_connections_at_once_arrive_byte_for_byte_beside_resets_and_loss():
    """Every tenth is reset in the midst of its transfer; 1 % of all packets are lost."""
    spec = spec_with("split", run={"link": LOSSY, "ping": {"count": 1}})
    with at_work(spec) as (world, proxies):
        compared = transfers.carry(
            world, lambda: (transfers.transfer(n, most_bytes=40_000) for n in range(200)), at_once=200
        )
        seen = proxies.seen()
    assert compared == sum(
        len(each.up) + len(each.down)
        for n in range(200)
        if not (each := transfers.transfer(n, most_bytes=40_000)).is_reset
    )
    assert (seen["terminal_connections"], seen["gateway_connections"]) == ("200", "200")


@pytest.mark.parametrize("direction", ["down", "up"])
def test_a_flow_over_a_lossy_satellite_arrives_as_it_was_sent(direction):
    """Client and origin compare every byte of a flow; what differs makes the record invalid."""
    flow = {"transport": "tcp", "direction": direction, "size": "1 MB"}
    record = measured("split", {"link": LOSSY, "cc": "cubic", "bulk": flow, "validity": LATE_OR_NOT})
    assert record.metrics.payload_bytes == 1_000_000
    assert sum(dict(record.metrics.drops.forward).values()) > 0


@pytest.mark.parametrize("http", ["h1", "h1s", "h2"])
def test_a_page_through_a_split_arrives_whole_and_its_client_waits_for_no_handshake_of_tcp(http):
    record = measured("split", {"link": LINK, "http": http, "cc": "cubic", "page": "uniform-100k"})
    assert record.metrics.connect_s < RTT_S / 4
    assert len(record.objects) == 9
    assert record.provenance["terminal_errors"] == record.provenance["gateway_errors"] == "0"


@pytest.mark.parametrize(("http", "round_trips"), [("h1", 1), ("h1s", 2), ("h2", 2)])
def test_standing_connections_save_the_handshake_over_the_satellite(http, round_trips):
    """TLS 1.3 takes one round trip (RFC 8446 section 2), the request one; TCP ends at the terminal."""
    run = {"link": LINK, "http": http, "cc": "cubic", "page": "uniform-100k"}
    record = measured("split", run, standing="on")
    assert record.metrics.ttfb_s == pytest.approx(round_trips * RTT_S, abs=0.05)
    assert len(record.objects) == 9
    carried = str(len(record.client_connections))
    assert record.provenance["terminal_connections"] == record.provenance["gateway_connections"] == carried
    assert record.provenance["terminal_errors"] == record.provenance["gateway_errors"] == "0"


def test_quic_passes_by():
    record = measured("split", {"link": LINK, "http": "h3", "cc": "cubic", "page": "uniform-100k"})
    assert record.metrics.connect_s >= RTT_S
    assert record.provenance["terminal_connections"] == record.provenance["gateway_connections"] == "0"


@pytest.mark.skipif("hybla" not in congestion_control.available(), reason="Hybla cannot be loaded here")
def test_a_proxy_that_quic_passes_by_has_the_congestion_control_that_its_sockets_ask_for():
    record = measured("split", {"link": LINK, "http": "h3", "page": "uniform-100k"}, cc="hybla")
    assert record.provenance["terminal_errors"] == record.provenance["gateway_errors"] == "0"


def test_through_a_tunnel_hosts_shake_hands_with_each_other():
    record = measured("tunnel", {"link": LINK, "http": "h1", "cc": "cubic", "page": "uniform-100k"})
    assert record.metrics.connect_s >= RTT_S
    assert record.provenance["terminal_connections"] == record.provenance["gateway_connections"] == "0"
    assert record.metrics.drops.forward.oversize == 0


def test_a_tunnel_adds_its_header_to_each_packet():
    ping = {"count": 5, "interval": "50 ms", "size": "100 B"}
    record = measured("tunnel", {"link": LINK, "ping": ping}, header_bytes=40)
    # RFC 791 section 3.1: 20; RFC 768: 8.
    assert record.metrics.wire_bytes_up == 5 * (100 + 20 + 8 + 40)


@pytest.mark.parametrize("http", ["h1", "h1s", "h2"])
def test_a_page_through_the_http_proxy_arrives_whole_over_one_connection(http):
    record = measured("proxy", {"link": LINK, "http": http, "cc": "cubic", "page": "uniform-100k"})
    to_proxy, *tunnels = record.client_connections
    assert (to_proxy.protocol, to_proxy.congestion_control) == ("connect", "cubic")
    assert {connection.transport for connection in tunnels} == {"tunnel"}
    assert len(record.objects) == 9
    # TCP, TLS and the request for the connection, each a round trip, before what the protocol needs itself.
    own_round_trips = {"h1": 1, "h1s": 2, "h2": 2}[http]
    assert record.metrics.ttfb_s == pytest.approx((3 + own_round_trips) * RTT_S, abs=0.05)
    assert record.provenance["gateway_connections"] == str(len(tunnels))


def test_a_page_through_the_proxy_for_udp_arrives_whole_over_a_connection_within_another():
    pep = {"kind": "masque", "cc": "reno"}
    record = in_time_of({"link": LINK, "http": "h3", "cc": "cubic", "page": "uniform-100k", "pep": pep})
    to_proxy, inner = record.client_connections
    assert (to_proxy.protocol, to_proxy.congestion_control) == ("connect", "reno")
    assert (inner.protocol, inner.congestion_control) == ("h3", "cubic")
    [at_origin] = record.origin_connections
    assert inner.client_port == at_origin.client_port
    assert len(record.objects) == 9
    # The handshake with the proxy, CONNECT, the handshake within, the request (docs/models/pep.md).
    assert record.metrics.ttfb_s == pytest.approx(4 * RTT_S, abs=0.05)
    seen = {
        name: record.provenance[f"gateway_{name}"] for name in ("connections", "errors", "dropped_datagrams")
    }
    assert seen == {"connections": "1", "errors": "0", "dropped_datagrams": "0"}
    assert int(record.provenance["gateway_datagrams"]) > 100_000 / 1431


@pytest.mark.parametrize("direction", ["down", "up"])
def test_flows_through_the_proxy_for_udp_arrive_whole_whatever_is_lost(direction):
    bulk = {"size": "500 kB", "transport": "quic", "direction": direction, "flows": ["cubic", "bbr"]}
    record = in_time_of({"link": LOSSY, "bulk": bulk, "pep": "masque", "validity": LATE_OR_NOT})
    # Each byte was compared by the receiver; 1 % of some 700 packets are lost.
    assert [flow.bytes for flow in record.flows] == [500_000, 500_000]
    assert record.provenance["gateway_connections"] == "2"


def test_each_leg_has_its_own_initial_window():
    def windows(namespace):
        shown = subprocess.run(["ip", "-json", "-n", namespace, "route"], capture_output=True, check=True)
        routes = {route["dst"]: route for route in json.loads(shown.stdout)}
        return [routes[address]["metrics"][0]["initcwnd"] for address in (CLIENT_ADDRESS, SERVER_ADDRESS)]

    with open_world(spec_with("split")) as world:
        assert windows(world.terminal) == [10, 32]
        assert windows(world.gateway) == [32, 10]


@pytest.mark.alone
def test_a_killed_process_leaves_namespaces_that_are_known_and_no_process(mark):
    program = (
        "import time\n"
        "from tests.emulate.test_pep import at_work, spec_with\n"
        "with at_work(spec_with('split')):\n"
        "    print('at work', flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "at work\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert traces.becomes_true(lambda: not traces.processes(mark), within_s=3)
    left = netns.clean()
    assert sorted(name.rpartition("-")[2] for name in left) == ["client", "gateway", "server", "terminal"]
