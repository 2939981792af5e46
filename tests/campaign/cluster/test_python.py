"""Clusters as Python asks for them."""

import asyncio
import subprocess
import sys

import pytest

import bentpipe
from tests.campaign.cluster.dask import content

pytestmark = pytest.mark.alone

LOADS = {
    "link": "geo-alshagri-flat",
    "page": "single-100k",
    "http": ["h1", "h2"],
    "repetitions": 10,
    "progress": False,
}

BARE = """
import bentpipe
bentpipe.run(link="lan", ping={"count": 2}, progress=False, folder="results", cluster="local:2")
"""


def test_processes_of_this_machine_measure_the_same_as_threads_within_an_event_loop_too(tmp_path):
    async def cell():
        return bentpipe.run(**LOADS, folder=tmp_path / "loop", cluster="local:2")

    threads = bentpipe.run(**LOADS, folder=tmp_path / "threads")
    found = asyncio.run(cell())
    assert found.runs.height == 20
    assert found.runs.equals(threads.runs)
    assert content(found.folder) == content(threads.folder)


def test_a_script_that_its_workers_cannot_read_again_is_told_what_to_write(tmp_path):
    (tmp_path / "bare.py").write_text(BARE)
    done = subprocess.run(
        [sys.executable, "bare.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert 'bentpipe.run(...): cluster: expected a call below `if __name__ == "__main__":`' in done.stderr
    assert "the cluster on this machine: its workers did not start" in done.stderr
