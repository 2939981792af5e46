"""Runs without a number are records too, with the reason: invariant 7 of the architecture."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from bentpipe.engine.emulate import open_world
from bentpipe.engine.testbed.netns import CLIENT_ADDRESS, SERVER_ADDRESS, inside
from bentpipe.model.reason import CoreAwaitedReason, EmulatorLateReason, TimedOutReason
from tests.emulate import traces
from tests.emulate.measuring import measured_once
from tests.support.models import said
from tools.specs import spec_of

pytestmark = pytest.mark.alone

PAGE = {"link": "lan", "http": "h2", "page": "single-100k"}
LONG_FLOW = {"link": "lan", "bulk": {"duration": "20 s"}}


def test_a_run_whose_packets_were_released_later_than_the_bound_is_invalid():
    """No timer is exact to a nanosecond."""
    record = measured_once(PAGE, "validity.lateness=1 ns")
    assert record.status == "invalid"
    # A busy machine may add that the programs waited for a core.
    (late,) = (reason for reason in record.reasons if isinstance(reason, EmulatorLateReason))
    assert late.p999_ns > late.bound_ns == 1
    assert record.metrics.plt_s > 0


@pytest.mark.parametrize("run", [PAGE, {"link": "lan", "bulk": {"duration": "3 s"}}], ids=["page", "flow"])
def test_a_run_whose_programs_waited_for_a_core_is_invalid(run):
    """A busy program for each core, which is worth ten of the run's own (sched(7), the nice value)."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        os.setpriority(os.PRIO_PROCESS, 0, 10)
        record = measured_once(run)
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, 0)
        for program in busy:
            program.kill()
            program.wait()
    assert record.status == "invalid"
    assert any(isinstance(reason, CoreAwaitedReason) for reason in record.reasons), record.reasons


@pytest.mark.parametrize("http", ["h1", "h3"])
def test_a_page_load_that_takes_longer_than_its_timeout_fails(http):
    run = {"link": "geo-alshagri-flat", "http": http, "page": "single-100k"}
    record = measured_once(run, "validity.timeout=300 ms")
    assert record.status == "failed"
    assert record.reasons == [TimedOutReason(timeout_ns=300_000_000, loaded_objects=0)]
    assert record.metrics.plt_s is None


def test_a_flow_over_a_link_that_delivers_nothing_fails():
    link = "flat:down=10Mbit/s,up=10Mbit/s,rtt=20ms,loss=100%"
    record = measured_once({"link": link, "bulk": {"size": "10 kB"}}, "validity.timeout=500 ms")
    assert record.status == "failed"
    assert record.reasons[0] == TimedOutReason(timeout_ns=500_000_000, loaded_objects=None)
    assert record.metrics.drops.return_.channel > 0


@pytest.mark.parametrize("part", ["link", "origin", "client"])
def test_a_run_whose_process_dies_fails_at_once_and_names_it(mark, part):
    """As by the kernel when memory runs out; the run's timeout is a minute."""
    killed_s = []

    def kill():
        traces.becomes_true(lambda: len(traces.parts(mark)) == 3, within_s=10)
        time.sleep(0.5)
        for pid in traces.parts(mark, name=part):
            os.kill(pid, signal.SIGKILL)
            killed_s.append(time.monotonic())

    killer = threading.Thread(target=kill)
    killer.start()
    record = measured_once(LONG_FLOW, "validity.timeout=60 s")
    ended_s = time.monotonic()
    killer.join()
    assert ended_s - killed_s[0] < 5
    assert record.status == "failed"
    assert said(record.reasons) == [f"the {part} ended with status -9: without a word"]


def test_packets_that_the_kernel_drops_before_the_link_are_counted():
    """A device whose queue holds two packets, a link process that reads none, twenty datagrams."""
    with open_world(spec_of(PAGE)) as world:
        devices = world.open_devices()
        with inside(world.client):
            subprocess.run(["ip", "link", "set", "bp0", "txqueuelen", "2"], check=True)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.bind((CLIENT_ADDRESS, 0))
                for _ in range(20):
                    sender.sendto(b"x", (SERVER_ADDRESS, 9))
        assert world.dropped_packets() == 18
        for device in devices:
            os.close(device)
