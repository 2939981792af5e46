"""Which processes go on in a world whose maker has ended, and what is told of them."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from bentpipe.engine.process.maker import Maker
from bentpipe.engine.testbed import netns_pids

AWAY = """
import os, subprocess, sys
place = os.fsencode(sys.argv[1])
open(place, "w").close()
subprocess.run([b"mount", b"--bind", b"/proc/self/ns/net", place], check=True)
print("there", flush=True)
sys.stdin.read()
"""


@contextmanager
def in_a_world(place):
    """Start a process in a network of its own that has a name where nobody else sees it."""
    command = ["unshare", "--mount", "--net", "--", sys.executable, "-c", AWAY, place]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "there\n"
            yield process
        finally:
            process.kill()


def ended_maker():
    ended = subprocess.Popen(["true"])
    ended.wait()
    own = Maker.this_process()
    return Maker(pid_namespace=own.pid_namespace, pid=ended.pid, start=1)


root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes namespaces without a user namespace")


@root
@pytest.mark.parametrize("folder", ["plain", "with a space", "tab\tline\nback\\slash", "no text \udcff"])
def test_a_process_in_a_world_without_a_maker_is_killed_and_told_of_whatever_its_path(tmp_path, folder):
    (tmp_path / folder).mkdir()
    with in_a_world(str(tmp_path / folder / ended_maker().name("0-client"))) as process:
        assert process.pid in netns_pids.strays()
        assert process.pid in netns_pids.kill_strays()
        assert process.wait(timeout=5) == -signal.SIGKILL


@root
def test_a_process_in_a_world_whose_maker_works_is_none(tmp_path):
    with in_a_world(str(tmp_path / Maker.this_process().name("0-client"))) as process:
        assert process.pid not in netns_pids.strays()


def test_what_has_ended_by_itself_or_is_another_s_is_not_told_of(monkeypatch):
    """The first process is nobody's to kill, and its number stands for one that was looked at too late."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    monkeypatch.setattr(netns_pids, "strays", lambda: [ended.pid, 1])
    assert netns_pids.kill_strays() == []


def test_places_of_mounts_are_read_as_the_kernel_escapes_them():
    """proc_pid_mountinfo(5); fs/seq_file.c, mangle_path."""
    lines = (
        b"36 35 0:4 net:[4026531840] /run/netns/a\\040b\\134c rw - nsfs nsfs rw\n"
        b"37 35 98:0 / /mnt/\xff\x85 rw shared:1 - ext4 /dev/root rw\n"
    )
    assert list(netns_pids._mounts(lines)) == [
        (b"net:[4026531840]", Path("/run/netns/a b\\c")),
        (b"/", Path(os.fsdecode(b"/mnt/\xff\x85"))),
    ]
