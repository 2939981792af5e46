"""Hybla and Vivace in the real kernel: loaded when a run needs them, shared by processes, gone afterwards."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bentpipe import _core
from bentpipe.engine.emulate import Emulator
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.congestion_control import LOADED, SEARCH
from bentpipe.engine.testbed.kernel_control import KernelControls
from tests.emulate import foreign_control, traces
from tests.emulate.measuring import measured, measured_once
from tests.support.models import said
from tools.specs import spec_of

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
LINK = "flat:down=20Mbit/s,up=5Mbit/s,rtt=100ms"
LATE_OR_NOT = "validity.lateness=1s"
"""How punctual runs are is tested elsewhere."""

OBSTACLE = _core.congestion_control_obstacle()
pytestmark = [
    # What the kernel offers is the whole machine's.
    pytest.mark.alone,
    pytest.mark.skipif(bool(OBSTACLE), reason=f"no congestion control can be loaded: {OBSTACLE}"),
]


def offered():
    """Return what of ours the kernel offers now."""
    return [name for name in AVAILABLE.read_text().split() if name in LOADED.values()]


def bulk(cc, **flow):
    return {"link": LINK, "cc": cc, "bulk": {"transport": "tcp", **flow}}


@pytest.mark.parametrize("cc", LOADED)
def test_both_ends_use_it_and_it_fills_the_link(cc):
    record = measured(bulk(cc, size="4 MB"), LATE_OR_NOT)
    for end in ("client_connections", "origin_connections"):
        assert [one.congestion_control for one in getattr(record, end)] == [LOADED[cc]]
    # A sender that stays at its initial window of ten segments has 1.2 Mbit/s.
    assert record.metrics.goodput_bps > 6e6
    assert offered() == []


@pytest.mark.parametrize("cc", LOADED)
def test_a_page_load_uses_it(cc):
    record = measured({"link": LINK, "cc": cc, "http": "h2", "page": "single-100k"}, LATE_OR_NOT)
    assert [one.congestion_control for one in record.origin_connections] == [LOADED[cc]]


def test_cubic_with_search_is_the_kernels_and_fills_the_link():
    record = measured(bulk("cubic", size="4 MB"), "slow_start=search", LATE_OR_NOT)
    for end in ("client_connections", "origin_connections"):
        assert [one.congestion_control for one in getattr(record, end)] == [SEARCH]
    assert record.metrics.goodput_bps > 6e6
    assert SEARCH not in AVAILABLE.read_text().split()


def test_quic_has_its_own_and_loads_nothing():
    seen = []
    with ThreadPoolExecutor(max_workers=1) as pool:
        flow = {"link": LINK, "cc": "hybla", "bulk": {"transport": "quic", "size": "1 MB"}}
        run = pool.submit(measured, flow, LATE_OR_NOT)
        while not run.done():
            seen += offered()
            time.sleep(0.01)
    (connection,) = run.result().origin_connections
    assert (connection.congestion_control, seen) == ("hybla", [])


def test_runs_at_the_same_time_share_it_and_the_last_takes_it_back():
    emulator = Emulator()
    specs = [spec_of(bulk("hybla", duration=f"{seconds} s"), LATE_OR_NOT) for seconds in (2, 4)]

    def run(spec):
        return emulator.run(run_id="0123456789abcdef", spec=spec, artifacts=None)

    with ThreadPoolExecutor(max_workers=2) as pool:
        first, last = (pool.submit(run, spec) for spec in specs)
        first.result()
        assert offered() == ["bp_hybla"]
        last.result()
    for record in (first.result(), last.result()):
        assert [one.congestion_control for one in record.origin_connections] == ["bp_hybla"]
    assert offered() == []


def test_it_goes_with_a_killed_measurement(command, mark):
    process = command("bulk", "--link", "lan", "--cc", "vivace", "--transport", "tcp", "--duration", "60 s")
    assert traces.becomes_true(lambda: len(traces.parts(mark)) == 4, within_s=15)
    assert offered() == ["bp_vivace"]
    process.kill()
    process.communicate()
    assert traces.becomes_true(lambda: not traces.processes(mark), within_s=3)
    assert traces.becomes_true(lambda: not offered(), within_s=3)
    assert netns.clean() != []


@pytest.fixture
def campaign(command, mark):
    """Another process that measures with Hybla until the test interrupts it."""
    process = command("bulk", "--link", "lan", "--cc", "hybla", "--transport", "tcp", "--duration", "60 s")
    assert traces.becomes_true(lambda: len(traces.parts(mark)) == 4, within_s=15)
    assert offered() == ["bp_hybla"]
    yield process
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=5)


def test_two_processes_that_measure_with_the_same_program_share_its_registration(campaign):
    record = measured(bulk("hybla", size="1 MB"), LATE_OR_NOT)
    for end in ("client_connections", "origin_connections"):
        assert [one.congestion_control for one in getattr(record, end)] == ["bp_hybla"]
    assert campaign.poll() is None
    assert offered() == ["bp_hybla"]


def test_a_registration_outlives_the_killed_process_that_made_it_as_long_as_another_one_holds_it(
    command, mark
):
    maker = command("bulk", "--link", "lan", "--cc", "hybla", "--transport", "tcp", "--duration", "60 s")
    assert traces.becomes_true(lambda: offered(), within_s=15)
    with KernelControls().needed_by(spec_of(bulk("hybla", size="1 MB"))):
        maker.kill()
        maker.communicate()
        # What is left is the holder of this process.
        assert traces.becomes_true(lambda: len(traces.parts(mark)) == 1, within_s=3)
        assert _core.remove_congestion_control_leftovers() == []
        assert offered() == ["bp_hybla"]
    assert traces.becomes_true(lambda: not offered(), within_s=3)
    netns.clean()


def test_another_program_with_its_name_fails_the_run_which_says_so_and_is_left_alone():
    with foreign_control.registered("bp_hybla"):
        record = measured_once(bulk("hybla", size="100 kB"))
        assert record.status == "failed"
        told = "bp_hybla is registered with another program"
        assert any(told in reason for reason in said(record.reasons)), record.reasons
        assert _core.remove_congestion_control_leftovers() == []
        assert offered() == ["bp_hybla"]
    assert offered() == []
