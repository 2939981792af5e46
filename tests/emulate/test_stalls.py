"""What a machine that stands still for a moment does to the verdict on a run: stalls are injected.

Either the link process is stopped by signals, its timers with it, as a hypervisor does to a machine of one
core; or a program of a higher real-time priority occupies every core. Stalls are far longer than what an idle
machine is late by (0.1 ms), and than the bounds of the runs (1 ms, at 600 ms 3 ms). A timer that wakes every
10 ms sees at least 30 ms of one.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from bentpipe.campaign.executor import was_late
from bentpipe.engine import emulate
from bentpipe.model.reason import EmulatorLateReason
from bentpipe.model.record import RunRecord, Status
from bentpipe.reasons import sentence
from tests.emulate import traces
from tests.emulate.measuring import measured_once

pytestmark = pytest.mark.alone

STALL_S = 0.04
SEEN_MS = 25
"""Of a stall, at least; programs that occupy cores do not begin at the same time."""

FLOW = {"link": "flat:down=10Mbit/s,up=10Mbit/s,rtt=20ms", "bulk": {"duration": "3 s"}}
PINGS = {"link": "flat:down=10Mbit/s,up=10Mbit/s,rtt=600ms", "ping": {"count": 3, "interval": "1500 ms"}}
"""Of each 1.5 s the link has nothing to do for 0.9 s."""

PAGE = {"link": "flat:down=10Mbit/s,up=10Mbit/s,rtt=600ms", "http": "h2", "page": "single-100k"}
CLOSING_S = 0.3
"""After so long what its client has sent last is due: the last acknowledgement, close_notify and FIN."""

_OCCUPY = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
until = time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    pass
"""
"""Takes a core from everything that a run consists of."""


def occupy_all_cores():
    cores = sorted(os.sched_getaffinity(0))
    programs = [
        subprocess.Popen([sys.executable, "-I", "-c", _OCCUPY, str(core), str(STALL_S)]) for core in cores
    ]
    # A refused priority would show up as a wrong verdict.
    assert [program.wait() for program in programs] == [0 for _ in cores]


def stop(mark: str, *, after_s: float = 0.0, stall_s: float = STALL_S) -> None:
    """Stop the link process so long from now; looking for it takes some of that time."""
    began_s = time.monotonic()
    (link,) = traces.parts(mark, name="link")
    time.sleep(max(began_s + after_s - time.monotonic(), 0.0))
    os.kill(link, signal.SIGSTOP)
    time.sleep(stall_s)
    os.kill(link, signal.SIGCONT)


@contextmanager
def after_the_mark(monkeypatch: pytest.MonkeyPatch, wait_s: float, stall: Callable[[], None]):
    """Have a stall so long after the workload has begun."""
    over = emulate.vigil.over
    stalls = []

    def begun(*arguments, **options):
        stalls.append(pool.submit(lambda: (time.sleep(wait_s), stall())))
        return over(*arguments, **options)

    with ThreadPoolExecutor(max_workers=1) as pool, monkeypatch.context() as patch:
        patch.setattr(emulate.vigil, "over", begun)
        yield
        # None of a run that failed before its workload began: its record says why.
        for each in stalls:
            each.result()


def stalled(monkeypatch, run, wait_s, stall) -> RunRecord:
    with after_the_mark(monkeypatch, wait_s, stall):
        return measured_once(run)


def unharmed(attempt: Callable[[], RunRecord]) -> RunRecord:
    """Return the first record of three that is not late; the machine may have had a stall of its own in one.

    Unlike `in_time` it fails when all are late: the injected stall then makes runs invalid.
    """
    for _ in range(3):
        record = attempt()
        if not was_late(record):
            break
    assert record.status is Status.SUCCEEDED, record.reasons
    return record


def machine_late_ms(record: RunRecord) -> float:
    return float(record.provenance["timer_late_max_ms"])


