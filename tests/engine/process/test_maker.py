"""Whose work a name on the machine is."""

import subprocess
import sys

import pytest

from bentpipe.engine.process import maker
from bentpipe.engine.process.maker import Maker


def ended_process():
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_a_name_tells_its_maker():
    assert Maker.of(Maker.this_process().name("0-client")) == Maker.this_process()


@pytest.mark.parametrize("name", ["bp-notes", "bp-1-2-client", "another-bp-1-2-3-client", "bp-1-2-3-"])
def test_other_names_have_no_maker(name):
    assert Maker.of(name) is None


def test_a_maker_at_work_has_not_ended():
    assert not Maker.this_process().has_ended()


def test_a_maker_has_ended_when_there_is_no_such_process_or_a_later_one_of_its_number():
    own = Maker.this_process()
    for pid, start in ((ended_process(), own.start), (own.pid, own.start - 1)):
        assert Maker(pid_namespace=own.pid_namespace, pid=pid, start=start).has_ended()


def test_of_the_processes_of_another_pid_namespace_nothing_is_known():
    """A container may share the names of network namespaces with its host, and numbers its processes anew."""
    own = Maker.this_process()
    assert not Maker(pid_namespace=own.pid_namespace + 1, pid=ended_process(), start=1).has_ended()


def test_a_maker_out_of_sight_is_not_taken_for_one_that_has_ended(monkeypatch):
    """proc(5), `hidepid`: /proc has no processes of other users, though kill(2) tells of them."""

    def refuse(*_):
        raise PermissionError

    hidden = ended_process()
    monkeypatch.setattr(maker, "start_time", lambda pid: None if pid == hidden else 1)
    own = Maker.this_process()
    for kill in (refuse, lambda *_: None):
        monkeypatch.setattr(maker.os, "kill", kill)
        assert not Maker(pid_namespace=own.pid_namespace, pid=hidden, start=1).has_ended()


def test_a_program_s_name_may_be_no_text():
    """prctl(2), PR_SET_NAME: any bytes."""
    code = 'import ctypes; ctypes.CDLL(None).prctl(15, b"\\xff) \\xff"); print("named", flush=True); input()'
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as named:
        assert named.stdout.readline() == "named\n"
        assert maker.start_time(named.pid) >= Maker.this_process().start
        named.communicate("\n")
