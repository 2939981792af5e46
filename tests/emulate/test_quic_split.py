"""Proxies that end QUIC at terminal and gateway, on the real kernel."""

import json
import subprocess

import pytest

from bentpipe.engine.emulate import Emulator, open_world
from bentpipe.engine.testbed import pep
from tests.emulate.measuring import in_time
from tools.specs import spec_of

pytestmark = pytest.mark.skipif(pep.missing() is not None, reason=str(pep.missing()))

RTT_S = 0.2
LINK = "flat:down=20Mbit/s,up=20Mbit/s,rtt=200ms,queue=2BDP"
LOSSY = f"{LINK},loss=1%"


def measured(run):
    spec = spec_of({"pep": "quic-split", **run})
    return in_time(lambda: Emulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None))


def counted(record, what):
    return [int(record.provenance[f"{host}_{what}"]) for host in ("terminal", "gateway")]


def test_a_page_arrives_whole_and_its_client_waits_for_no_handshake_over_the_satellite():
    record = measured({"link": LINK, "http": "h3", "page": "uniform-100k"})
    assert len(record.objects) == 9
    assert record.metrics.connect_s < RTT_S / 4
    # The proxies' handshake, then the request.
    assert record.metrics.ttfb_s == pytest.approx(2 * RTT_S, abs=0.05)
    assert counted(record, "connections") == [1, 1]
    assert counted(record, "errors") == [0, 0]


@pytest.mark.parametrize("direction", ["down", "up"])
def test_a_flow_over_a_lossy_satellite_arrives_as_it_was_sent(direction):
    """Client and origin compare every byte of a flow; what differs makes the record invalid."""
    flow = {"transport": "quic", "direction": direction, "size": "1 MB"}
    record = measured({"link": LOSSY, "bulk": flow, "validity": {"lateness": "1 s"}})
    assert record.metrics.payload_bytes == 1_000_000
    for carried in counted(record, f"{direction}_bytes"):
        # The flow, and at most an order of sixteen bytes.
        assert 1_000_000 <= carried <= 1_000_016


def test_flows_over_tcp_pass_by():
    record = measured({"link": LINK, "bulk": {"flows": ["tcp:cubic", "quic:cubic"], "duration": "2 s"}})
    assert counted(record, "connections") == [1, 1]
    taken_s = {
        connection.transport: (connection.connected_ns - connection.started_ns) / 1e9
        for connection in record.client_connections
    }
    assert taken_s["quic"] < RTT_S / 4 < RTT_S <= taken_s["tcp"]


def test_the_terminal_redirects_the_ports_of_the_run_and_no_others():
    spec = spec_of({"link": LINK, "http": "h3", "page": "single-100k", "pep": "quic-split"})
    with open_world(spec) as world:
        shown = subprocess.run(
            ["ip", "netns", "exec", world.terminal, "nft", "-j", "list", "ruleset"],
            capture_output=True,
            check=True,
        )
    rules = [each["rule"]["expr"] for each in json.loads(shown.stdout)["nftables"] if "rule" in each]
    assert len(rules) == 1
    assert {"payload": {"protocol": "udp", "field": "dport"}} in [
        e["match"]["left"] for e in rules[0] if "match" in e
    ]
    assert "443" in json.dumps(rules[0])
