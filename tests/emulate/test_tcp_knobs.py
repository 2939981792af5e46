"""Every setting of TCP that a scenario may choose reaches the kernel and acts there as in the simulator."""

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest

from bentpipe.diagnosis.time_spent import BIN_S, Spent, shares
from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.process.part import START_TIMEOUT_S
from bentpipe.engine.simulate import Simulator
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.netns import SERVER_ADDRESS
from tests.emulate.measuring import measured, measured_once
from tests.support.models import said
from tools.specs import spec_of

RTT_S = 0.200
LINK = "flat:down=10Mbit/s,up=10Mbit/s,rtt=200ms"
GEO = "flat:down=10Mbit/s,up=10Mbit/s,rtt=600ms"
MACHINE_S = 0.030
"""What the machine and transmission add to a few round trips."""

DELAYED_ACK_S = 0.040
MSS_BYTES = 1448
PORT = 5000
RTO_OFFSET, SND_CWND_OFFSET = 8, 80
"""Of tcpi_rto and tcpi_snd_cwnd in struct tcp_info (linux/tcp.h)."""


def page(http, *, link=LINK, name="uniform-500k", connections=6):
    return {"link": link, "http": http, "cc": "cubic", "page": name, "connections": connections}


def bulk(*, size="1 MB"):
    return {"link": LINK, "cc": "cubic", "bulk": {"transport": "tcp", "direction": "down", "size": size}}


def simulated(run, *settings):
    return Simulator().run(run_id="0123456789abcdef", spec=spec_of(run, *settings), artifacts=None)


def time_spent(record):
    tables = {
        name: {column: np.array(values) for column, values in table.items()}
        for name, table in record.series.items()
    }
    return {share.spent: share.time_s for share in shares(record, tables)}


def seconds(ns):
    return ns / 1e9


@pytest.mark.parametrize(("http", "round_trips"), [("h1", 2), ("h1s", 3)])
@pytest.mark.parametrize("fast_open", [False, True])
def test_fast_open_saves_a_round_trip_of_each_connection_but_the_first(http, round_trips, fast_open):
    """RFC 7413: the request, or the ClientHello, travels with the SYN. TCP 1, TLS 1.3 1, the request 1."""
    # A first byte is seen when a whole record of TLS has come: of small objects that takes one window.
    record = measured(page(http, name="uniform-100k"), f"tcp.fast_open={str(fast_open).lower()}")
    assert 0 < record.metrics.ttfb_s - round_trips * RTT_S < MACHINE_S
    second = record.client_connections[1]
    started_s = seconds(second.started_ns)
    first_byte_s = min(item.first_byte_s for item in record.objects if item.connection == 1)
    # Other objects share the link with it.
    assert 0 < first_byte_s - started_s - (round_trips - fast_open) * RTT_S < 0.5 * RTT_S
    # The SYN-ACK takes a round trip either way.
    assert 0 < seconds(second.connected_ns) - started_s - RTT_S < MACHINE_S


def test_nagle_holds_back_the_request_and_its_answer_behind_small_segments():
    """A round trip for each of the two that wait, and a delay unless the kernel acknowledges at once."""
    without, with_nagle = (measured(page("h2"), f"tcp.nagle={nagle}") for nagle in ("false", "true"))
    assert 0 < without.metrics.ttfb_s - 3 * RTT_S < MACHINE_S
    assert 0 < with_nagle.metrics.ttfb_s - 5 * RTT_S < 2 * DELAYED_ACK_S + MACHINE_S


def test_with_quick_acknowledgements_as_many_packets_go_up_as_come_down():
    metrics = measured(bulk(size="5 MB"), "tcp.quick_ack=true").metrics
    # Segments that come while their socket is in use are put together, acknowledged as one (tcp_add_backlog).
    assert metrics.wire_packets_up == pytest.approx(metrics.wire_packets_down, rel=0.05)
    metrics = measured(bulk(size="5 MB")).metrics
    assert metrics.wire_packets_up < 0.9 * metrics.wire_packets_down


