"""`bentpipe clean` takes what ended processes left, and nothing else."""

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from bentpipe.engine import netns
from bentpipe.engine.emulate import open_world
from tests.support.specs import spec_of


@contextmanager
def namespace(name):
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        yield name
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def exists(name):
    return (netns.RUN_NETNS / name).exists()


def ended_process():
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


@pytest.mark.parametrize("owner", [ended_process, os.getpid], ids=["ended", "another of the same pid"])
def test_clean_removes_the_namespace_of_a_process_that_has_ended(bentpipe, owner):
    """No process of these tests started in the first tick after boot."""
    with namespace(f"bp-{owner()}-1-0-client") as name:
        status, _, errors = bentpipe("clean")
        assert (status, exists(name)) == (0, False)
        assert f"removed {name}" in errors


def test_clean_leaves_other_names_and_living_owners_alone(bentpipe):
    started = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
    names = [
        f"bp-{os.getpid()}-{started}-999-client",
        f"bp-{ended_process()}-1-0-satellite",
        "another-bp-1-1-0-client",
    ]
    with namespace(names[0]), namespace(names[1]), namespace(names[2]):
        assert bentpipe("clean")[0] == 0
        assert [exists(name) for name in names] == [True] * 3


def test_the_next_world_removes_what_a_killed_process_left():
    with (
        namespace(f"bp-{ended_process()}-1-0-server") as name,
        open_world(spec_of({"link": "lan", "ping": {}})),
    ):
        assert not exists(name)


def test_a_world_is_removed_when_what_happens_in_it_fails():
    with pytest.raises(ZeroDivisionError), open_world(spec_of({"link": "lan", "ping": {}})) as world:
        assert exists(world.client)
        assert exists(world.server)
        _ = 1 / 0
    assert not exists(world.client)
    assert not exists(world.server)
