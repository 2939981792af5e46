"""The benchmark's own instruments; what it measures takes minutes and is not measured here."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from bentpipe.engine import bench
from bentpipe.engine.host import cpu_time, timer_latency
from bentpipe.model.channel import NoneLossSpec
from bentpipe.model.queue import BytesQueueSpec


def test_processor_time_is_what_the_process_has_used():
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    # Two counts, user and system, each in ticks of 10 ms.
    assert cpu_time.used_s([os.getpid()]) == pytest.approx(time.process_time(), abs=0.03)


@pytest.mark.parametrize("rate_mbps", [10, 144, 500, 1000, 2000])
def test_the_goodput_flows_are_single_and_over_a_lossless_link_of_two_bdp_of_queue(rate_mbps):
    spec = bench._spec(bench._flow(f"{rate_mbps} Mbit/s", "cubic", seconds=60))
    assert spec.workload.duration_ns == 60_000_000_000
    for direction in (spec.link.forward, spec.link.return_):
        assert direction.capacity.rate_bps == rate_mbps * 1_000_000
        assert direction.loss == NoneLossSpec()
        # Rate x 20 ms / 8, twice.
        assert direction.queue == BytesQueueSpec(limit_bytes=rate_mbps * 5_000)


def test_a_bare_timer_on_each_core_says_how_late_the_machine_is():
    with timer_latency.watched() as machine:
        time.sleep(0.2)
    assert len(machine.late_s) == len(os.sched_getaffinity(0))
    for late_s in machine.late_s:
        # 200 instants a millisecond apart, as many as pass before the timer is told to end.
        assert len(late_s) >= 100
        assert late_s[0] >= 0


def test_the_machine_is_as_late_as_its_worst_core():
    machine = timer_latency.Punctuality()
    machine.late_s = [[0.001, 0.002, 0.009], [0.003, 0.004, 0.005]]
    assert machine.quantile_s(0.5) == 0.004
    assert machine.quantile_s(1.0) == 0.009


def test_a_timer_that_is_held_up_is_late_at_each_instant_that_passes():
    with timer_latency.watched() as machine:
        time.sleep(0.05)
        timers = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children").read_text().split()
        for timer in timers:
            os.kill(int(timer), signal.SIGSTOP)
        time.sleep(0.1)
        for timer in timers:
            os.kill(int(timer), signal.SIGCONT)
        time.sleep(0.05)
    # Those of 100 ms, the first of them late by almost as much, and half of them by at least 50 ms.
    for late_s in machine.late_s:
        assert late_s[-1] > 0.09
        assert sum(late > 0.04 for late in late_s) > 40
