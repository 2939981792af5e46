"""What emulation must not leave behind, told apart from what other processes on this machine do."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from bentpipe.engine.testbed import netns

MARK = "BENTPIPE_TEST_MARK"
"""An environment variable that every process started by a test inherits, orphans included."""


def processes(mark: str, *, command: str = "") -> list[int]:
    """Return the processes that carry a mark and have `command` in their command line."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        # A zombie has neither.
        if wanted in environment and command.encode() in line:
            found.append(int(folder.name))
    return found


def parts(mark: str, *, name: str | None = None) -> list[int]:
    """Return the parts of runs (`engine/process/part.py`) that carry a mark: all, or those of one name."""
    return [
        pid
        for pid in processes(mark, command="run_part(")
        if name is None or Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[-2] == name.encode()
    ]


def namespaces() -> list[str]:
    """Return the namespaces of processes that have ended, and of this one."""
    return [*netns.leftovers(), *netns.leftovers(own=True)]


def becomes_true(condition: Callable[[], object], *, within_s: float) -> bool:
    """Wait until a condition holds."""
    until = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
