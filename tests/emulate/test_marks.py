"""Queues that mark on an emulated link, and senders that hear of it: the kernel's TCP and QUIC."""

import pytest

from tests.emulate.measuring import measured

LINK = "flat:down=20Mbit/s,up=20Mbit/s,rtt=40ms"


def behind(queue, **run):
    return measured({"link": {"base": LINK, "forward": {"queue": queue}}, **run})


def queue(record, name):
    [found] = [one for one in record.queues if (one.class_, one.direction) == (name, "down")]
    return found


@pytest.mark.parametrize("ecn", [True, False])
def test_codel_marks_packets_of_the_kernel_s_tcp_where_both_ends_agree_and_else_drops_them(ecn):
    codel = {"limit": "1 MB", "target": "5 ms", "interval": "100 ms", "ecn": True}
    flow = {"cc": "cubic", "tcp": {"ecn": ecn}, "bulk": {"transport": "tcp", "duration": "5 s"}}
    record = behind(codel, **flow, validity={"lateness": "5 ms"})
    found = queue(record, "all")
    # RFC 3168 section 5: a mark takes the place of a drop for ECN-capable packets, and for them alone.
    assert (found.marked_packets > 0, found.dropped_packets > 0) == (ecn, not ecn)
    assert (record.metrics.retransmitted_packets > 0) == (not ecn)


def test_packets_of_prague_wait_less_than_those_of_cubic_before_a_dual_queue():
    flows = {"duration": "10 s", "flows": ["quic:cubic", "quic:prague"]}
    record = behind({"limit": "1 MB", "aqm": "dualpi2"}, bulk=flows)
    # RFC 9332 section 2.5.1.1: a threshold of 1 ms for L4S, a target of 15 ms for the others.
    assert queue(record, "l4s").wait_p50_s < 3e-3 < queue(record, "classic").wait_p50_s
    assert queue(record, "l4s").marked_packets > 0
    cubic, prague = (flow.rtt_under_load.p50_s for flow in record.flows)
    assert prague < cubic


def test_a_sender_over_quic_that_knows_the_path_jumps_and_validates_it():
    run = {"link": "flat:down=20Mbit/s,up=20Mbit/s,rtt=300ms", "cc": "cubic"}
    flow = {"transport": "quic", "size": "5 MB"}
    resumed = measured({**run, "bulk": flow, "resume": {"saved_capacity": "1 x"}})
    [sender] = resumed.origin_connections
    # RFC 9959 section 3.
    phases = [step.phase for step in sender.resumption]
    assert phases == ["reconnaissance", "unvalidated", "validating", "normal"]
    # The jump is to half a bandwidth-delay product: five doublings of ten packets.
    alone = measured({**run, "bulk": flow})
    assert alone.metrics.completion_s - resumed.metrics.completion_s > 2 * 0.3