@pytest.mark.parametrize(("patience", "duplicates"), [("250 ms", 1), ("1500 ms", 0), ("off", 0)])
def test_a_client_without_patience_for_the_path_opens_each_connection_twice(patience, duplicates):
    """secchi2018: 250 ms as Chromium has it, 1500 ms as the study."""
    record = measured(page("h2", link=GEO, name="single-100k"), f"tcp.connect_retry={patience}")
    purposes = [connection.purpose for connection in record.client_connections]
    assert purposes == [None] + ["duplicate"] * duplicates
    assert len(record.origin_connections) == 1 + duplicates


def test_a_client_without_patience_opens_further_connections_until_one_comes_and_closes_them():
    """secchi2018 section 4.6: three to five. 600 ms hold three times 180 ms."""
    run = page("h2", link=GEO, name="single-100k")
    record = measured(run, "tcp.connect_retry=180 ms", "tcp.connect_retries=4")
    first, *duplicates = record.client_connections
    assert [one.purpose for one in duplicates] == ["duplicate"] * 3
    assert {item.connection for item in record.objects} == {0}
    for number, duplicate in enumerate(duplicates, start=1):
        after_s = seconds(duplicate.started_ns - first.started_ns)
        assert after_s == pytest.approx(number * 0.180, abs=MACHINE_S)
        assert seconds(duplicate.closed_ns - duplicate.connected_ns) < MACHINE_S


@pytest.mark.parametrize("segments", [1, 40])
def test_the_first_flight_is_the_initial_window(segments):
    record = measured(bulk(), f"tcp.initial_window={segments}")
    assert record.origin_connections[0].initial_cwnd_bytes == segments * MSS_BYTES
    assert record.metrics.first_flight_bytes == pytest.approx(segments * 1500, abs=1500)


@pytest.mark.parametrize("segments", [20, 30])
def test_the_first_flight_is_no_larger_than_the_first_receive_window(segments):
    """Linux before 4.20 offered 20 segments (tcp_default_init_rwnd); a first flight of 40 does not fit."""
    record = measured(bulk(), "tcp.initial_window=40", f"tcp.initial_receive_window={segments}")
    assert record.metrics.first_flight_bytes == pytest.approx(segments * 1500, abs=1500)


@pytest.mark.parametrize(("timestamps", "mss_bytes"), [(True, 1448), (False, 1460)])
def test_without_timestamps_a_segment_has_twelve_bytes_more_of_payload(timestamps, mss_bytes):
    """RFC 7323 section 3.2: ten bytes and two of padding; Windows has them off."""
    record = measured(bulk(), f"tcp.timestamps={str(timestamps).lower()}")
    assert record.origin_connections[0].initial_cwnd_bytes == 10 * mss_bytes
    # 1 MB in full segments and 40 or 52 bytes before each.
    expected = 1e6 * 1500 / mss_bytes
    assert record.metrics.wire_bytes_down == pytest.approx(expected, rel=0.001)


@pytest.mark.parametrize(("pacing", "queued"), [("false", 39), ("true", 10)])
def test_a_first_flight_that_is_paced_leaves_its_queue_to_ten_segments(pacing, queued):
    """tcp_update_skb_after_send: ten leave at once, and thirty at 2 cwnd / SRTT, 4.6 of the link's 10 Mbit/s.

    The link has taken some of them before the last comes.
    """
    run, settings = bulk(size="57920 B"), ("tcp.initial_window=40", f"tcp.pacing={pacing}")
    for record in (measured(run, *settings), simulated(run, *settings)):
        assert record.metrics.queue_max_bytes_down == pytest.approx(queued * 1500, abs=2 * 1500)


@pytest.mark.parametrize("cc", ["cubic", "bbr"])
def test_no_flow_is_faster_than_its_socket_may_be(cc):
    """SO_MAX_PACING_RATE counts payload: 1 MB at 2 Mbit/s take 4 s, handshake and request a round trip each.

    Ten segments take 58 ms and twenty 116 ms of the first two round trips, which they do not fill.
    """
    run, setting = {**bulk(), "cc": cc}, 'tcp.max_pacing_rate="2 Mbit/s"'
    found_s, expected_s = (engine(run, setting).metrics.completion_s for engine in (measured, simulated))
    assert found_s == pytest.approx(expected_s, rel=0.01)
    assert expected_s == pytest.approx(4 + 2 * RTT_S + (RTT_S - 0.058) + (RTT_S - 0.116), abs=0.03)


