"""L4S in virtual time: Prague beside CUBIC before DualPI2, and classic ECN of TCP before CoDel."""

import pytest

from bentpipe.engine.simulate import Simulator
from tools.specs import spec_of

DUALPI2 = {"limit": "1 MB", "aqm": "dualpi2"}
MARKING_CODEL = {"limit": "1 MB", "target": "5 ms", "interval": "100 ms", "ecn": True}


def simulated(link, queue, **run):
    forward = {"base": link, "forward": {"queue": queue}}
    record = Simulator().run(
        run_id="0123456789abcdef", spec=spec_of({"link": forward, **run}), artifacts=None
    )
    assert (record.status, record.reasons) == ("succeeded", [])
    return record


def queue(record, name):
    [found] = [one for one in record.queues if (one.class_, one.direction) == (name, "down")]
    return found


@pytest.fixture(scope="module")
def beside_cubic():
    flows = {"duration": "60 s", "flows": ["quic:cubic", "quic:prague"]}
    return simulated("flat:down=50Mbit/s,up=10Mbit/s,rtt=30ms", DUALPI2, bulk=flows)


def test_packets_of_prague_wait_less_than_5_ms_beside_a_cubic_flow(beside_cubic):
    # RFC 9332 section 1.2 speaks of a millisecond at the 99th percentile; the ramp ends at 1.2 ms.
    assert queue(beside_cubic, "l4s").wait_p99_s < 5e-3
    # The classic queue is steered to 15 ms.
    assert 5e-3 < queue(beside_cubic, "classic").wait_p50_s < 30e-3


def test_both_flows_get_about_the_same_and_the_link_is_full(beside_cubic):
    # RFC 9332 section 2.1: the coupling is for rates that are about the same.
    cubic, prague = (flow.share for flow in beside_cubic.flows)
    assert 0.5 < cubic / prague < 2, (cubic, prague)
    assert beside_cubic.metrics.goodput_bps > 0.9 * 50e6


def test_a_flow_s_round_trip_under_load_is_that_of_its_queue(beside_cubic):
    cubic, prague = (flow.rtt_under_load for flow in beside_cubic.flows)
    assert prague.min_s < prague.p50_s < cubic.p50_s
    assert prague.p99_s < 0.030 + 5e-3


def test_tcp_is_marked_where_both_ends_agree_and_else_dropped():
    link, bulk = "flat:down=50Mbit/s,up=10Mbit/s,rtt=30ms", {"duration": "30 s", "transport": "tcp"}
    marked = simulated(link, MARKING_CODEL, bulk=bulk, tcp={"ecn": True})
    dropped = simulated(link, MARKING_CODEL, bulk=bulk)
    assert queue(marked, "all").marked_packets > 0
    assert queue(dropped, "all").marked_packets == 0
    # What is marked is not retransmitted; the first slow start alone may fill the queue.
    assert marked.metrics.drops.forward.queue < dropped.metrics.drops.forward.queue
    assert queue(marked, "all").dropped_packets < queue(dropped, "all").dropped_packets
    assert marked.metrics.goodput_bps > 0.9 * 50e6


def test_without_ecn_quic_is_dropped():
    link, bulk = "flat:down=50Mbit/s,up=10Mbit/s,rtt=30ms", {"duration": "20 s", "transport": "quic"}
    off = simulated(link, MARKING_CODEL, bulk=bulk, quic={"ecn": False})
    on = simulated(link, MARKING_CODEL, bulk=bulk)
    assert (queue(off, "all").marked_packets, queue(off, "all").dropped_packets > 0) == (0, True)
    assert queue(on, "all").marked_packets > 0


def test_a_queue_that_only_drops_is_not_among_those_that_mark():
    record = simulated(
        "flat:down=50Mbit/s,up=10Mbit/s,rtt=30ms",
        "1 BDP",
        bulk={"duration": "2 s", "flows": ["quic:cubic", "quic:prague"]},
    )
    assert record.queues is None
    assert [flow.rtt_under_load for flow in record.flows] == [None, None]
