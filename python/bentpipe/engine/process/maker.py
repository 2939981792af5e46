"""The process that made something on the machine, as the name of what it made has it.

What a killed process left behind is known by that, and removed at the next start. A PID counts within its PID
namespace alone: what the processes of another container have made cannot be judged, and is left alone.
"""

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from bentpipe.engine.host.process_stat import ProcessStat

_NAME = re.compile(r"bp-(?P<namespace>\d+)-(?P<pid>\d+)-(?P<start>\d+)-.+", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Maker:
    """A process.

    Attributes
    ----------
    pid_namespace : int
        The inode of its PID namespace (namespaces(7)).
    pid : int
        Its number there.
    start : int
        When it started, in clock ticks since boot: numbers are used again.
    """

    pid_namespace: int
    pid: int
    start: int

    @classmethod
    def this_process(cls) -> Self:
        """Return the calling process."""
        start = start_time(os.getpid())
        assert start is not None
        return cls(pid_namespace=_own_namespace(), pid=os.getpid(), start=start)

    @classmethod
    def of(cls, name: str) -> Self | None:
        """Return whose name this is; None of a name that is not of Bentpipe's making."""
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        return cls(pid_namespace=int(match["namespace"]), pid=int(match["pid"]), start=int(match["start"]))

    def name(self, rest: str) -> str:
        """Return the name of something that it makes."""
        return f"bp-{self.pid_namespace}-{self.pid}-{self.start}-{rest}"

    def has_ended(self) -> bool:
        """Whether it is known to have ended."""
        return self.pid_namespace == _own_namespace() and not _is_alive(self.pid, self.start)


def start_time(pid: int) -> int | None:
    """When a process started, in clock ticks since boot; None when it has ended, or is out of sight."""
    try:
        return ProcessStat.of(pid).start_ticks
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None


def _is_alive(pid: int, start: int) -> bool:
    found = start_time(pid)
    if found is not None:
        return found == start
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # There is one, of another user and out of sight.
        return True
    again = start_time(pid)
    return again is None or again == start


@cache
def _own_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino
