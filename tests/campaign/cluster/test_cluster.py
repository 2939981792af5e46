"""Campaigns on real schedulers and workers, some of which are killed."""

import os
import signal
from pathlib import Path

import pytest

from bentpipe.campaign.plan import plan
from bentpipe.engine.host import cpu_time
from bentpipe.errors import AbilityError, ClusterError
from bentpipe.scenario import load
from tests.campaign.cluster.dask import (
    Heard,
    another_version,
    attempts,
    content,
    kill,
    measured,
    scheduler,
    until,
    workers,
)

pytestmark = pytest.mark.alone

SCENARIO = """
name = "cluster"
title = "Runs that take some 5 ms each"
repetitions = 100
[run]
link = "geo-alshagri-flat"
page = "objects-500k-20k"
[matrix]
http = ["h1", "h2"]
cc = ["cubic", "bbr"]
"""

CAPTURED = """
name = "captured"
repetitions = 2
[run]
link = "geo-alshagri-flat"
page = "single-100k"
http = "h1"
capture.pcapng = true
"""


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    path = tmp_path_factory.mktemp("scenario") / "cluster.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture(scope="module")
def by_threads(scenario, tmp_path_factory):
    """What the same runs come to by threads of this process."""
    folder = tmp_path_factory.mktemp("threads") / "results"
    measured(scenario, folder, jobs=2)
    return content(folder)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A scheduler with two workers."""
    with scheduler(tmp_path_factory.mktemp("dask")) as (_, address), workers(address):
        yield address


def test_records_and_series_are_byte_for_byte_those_of_a_local_run(scenario, by_threads, address, tmp_path):
    told = Heard()
    outcome = measured(scenario, tmp_path / "results", address=address, progress=told).outcome
    assert (outcome.succeeded, outcome.planned) == (400, 400)
    assert content(tmp_path / "results") == by_threads
    assert told.done == 400


def test_captures_come_back_from_the_worker(address, tmp_path):
    path = tmp_path / "captured.toml"
    # Without TLS, whose keys are others each time.
    path.write_text(CAPTURED)
    for name, where in (("cluster", address), ("threads", None)):
        measured(path, tmp_path / name, address=where)
    captures = {
        name: {
            file.relative_to(tmp_path / name): file.read_bytes()
            for file in (tmp_path / name / "artifacts").rglob("*.pcapng")
        }
        for name in ("cluster", "threads")
    }
    assert len(captures["cluster"]) == 2
    assert captures["cluster"] == captures["threads"]


def test_a_worker_of_another_version_is_refused_by_name_and_the_others_measure(scenario, address, tmp_path):
    told = Heard()
    with another_version(address):
        until(lambda: told.remarks or _look(scenario, tmp_path, address, told))
        assert "has bentpipe 0.0.9 in place of 0.2.0" in told.remarks[0]


def _look(scenario, tmp_path, address, told):
    """Measure on, into one more folder, until the worker is there and refused."""
    folder = tmp_path / str(len(told.told))
    assert measured(scenario, folder, address=address, progress=told).outcome.succeeded == 400
    return told.remarks


def test_a_scheduler_that_has_nobody_who_fits_says_why(scenario, tmp_path):
    with scheduler(tmp_path) as (_, address), another_version(address):
        refusal = r"no worker fits: tcp://\S+ has bentpipe 0.0.9 in place of 0.2.0"
        with pytest.raises(AbilityError, match=refusal):
            measured(scenario, tmp_path / "results", address=address)


def test_a_worker_killed_in_a_batch_costs_no_run_and_doubles_none(scenario, by_threads, tmp_path):
    with scheduler(tmp_path) as (_, address), workers(address) as process:

        def kill_one():
            # The supervisor's children: two workers, and what watches over shared memory.
            found = [pid for pid in cpu_time.descendants(process.pid) if _is_worker(pid)]
            assert len(found) == 2
            os.kill(found[0], signal.SIGKILL)

        told = Heard(after=8, then=kill_one)
        outcome = measured(scenario, tmp_path / "results", address=address, progress=told).outcome
    assert (outcome.succeeded, outcome.not_run) == (400, 0)
    assert sorted(attempts(tmp_path / "results")) == sorted((run.run_id, 1) for run in plan(load(scenario)))
    assert content(tmp_path / "results") == by_threads


def _is_worker(pid):
    return "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()


def test_after_the_scheduler_is_killed_the_same_order_goes_on(scenario, by_threads, tmp_path):
    folder = tmp_path / "results"
    with scheduler(tmp_path) as (process, address), workers(address):
        told = Heard(after=1, then=lambda: kill(process.pid))
        with pytest.raises(
            ClusterError, match="the scheduler is gone; nothing that was reported done is lost"
        ):
            measured(scenario, folder, address=address, progress=told)
    kept = attempts(folder)
    assert 1 <= told.done <= len(kept) < 400
    again = Heard()
    with scheduler(tmp_path) as (_, address), workers(address):
        outcome = measured(scenario, folder, address=address, progress=again).outcome
    assert (outcome.succeeded, outcome.not_run) == (400, 0)
    assert ("start", 400, len(kept)) in again.told
    assert sorted(attempts(folder)) == sorted((run.run_id, 1) for run in plan(load(scenario)))
    assert content(folder) == by_threads
