"""Eight flows of mixed algorithms on one link, on the real kernel: each with its own, none starved."""

import numpy as np
import pytest

from bentpipe import _core
from bentpipe.engine.testbed.congestion_control import LOADED
from tests.emulate.measuring import measured

RTT_S = 0.6
LINK = "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms"
FLOWS = ["cubic", "bbr", "reno", "hybla", "vivace", "quic:cubic", "quic:bbr", "quic:bbr3"]
WITHOUT_EBPF = [flow for flow in FLOWS if flow not in LOADED]
DURATION_S = 30


@pytest.fixture(scope="module")
def record():
    flows = WITHOUT_EBPF if _core.congestion_control_obstacle() else FLOWS
    bulk = {"duration": f"{DURATION_S} s", "flows": flows}
    # Nothing here is judged more closely than by tenths of a second.
    return measured({"link": LINK, "bulk": bulk, "validity": {"lateness": "30 ms"}})


def test_each_flow_has_its_own_algorithm_at_both_ends(record):
    for end in ("client_connections", "origin_connections"):
        assert len(getattr(record, end)) == len(record.flows)
        for connection in getattr(record, end):
            flow = record.flows[connection.flow]
            kernel = LOADED.get(flow.cc, flow.cc) if flow.transport == "tcp" else flow.cc
            assert (connection.transport, connection.congestion_control) == (flow.transport, kernel)


def test_every_flow_gets_on_to_the_common_end_and_the_link_is_full(record):
    progress = record.series["progress"]
    times, ports = np.asarray(progress["time_s"]), np.asarray(progress["client_port"])
    amounts = np.asarray(progress["received_bytes"])
    for flow in record.flows:
        own = ports == flow.client_port
        late = amounts[own & (times > DURATION_S / 2)].sum()
        assert late > 0, flow
        # One that counted from its own handshake would end a round trip later; the machine may take a
        # client its core for 100 ms at the end.
        assert flow.last_byte_s <= DURATION_S + RTT_S / 2
    # Half a second of handshakes and start-up at 10 Mbit/s, and headers.
    assert record.metrics.utilisation > 0.85


def test_shares_are_reported_and_add_up_to_one(record):
    assert sum(flow.share for flow in record.flows) == pytest.approx(1)
    assert 1 / len(record.flows) < record.metrics.jain_index <= 1
