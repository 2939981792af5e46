"""How late the machine itself is: the floor under what an emulator on it can hold."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from os import sched_getaffinity

PERIOD_S = 0.001

_TIMER = f"""
import os, signal, sys, time
os.sched_setaffinity(0, {{int(sys.argv[1])}})
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(os.sched_get_priority_max(os.SCHED_FIFO)))
except PermissionError:
    pass
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
clock, due, late_s = time.monotonic, time.monotonic(), []
print(flush=True)
try:
    while True:
        due += {PERIOD_S}
        time.sleep(max(0, due - clock()))
        late_s.append(clock() - due)
finally:
    print(*late_s)
"""
"""Wakes at fixed instants and says how late each was; while it is held up, those that pass are late too."""


class Punctuality:
    """How late timers were that nothing on the machine goes before, one on each core."""

    def __init__(self) -> None:
        self.late_s: list[list[float]] = []
        """Each wake-up in ascending order, by core; empty until the watch has ended."""

    def quantile_s(self, share: float) -> float:
        """Return what this share of the wake-ups on the worst core was late by at most.

        The worst, for the host takes cores away where they are used.
        """
        return max(late_s[min(int(share * len(late_s)), len(late_s) - 1)] for late_s in self.late_s)


@contextmanager
def watched() -> Iterator[Punctuality]:
    """Watch every core for as long as the context lasts, at one to two per cent of it.

    Timers have the highest real-time priority where that is allowed: what they are late by is the host's
    doing (cores of a virtual machine that are taken away) and the kernel's, not that of other programs.
    """
    found = Punctuality()
    with ExitStack() as stack:
        timers = [stack.enter_context(_timer(core)) for core in sorted(sched_getaffinity(0))]
        for timer in timers:
            assert timer.stdout is not None
            timer.stdout.readline()
        yield found
        for timer in timers:
            timer.terminate()
        found.late_s = [sorted(map(float, timer.communicate()[0].split())) for timer in timers]


@contextmanager
def _timer(core: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-I", "-c", _TIMER, str(core)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as timer:
        try:
            yield timer
        finally:
            timer.kill()
