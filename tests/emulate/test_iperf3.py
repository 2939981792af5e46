"""iperf3 over the emulated link: its figures beside ours, and its failures as records."""

import os
import signal
import threading
import time
from itertools import accumulate

import numpy as np
import pytest

from bentpipe.engine.programs import iperf3
from bentpipe.engine.programs.iperf3_report import INTERVAL_S
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.congestion_control import LOADED, available
from tests.emulate import traces
from tests.emulate.measuring import measured, measured_once, measured_together
from tests.support.models import said

LACK = iperf3.missing()
pytestmark = pytest.mark.skipif(LACK is not None, reason=str(LACK))

BOTH = {"client": "iperf3", "server": "iperf3"}
LINKS = {
    "50 ms": "flat:down=10Mbit/s,up=10Mbit/s,rtt=50ms,queue=2MB",
    "600 ms": "flat:down=10Mbit/s,up=10Mbit/s,rtt=600ms,queue=2MB",
}
"""The queue is twice the longer link's BDP and more, so that nothing is lost."""

INTERVAL_BYTES = INTERVAL_S * 10e6 / 8
"""What either link carries while iperf3 looks away: it tells instants to an interval."""

LATE_OR_NOT = "1 s"
"""How punctual runs are is tested elsewhere; what a flow takes in seconds does not depend on milliseconds."""


def flow(link="50 ms", *, cc="cubic", **bulk):
    return {"link": LINKS[link], "cc": cc, "bulk": bulk, "validity": {"lateness": LATE_OR_NOT}}


def received_bytes(record, *, within_s):
    """What the receiver had, so long after its first byte."""
    progress, (only,) = record.series["progress"], record.flows
    total = list(accumulate(progress["received_bytes"]))
    return float(np.interp(only.first_byte_s + within_s, progress["time_s"], total))


@pytest.mark.parametrize("direction", ["down", "up"])
@pytest.mark.parametrize("link", LINKS)
def test_its_goodput_is_ours_and_neither_sends_anything_again(link, direction):
    """Over as much time from the first byte on. Their own clocks start and stop at different events, which
    matters in slow start: 0.6 s of handshake are time to ours and none to iperf3.
    """
    ours = flow(link, direction=direction, duration="10 s")
    own, theirs = measured_together([ours, {**ours, **BOTH}])
    for span_s in (5, 9):
        expected = received_bytes(own, within_s=span_s)
        assert received_bytes(theirs, within_s=span_s) == pytest.approx(expected, abs=INTERVAL_BYTES)
    assert [record.metrics.retransmitted_packets for record in (own, theirs)] == [0, 0]
    assert own.metrics.drops == theirs.metrics.drops


def test_it_takes_as_long_as_ours_from_first_byte_to_last():
    """Down: its client stops its clock when it has read the last byte, as ours does."""
    ours = flow(direction="down", size="4 MB")
    own, iperf = (record.flows[0] for record in measured_together([ours, {**ours, **BOTH}]))
    assert 4_000_000 <= iperf.bytes < 4_000_000 + iperf3.BLOCK_BYTES
    took_s = [one.last_byte_s - one.first_byte_s for one in (own, iperf)]
    assert took_s[1] == pytest.approx(took_s[0], abs=2 * INTERVAL_S)


@pytest.mark.parametrize("direction", ["down", "up"])
def test_its_series_are_those_of_a_flow(direction):
    record = measured({**flow(direction=direction, duration="3 s"), **BOTH})
    sender, progress, link = (record.series[name] for name in ("sender", "progress", "link"))
    assert sum(progress["received_bytes"]) == record.metrics.payload_bytes
    # Twenty full intervals after the first second, of 10 Mbit/s less headers each.
    full = [n for time_s, n in zip(progress["time_s"], progress["received_bytes"], strict=True) if time_s > 1]
    assert sum(full) / len(full) == pytest.approx(125_000 * 1448 / 1500, rel=0.15)
    assert sender["srtt_s"][-1] > 0.05
    assert sender["cwnd_bytes"][-1] > 10 * 1448
    # What entered the link before the test started, by its counters, is the control exchange.
    column = {"down": "forward_sent_bytes", "up": "return_sent_bytes"}[direction]
    sent = zip(link["time_s"], link[column], strict=True)
    assert 0 < sum(n for time_s, n in sent if time_s <= 0) < 1500


@pytest.mark.parametrize("cc", ["reno", "bbr", *LOADED])
def test_both_ends_use_the_congestion_control_asked_for(cc):
    if cc not in available():
        pytest.skip(f"no {cc} for TCP on this machine")
    record = measured({**flow(cc=cc, size="1 MB"), **BOTH})
    for end in ("client_connections", "origin_connections"):
        assert [one.congestion_control for one in getattr(record, end)] == [LOADED.get(cc, cc)]


def test_losses_are_sent_again_and_counted():
    record = measured({**flow(size="2 MB"), **BOTH}, "link.forward.loss=1%")
    metrics = record.metrics
    assert 0 < metrics.drops.forward.channel <= metrics.retransmitted_packets + 2
    assert record.series["sender"]["retransmitted_packets"][-1] <= metrics.retransmitted_packets


def test_the_record_says_which_iperf3_it_was():
    provenance = measured({**flow(size="100 kB"), **BOTH}).provenance
    assert provenance["iperf3"].startswith("3.")


def test_a_test_that_takes_longer_than_its_timeout_fails():
    record = measured_once({**flow(duration="60 s"), **BOTH}, "validity.timeout=1.5s")
    assert (record.status, said(record.reasons)) == ("failed", ["timed out after 1.5 s"])
    assert record.metrics.goodput_bps is None


def test_what_iperf3_complains_of_is_the_reason(mark):
    def kill():
        command = "iperf3\0--server"
        assert traces.becomes_true(lambda: traces.processes(mark, command="iperf3\0--client"), within_s=10)
        time.sleep(1)
        for pid in traces.processes(mark, command=command):
            os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    record = measured_once({**flow(duration="20 s"), **BOTH})
    killer.join()
    assert record.status == "failed"
    assert said(record.reasons) == ["the iperf3 client: control socket has closed unexpectedly"]


COMMAND = ("bulk", "--link", "lan", "--duration", "60 s", "--set", "client=iperf3", "--set", "server=iperf3")


@pytest.mark.alone
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_an_interrupted_measurement_leaves_no_process(command, mark, ending):
    process = command(*COMMAND)
    assert traces.becomes_true(lambda: len(traces.processes(mark, command="iperf3\0--")) == 2, within_s=15)
    time.sleep(1)
    process.send_signal(ending)
    process.communicate(timeout=3)
    assert traces.becomes_true(lambda: not traces.processes(mark), within_s=3)
    assert bool(netns.clean()) == (ending is signal.SIGKILL)


def test_the_command_line_prints_its_figures(bentpipe):
    arguments = ("bulk", "--link", "lan", "--size", "1 MB", *COMMAND[5:], "--set", "validity.lateness=1s")
    status, out, errors = bentpipe(*arguments)
    assert status == 0, errors
    assert "iperf3 down with cubic over lan: succeeded" in out
    assert "Goodput" in out
    assert "Utilisation" not in out
