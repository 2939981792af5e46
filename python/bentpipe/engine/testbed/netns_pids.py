"""The processes whose network is a namespace, as `ip netns pids` lists them."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

_KILL_WITHIN_S = 5.0
_LOOK_S = 0.005
_FIRST_PROCESS = 1


def kill_all(namespace: Path) -> None:
    """Kill the processes in a namespace, in which they would go on when its name is gone.

    Parameters
    ----------
    namespace
        A file that stands for it; nothing happens when there is none.
    """
    try:
        wanted = namespace.stat()
    except FileNotFoundError:
        return
    # Whatever a name may have been given to: never the machine's own network, nor that of this process.
    if any(_is_in(wanted, pid) for pid in (_FIRST_PROCESS, os.getpid())):
        return
    until_s = time.monotonic() + _KILL_WITHIN_S
    while (pids := _pids(wanted)) and time.monotonic() < until_s:
        for pid in pids:
            with suppress(ProcessLookupError):
                _kill(pid, wanted)
        time.sleep(_LOOK_S)


def _kill(pid: int, namespace: os.stat_result) -> None:
    # By a descriptor: the number may be another process's by now.
    process = os.pidfd_open(pid)
    try:
        if _is_in(namespace, pid):
            signal.pidfd_send_signal(process, signal.SIGKILL)
    finally:
        os.close(process)


def _pids(namespace: os.stat_result) -> list[int]:
    pids = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())
    return [pid for pid in pids if pid != os.getpid() and _is_in(namespace, pid)]


def _is_in(namespace: os.stat_result, pid: int) -> bool:
    """Whether the network of a process is a namespace; not so of one that has ended or is out of sight."""
    try:
        return os.path.samestat(namespace, Path(f"/proc/{pid}/ns/net").stat())
    except OSError:
        return False
