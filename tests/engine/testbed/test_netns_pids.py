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
def in_a_world(place, *, own_network=True):
    """Start a process in a network, mostly of its own, that has a name where nobody else sees it."""
    network = ["--net"] if own_network else []
    command = ["unshare", "--mount", *network, "--", sys.executable, "-c", AWAY, place]
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


@root
def test_a_process_in_the_network_of_this_one_is_none_whatever_names_that_has(tmp_path):
    """A world's name may come to stand for another network: of a process in it, this one's is as its own."""
    with in_a_world(str(tmp_path / ended_maker().name("0-client")), own_network=False) as process:
        assert process.pid not in netns_pids.strays()
        assert process.pid not in netns_pids.kill_strays()
        assert process.poll() is None


LOOK = """
import os, sys
from bentpipe.engine.testbed import netns_pids
print({os.getpid(), int(sys.argv[1])} & set(netns_pids.strays()))
"""


@root
def test_nor_are_one_that_looks_for_them_itself_and_what_is_beside_it(tmp_path):
    with in_a_world(str(tmp_path / ended_maker().name("0-client"))) as process:
        inside = ["nsenter", f"--target={process.pid}", "--mount", "--net", "--"]
        look = [*inside, sys.executable, "-c", LOOK, str(process.pid)]
        assert subprocess.run(look, capture_output=True, text=True, check=True).stdout == "set()\n"


AS_THE_FIRST = """
import subprocess, sys
from tests.engine.testbed.test_netns_pids import LOOK, ended_maker, in_a_world
for own_network in (False, True):
    with in_a_world(f"{sys.argv[1]}/{ended_maker().name('0-client')}", own_network=own_network) as process:
        look = ["unshare", "--net", "--", sys.executable, "-c", LOOK, str(process.pid)]
        found = subprocess.run(look, capture_output=True, text=True, check=True).stdout
        print(found == f"{{{process.pid}}}\\n")
"""


@root
def test_nor_is_one_in_the_network_of_the_first_process(tmp_path):
    """Which is one of ours in a PID namespace of its own, for the machine's own may be out of sight."""
    first = ["unshare", "--pid", "--fork", "--mount-proc", "--", sys.executable, "-c", AS_THE_FIRST]
    done = subprocess.run(
        [*first, str(tmp_path)], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3]
    )
    assert done.stdout == "False\nTrue\n"


def test_what_has_ended_or_is_in_no_world_when_its_turn_comes_is_left_alone(monkeypatch):
    """Their numbers stand for processes that had been found, and have become others since."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    with subprocess.Popen(["sleep", "600"]) as alive:
        monkeypatch.setattr(netns_pids, "strays", lambda: [ended.pid, alive.pid])
        try:
            assert netns_pids.kill_strays() == []
            assert alive.poll() is None
        finally:
            alive.kill()


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
