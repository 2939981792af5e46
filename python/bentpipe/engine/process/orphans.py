"""What a program leaves behind of processes, whatever it has done to get away.

A daemon is nobody's child, and one in namespaces of its own is in no world either. The kernel gives orphans
to the nearest ancestor that has asked for them (prctl(2), PR_SET_CHILD_SUBREAPER).
"""

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bentpipe.engine.host.cpu_time import descendants

_PR_SET_CHILD_SUBREAPER = 36
_KILL_WITHIN_S = 5.0
_LOOK_S = 0.005


@contextmanager
def killed() -> Iterator[None]:
    """Kill at the end of the context what has been started in it, in this process, and is still there."""
    libc = ctypes.CDLL(None)
    before = set(descendants(os.getpid()))
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        until_s = time.monotonic() + _KILL_WITHIN_S
        while (left := set(descendants(os.getpid())) - before) and time.monotonic() < until_s:
            for pid in left:
                _kill(pid)
            time.sleep(_LOOK_S)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 0)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    # One that has been adopted is waited for by nobody else.
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