@pytest.mark.parametrize(("buffer", "spent"), [("receive_buffer", Spent.RWND), ("send_buffer", Spent.SNDBUF)])
def test_a_buffer_limit_of_128_kb_means_the_same_in_kernel_and_simulator(buffer, spent):
    run, setting = bulk(size="2 MB"), f"tcp.{buffer}=128 kB"
    emulated, expected = measured(run, setting), simulated(run, setting)
    found_s, expected_s = (record.metrics.completion_s for record in (emulated, expected))
    assert found_s == pytest.approx(expected_s, rel=0.03)
    # The rate of the link would take 1.7 s and the handshake and slow start less than one.
    assert found_s > 3
    # And both say what they waited for: most of the time, as the rate of the link would take a third of it.
    found_s, expected_s = (time_spent(record)[spent] for record in (emulated, expected))
    assert found_s > emulated.metrics.completion_s / 2
    assert found_s == pytest.approx(expected_s, abs=3 * BIN_S)


@pytest.mark.parametrize("restarts", [True, False])
def test_an_idle_time_shrinks_the_window_where_slow_start_after_idle_is_on(restarts):
    """RFC 2861: once per timeout halved; six of them leave the initial window."""
    spec = spec_of(bulk(), f"tcp.slow_start_after_idle={str(restarts).lower()}")
    with connected(spec) as (client, server):
        transfer(server, client, 300_000)
        before = congestion_window(server)
        time.sleep(6 * (RTT_S + 0.2) + 0.1)
        transfer(server, client, 1)
        after = congestion_window(server)
    assert before > 40
    assert after == (10 if restarts else before)


@pytest.mark.parametrize(
    ("http", "way"), [("h1", "hystart++"), ("h2", "hystart++"), ("h2", "linux-4.15"), ("h2", "loss")]
)
def test_no_end_of_slow_start_but_its_own_is_to_be_had_over_the_kernel_s_tcp(http, way):
    record = measured_once(page(http), f"slow_start={way}")
    assert record.status == "failed"
    assert f"run.slow_start over TCP: expected linux, found {way}" in " ".join(said(record.reasons))


@pytest.mark.parametrize("way", ["hystart++", "search", "loss"])
def test_other_ends_of_slow_start_are_quic_s_for_the_asking(way):
    assert measured(page("h3"), f"slow_start={way}").metrics.plt_s > 0


@contextmanager
def connected(spec) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two ends of a connection over the emulated link, of this process's own."""
    with ExitStack() as stack:
        world = stack.enter_context(open_world(spec))
        stack.enter_context(open_link(world, configuration_of(spec, None))).part.answer(
            timeout_s=START_TIMEOUT_S
        )
        with netns.inside(world.server):
            listener = stack.enter_context(socket.create_server((SERVER_ADDRESS, PORT)))
        # BBR, which some hosts have by default, keeps its window (tcp_slow_start_after_idle_check).
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        with netns.inside(world.client):
            client = stack.enter_context(socket.create_connection((SERVER_ADDRESS, PORT), timeout=5))
        server, _ = listener.accept()
        yield client, stack.enter_context(server)


def transfer(sender, receiver, length):
    """Send and receive, until everything is acknowledged."""
    sender.sendall(bytes(length))
    while length > 0:
        length -= len(receiver.recv(length))
    time.sleep(RTT_S)


def congestion_window(sender):
    """Segments."""
    return tcp_info(sender, SND_CWND_OFFSET)


def retransmission_timeout_s(sender):
    return tcp_info(sender, RTO_OFFSET) / 1e6


def tcp_info(sender, offset):
    info = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, offset + 4)
    return struct.unpack_from("I", info, offset)[0]
