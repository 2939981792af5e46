"""kill -9 and Ctrl-C in the midst of measuring: nothing stays, nothing is lost, nothing is done twice."""

import signal
import time
from collections import Counter

import pytest

from bentpipe.campaign.executor import was_late
from bentpipe.campaign.plan import plan
from bentpipe.engine.testbed import netns
from bentpipe.ledger import Ledger
from bentpipe.scenario import load
from tests.emulate import traces

SHORT_RUNS = """
repetitions = 4
[run]
link = "flat:down=10Mbit/s,up=10Mbit/s,rtt=100ms"
page = "single-100k"
[run.validity]
lateness = "1 s"
[matrix]
http = ["h1", "h2", "h3"]
"""
"""Twelve runs of about a second; how punctual they are is tested elsewhere."""

LONG_RUNS = """
repetitions = 2
[run]
link = "lan"
bulk = { duration = "60 s" }
"""


@pytest.fixture
def short_runs(tmp_path):
    path = tmp_path / "short.toml"
    path.write_text(SHORT_RUNS)
    return path


def runs_finished(folder):
    """Return the number of runs in a folder that a campaign is writing to."""
    return len(list((folder / "series" / "link").glob("*.parquet")))


def assert_complete(scenario_file, folder):
    """Every planned run has succeeded exactly once, and there are no others."""
    with Ledger(folder) as ledger:
        entries = ledger.entries()
    succeeded = Counter(entry.run_id for entry in entries if entry.status == "succeeded")
    assert succeeded == Counter(run.run_id for run in plan(load(scenario_file)))


@pytest.mark.alone
def test_a_killed_campaign_leaves_no_process_and_goes_on_with_the_same_command(
    command, bentpipe, mark, short_runs, tmp_path
):
    folder = tmp_path / "results"
    arguments = ("run", short_runs, "--jobs", 2, "--out", folder)
    process = command(*arguments)
    assert traces.becomes_true(lambda: runs_finished(folder) >= 3, within_s=30)
    process.kill()
    process.communicate()
    assert traces.becomes_true(lambda: not traces.processes(mark), within_s=3)
    with Ledger(folder) as ledger:
        kept = len(ledger.entries())
    assert 2 <= kept < 12

    status, _, errors = bentpipe(*arguments)
    assert status == 0, errors
    assert_complete(short_runs, folder)


@pytest.mark.alone
def test_processes_at_work_do_not_outlive_a_killed_measurement(command, mark):
    process = command("bulk", "--link", "lan", "--duration", "60 s")
    assert traces.becomes_true(lambda: len(traces.parts(mark)) == 3, within_s=10)
    time.sleep(1)  # The client is transferring now, and looks at nothing else.
    process.kill()
    process.communicate()
    assert traces.becomes_true(lambda: not traces.processes(mark), within_s=3)
    assert netns.clean() != []


def test_ctrl_c_keeps_the_runs_that_end_soon_and_the_same_command_goes_on(
    command, bentpipe, short_runs, tmp_path
):
    folder = tmp_path / "results"
    arguments = ("run", short_runs, "--jobs", 2, "--out", folder)
    process = command(*arguments)
    assert traces.becomes_true(lambda: runs_finished(folder) >= 2, within_s=30)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=12)
    assert process.returncode == 130
    assert traces.namespaces() == []
    with Ledger(folder) as ledger:
        assert all(entry.status == "succeeded" or was_late(entry.record) for entry in ledger.entries())

    status, _, errors = bentpipe(*arguments)
    assert status == 0, errors
    assert_complete(short_runs, folder)


def test_ctrl_c_abandons_long_runs_after_the_grace_period_and_removes_their_worlds(command, mark, tmp_path):
    scenario = tmp_path / "long.toml"
    scenario.write_text(LONG_RUNS)
    process = command("run", scenario, "--jobs", 2, "--out", tmp_path / "results")
    assert traces.becomes_true(lambda: len(traces.parts(mark)) == 6, within_s=10)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=12)
    assert process.returncode == 130
    assert traces.namespaces() == []


def test_a_second_ctrl_c_ends_a_campaign_at_once(command, mark, tmp_path):
    scenario = tmp_path / "long.toml"
    scenario.write_text(LONG_RUNS)
    process = command("run", scenario, "--jobs", 2, "--out", tmp_path / "results")
    assert traces.becomes_true(lambda: len(traces.parts(mark)) == 6, within_s=10)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=3)
    assert process.returncode == 130
    assert traces.namespaces() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_single_measurement_that_is_asked_to_end_does_so_at_once(command, mark, number):
    process = command("bulk", "--link", "lan", "--duration", "60 s")
    assert traces.becomes_true(lambda: len(traces.parts(mark)) == 3, within_s=10)
    time.sleep(1)
    process.send_signal(number)
    process.communicate(timeout=3)
    assert process.returncode == 130
    assert traces.namespaces() == []
