"""Processes that take orders and answer: programs of a test's own in their place."""

import os
import time
from pathlib import Path

import pytest

from bentpipe.engine.process import part, vigil
from bentpipe.engine.process.part import Part, PartError
from bentpipe.model.frozen import Frozen


@pytest.fixture
def started(monkeypatch):
    """Starts a program as a part."""

    def start(program):
        monkeypatch.setattr(part, "_PROGRAM", program)
        return Part("link", Frozen())

    return start


SAYS_MUCH = """
import sys
sys.stderr.write("processed 1 insn, stack depth 0\\n" * 8192)
sys.stderr.write("libbpf: failed to load object\\n")
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_part_that_says_much_on_its_standard_error_is_not_held_up(started):
    """The kernel's verifier writes megabytes; a pipe holds 64 KiB (pipe(7))."""
    with started(SAYS_MUCH) as verbose:
        assert verbose.answer(timeout_s=20) == "ready"


def test_the_last_lines_of_a_part_s_standard_error_are_its_last_words(started):
    said = "line 1\\nlibbpf: map 'ops':\\nfailed to attach\\nInvalid argument\\n"
    with (
        pytest.raises(PartError) as raised,
        started(f'import sys; sys.stderr.write("{said}"); sys.exit(3)') as ended,
    ):
        ended.answer(timeout_s=20)
    assert str(raised.value) == (
        "the link ended with status 3: libbpf: map 'ops': failed to attach Invalid argument"
    )


FAILS_AT_ITS_END = """
import sys
sys.stdin.read()
sys.exit("packets.pcapng: No space left on device")
"""


def test_a_part_that_fails_at_its_end_fails_the_run(started):
    """What it had to write may be cut off."""
    with (
        pytest.raises(PartError, match=r"status 1: packets\.pcapng: No space left"),
        started(FAILS_AT_ITS_END),
    ):
        pass


def test_an_error_on_its_way_is_not_hidden_by_that_of_a_part(started):
    with pytest.raises(ZeroDivisionError), started(FAILS_AT_ITS_END):
        _ = 1 / 0


def test_a_part_that_does_not_end_is_killed(started, monkeypatch):
    monkeypatch.setattr(part, "_END_TIMEOUT_S", 0.1)
    stubborn = started("import time; time.sleep(600)")
    with pytest.raises(PartError, match="the link did not end within"):
        stubborn.end()
    assert not Path(f"/proc/{stubborn.pid}").exists()


def test_a_part_whose_starter_is_gone_does_not_start(tmp_path):
    """prctl(2): the kernel tells of the parent's end from the call on, not of one before it."""
    started = tmp_path / "started"
    command = part.tied()
    command[command.index(str(os.getpid()))] = "1"
    assert os.spawnvp(os.P_WAIT, command[0], [*command, "touch", str(started)]) == 1
    assert not started.exists()


ENDS_SOON = """
import sys, time
time.sleep(0.2)
sys.exit("out of memory")
"""


def test_a_process_that_ends_is_noticed_at_once_with_its_last_words(started):
    watched = started(ENDS_SOON)
    abandoned = []
    started_s = time.monotonic()
    with pytest.raises(PartError, match="the link ended with status 1: out of memory"):  # noqa: SIM117
        with vigil.over([watched], abandon=lambda: abandoned.append(time.monotonic())):
            while not abandoned and time.monotonic() < started_s + 20:
                time.sleep(0.01)
    assert len(abandoned) == 1


def test_what_fails_because_a_process_has_ended_is_told_by_that(started):
    watched = started(ENDS_SOON)
    with (
        pytest.raises(PartError, match="out of memory"),
        vigil.over([watched], abandon=lambda: None),
    ):
        while watched.fault() is None:
            time.sleep(0.01)
        time.sleep(0.2)
        raise PartError("the client ended with status -9: without a word")


def test_a_process_that_ended_before_the_vigil_is_noticed_too(started):
    watched = started("import sys; sys.exit('gone')")
    while watched.fault() is None:
        time.sleep(0.01)
    with pytest.raises(PartError, match="gone"), vigil.over([watched], abandon=lambda: None):
        time.sleep(0.2)


def test_processes_at_work_are_left_alone(started):
    """One that had been killed would not end in order, which raises an error."""
    with started("import sys; sys.stdin.read()") as watched, vigil.over([watched], abandon=watched.kill):
        pass


def test_nothing_of_a_vigil_stays(started):
    with started("import sys; sys.stdin.read()") as watched:
        before = len(list(Path("/proc/self/fd").iterdir()))
        with vigil.over([watched], abandon=watched.kill):
            pass
        assert len(list(Path("/proc/self/fd").iterdir())) == before
