"""How many runs the cores allow, and who uses them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bentpipe.engine.host.cpu_time import descendants, runs_at_once, used_by_others_s
from tests.support.models import spec_with

TICKS_S = 0.05
"""Counts come in ticks of 10 ms, of each process."""

LOADER, BROWSER = spec_with(), spec_with(client="chromium")


@pytest.mark.parametrize(
    ("cores", "specs", "runs"),
    [(4, [LOADER], 4), (4, [LOADER, BROWSER], 2), (5, [BROWSER], 2), (1, [BROWSER], 1)],
)
def test_a_browser_takes_two_cores(monkeypatch, cores, specs, runs):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    assert runs_at_once(specs) == runs


def test_what_a_stranger_uses_is_used_by_others():
    """Its parent has ended, so that it is nobody's descendant."""
    started_s, others_s = time.monotonic(), used_by_others_s()
    burn = "import time\nwhile time.process_time() < 0.6: pass"
    orphan = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -I -c '{burn}' >&- 2>&- & echo $!"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    while Path(f"/proc/{int(orphan.stdout)}").exists() and time.monotonic() < started_s + 20:
        time.sleep(0.01)
    assert used_by_others_s() - others_s >= 0.6 / os.cpu_count() - TICKS_S


def test_what_we_use_is_not_used_by_others():
    started_s, own_s, others_s = time.monotonic(), time.process_time(), used_by_others_s()
    while time.process_time() < own_s + 0.6:
        pass
    elapsed_s = time.monotonic() - started_s
    assert used_by_others_s() - others_s <= elapsed_s - 0.6 / os.cpu_count() + TICKS_S


def test_the_processes_of_a_process_are_its_children_and_theirs():
    with subprocess.Popen(
        ["sh", "-c", "sleep 60 & echo; wait"], stdout=subprocess.PIPE, start_new_session=True
    ) as shell:
        shell.stdout.readline()
        found = descendants(os.getpid())
        assert shell.pid in found
        assert set(descendants(shell.pid)) < set(found)
        assert len(descendants(shell.pid)) == 1
        os.killpg(shell.pid, 9)
