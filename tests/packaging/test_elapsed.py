"""What something takes, told apart from what a busy machine adds to it."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.support.elapsed import elapsed

BURN = "import time\nwhile time.process_time() < 0.5: pass"


@contextmanager
def a_busy_machine():
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(4 * len(os.sched_getaffinity(0)))
    ]
    try:
        yield
    finally:
        for program in busy:
            program.kill()
        for program in busy:
            program.wait()


def test_waiting_for_something_else_than_a_core_counts():
    with elapsed() as took:
        subprocess.run(["sleep", "0.5"], check=True)
    # What it waits for a core before it sleeps is no part of its sleep, and takes as much longer.
    assert took.own_s >= 0.5


def test_waiting_for_a_core_does_not():
    """Four programs for each core, and the one that is measured: nobody waits for longer than it takes.

    Those that were there before wait as well, and are nothing of it.
    """
    with a_busy_machine(), elapsed() as took:
        subprocess.run([sys.executable, "-c", BURN], check=True)
    assert took.wall_s > 1.2
    assert took.awaited_s <= took.wall_s * 1.05
    assert took.own_s < took.wall_s / 2
    assert took.own_s >= took.processor_s == pytest.approx(0.5, abs=0.4)
