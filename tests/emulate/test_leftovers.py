"""`bentpipe clean` takes what ended processes left, and nothing else."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from bentpipe.engine.emulate import open_world
from bentpipe.engine.process.maker import Maker
from bentpipe.engine.testbed import netns
from tools.specs import spec_of


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


def name_of(pid, rest, *, start=1, container=0):
    """Return a name as a process gives it. No process of these tests started in the first tick after boot."""
    own = Maker.this_process()
    return replace(own, pid=pid, start=start, pid_namespace=own.pid_namespace + container).name(rest)


@pytest.mark.alone
@pytest.mark.parametrize("owner", [ended_process, os.getpid], ids=["ended", "another of the same pid"])
def test_clean_removes_the_namespace_of_a_process_that_has_ended(bentpipe, owner):
    with namespace(name_of(owner(), "0-client")) as name:
        status, _, errors = bentpipe("clean")
        assert (status, exists(name)) == (0, False)
        assert f"removed {name}" in errors


def test_clean_leaves_other_names_and_living_owners_alone(bentpipe):
    names = [
        Maker.this_process().name("999-client"),
        name_of(ended_process(), "0-satellite"),
        name_of(ended_process(), "0-client", container=1),
        "another-bp-1-1-1-0-client",
    ]
    with ExitStack() as stack:
        for name in names:
            stack.enter_context(namespace(name))
        assert bentpipe("clean")[0] == 0
        assert [exists(name) for name in names] == [True] * len(names)


@pytest.mark.alone
def test_the_next_world_removes_what_a_killed_process_left():
    with (
        namespace(name_of(ended_process(), "0-server")) as name,
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


def test_what_runs_on_in_a_world_ends_with_it():
    """A daemon keeps its network when the name of that is gone."""
    with open_world(spec_of({"link": "lan", "ping": {}})) as world:
        daemon = subprocess.Popen(["ip", "netns", "exec", world.server, "setsid", "sleep", "600"])
        time.sleep(0.1)
    assert daemon.wait(timeout=5) == -signal.SIGKILL


OWN_NETWORK = """
import subprocess, sys
from pathlib import Path
from bentpipe.engine.testbed import netns_pids

place = Path(sys.argv[1], "bp-name")
place.touch()
subprocess.run(["mount", "--bind", "/proc/self/ns/net", place], check=True)
bystander = subprocess.Popen(["sleep", "600"])
netns_pids.kill_all(place)
print(bystander.poll())
"""


def test_a_name_given_to_the_machine_s_own_network_is_no_reason_to_kill(tmp_path):
    """As `ip netns attach` gives it. In a PID namespace: a mistake kills what is in that."""
    ended = subprocess.run(
        [
            "unshare",
            "--pid",
            "--mount-proc",
            "--fork",
            "--kill-child",
            sys.executable,
            "-c",
            OWN_NETWORK,
            tmp_path,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "None\n"), ended.stderr