def test_a_stall_while_packets_are_due_makes_a_run_invalid_and_the_machine_is_named(monkeypatch, mark):
    """At 10 Mbit/s a packet is due every 1.2 ms, so that the first one is late by almost all of the stall."""
    record = stalled(monkeypatch, FLOW, 1.5, lambda: stop(mark))
    assert record.status is Status.INVALID
    (late,) = (reason for reason in record.reasons if isinstance(reason, EmulatorLateReason))
    assert late.latest_ns > (STALL_S - 0.003) * 1e9
    assert late.timer_ns > late.latest_ns / 2
    assert sentence(late).endswith(": the machine")
    assert machine_late_ms(record) > SEEN_MS


def test_a_stall_of_all_cores_while_packets_are_due_makes_a_run_invalid(monkeypatch):
    record = stalled(monkeypatch, FLOW, 1.5, occupy_all_cores)
    assert record.status is Status.INVALID
    (late,) = (reason for reason in record.reasons if isinstance(reason, EmulatorLateReason))
    assert sentence(late).endswith(": the machine")


@pytest.mark.parametrize("kind", ["stopped", "occupied"])
def test_a_stall_while_no_packet_is_under_way_is_told_and_makes_no_run_invalid(monkeypatch, mark, kind):
    """0.9 s after a request its answer has been back for 0.3 s, and the next one is 0.6 s away."""
    stall = occupy_all_cores if kind == "occupied" else lambda: stop(mark)
    record = unharmed(lambda: stalled(monkeypatch, PINGS, 0.9, stall))
    assert machine_late_ms(record) > SEEN_MS
    assert record.metrics.rtt_max_s < 0.6 + 0.003


def test_a_packet_that_came_while_the_link_was_held_up_counts_as_late(monkeypatch, mark):
    """It is read after the stall, and its departure is computed from then on: no release is late.

    Requests leave at 0, 1.5 and 3 s. The link is stopped from 1.2 s to 1.8 s, in which nothing is due.
    """
    record = stalled(monkeypatch, PINGS, 1.2, lambda: stop(mark, stall_s=0.6))
    assert record.metrics.rtt_max_s > 0.6 + 0.01, "the stall has missed the request"
    assert record.status is Status.INVALID
    assert any(isinstance(reason, EmulatorLateReason) for reason in record.reasons), record.reasons


@pytest.fixture
def held_up(monkeypatch, mark):
    """Stalls the link after each workload, over the instant at which what closes its connections is due."""
    linger_s = emulate._linger_s

    def stalled_first(spec):
        stop(mark, after_s=CLOSING_S - STALL_S / 2)
        return linger_s(spec)

    monkeypatch.setattr(emulate, "_linger_s", stalled_first)


@pytest.mark.usefixtures("held_up")
def test_a_stall_while_a_page_load_closes_its_connections_makes_no_run_invalid():
    """The client has reported: its close_notify and FIN, and what answers them, are still under way."""
    record = unharmed(lambda: measured_once(PAGE))
    assert machine_late_ms(record) > SEEN_MS


@pytest.mark.usefixtures("held_up")
def test_the_same_stall_counts_where_the_workload_is_not_known_to_be_over(monkeypatch):
    """The control of the test above: the stall hits packets."""
    monkeypatch.setattr(emulate, "_is_over_with_its_client", lambda _spec: False)
    assert was_late(measured_once(PAGE))


def test_a_link_that_is_late_by_itself_is_named():
    """No timer is exact to a nanosecond; a bare one that is late by less than 0.2 ms has no stall."""

    def attempt():
        record = measured_once(PAGE, "validity.lateness=1 ns")
        (late,) = (reason for reason in record.reasons if isinstance(reason, EmulatorLateReason))
        return late

    # A machine that stands still in the midst is another matter.
    lates = [attempt() for _ in range(3)]
    assert any(late.timer_ns == 0 and sentence(late).endswith(": the link") for late in lates), lates
