"""--cluster local:N: what the command starts, and that it ends with it, however that is."""

import os
import signal
import subprocess
import sys

import pytest

from bentpipe.engine.host import cpu_time
from bentpipe.ledger import Ledger
from tests.campaign.cluster.dask import attempts, is_there, kill, until

pytestmark = pytest.mark.alone

LONG = """
name = "long"
repetitions = 5000
[run]
link = "geo-alshagri-flat"
page = "objects-500k-20k"
http = "h1"
"""
SHORT = LONG.replace("repetitions = 5000", "repetitions = 20")
MIDDLING = LONG.replace("repetitions = 5000", "repetitions = 200")


@pytest.fixture
def command(tmp_path):
    """Start the command as a shell does, as the first process of a group."""
    started = []

    def start(scenario, *options):
        (tmp_path / "scenario.toml").write_text(scenario)
        arguments = ["run", str(tmp_path / "scenario.toml"), "--cluster", "local:2", *options]
        process = subprocess.Popen(
            [sys.executable, "-m", "bentpipe.cli", *arguments, "--out", str(tmp_path / "results")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        for pid in (*cpu_time.descendants(process.pid), process.pid):
            kill(pid)


def its_workers(process, folder):
    """Wait until it measures; return the processes that it has started."""

    def measures():
        assert process.poll() is None, process.stderr.read()
        return (folder / "series").exists()

    until(measures)
    return cpu_time.descendants(process.pid)


def test_it_ends_with_a_report_and_leaves_no_process(command, tmp_path):
    process = command(SHORT)
    pids = its_workers(process, tmp_path / "results")
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert "20 planned = 20 succeeded" in said
    assert "dashboard" not in said
    assert (tmp_path / "results" / "report.html").exists()
    assert len(pids) >= 2
    until(lambda: not any(map(is_there, pids)))


def test_after_ctrl_c_it_keeps_what_was_measured_and_leaves_no_process(command, tmp_path):
    process = command(LONG)
    pids = its_workers(process, tmp_path / "results")
    # As a terminal does: the workers hear of it too.
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "the same command goes on from here" in said
    with Ledger(tmp_path / "results") as ledger:
        assert f"5000 planned = {len(ledger.entries())} succeeded" in said
    until(lambda: not any(map(is_there, pids)))


def test_after_kill_9_its_workers_end_by_themselves_and_the_same_command_goes_on(command, tmp_path):
    process = command(MIDDLING)
    pids = its_workers(process, tmp_path / "results")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    until(lambda: not any(map(is_there, pids)))
    again = command(MIDDLING)
    _, said = again.communicate()
    assert again.returncode == 0, said
    found = attempts(tmp_path / "results")
    assert len(found) == len({run_id for run_id, _ in found}) == 200
