"""The processes whose network is a namespace, as `ip netns pids` lists them."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bentpipe.engine.process.maker import Maker

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


def kill_strays() -> list[int]:
    """Kill what goes on in a world whose maker has ended and whose names nobody else sees; return its pids.

    An ordinary user's names are in a mount namespace that is gone but for such processes, which may look into
    it. To be called outside of a user namespace: inside one, those of another are out of reach.
    """
    found = [pid for pid in _all() if _is_stray(pid)]
    for pid in found:
        with suppress(ProcessLookupError, PermissionError):
            process = os.pidfd_open(pid)
            try:
                if _is_stray(pid):
                    signal.pidfd_send_signal(process, signal.SIGKILL)
            finally:
                os.close(process)
    return found


def _is_stray(pid: int) -> bool:
    try:
        if Path(f"/proc/{pid}").stat().st_uid != os.geteuid():
            return False
        network = str(Path(f"/proc/{pid}/ns/net").readlink())
        mounts = Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
    except OSError:
        return False
    # Columns: number, parent, device, root of the mount, mount point (proc(5)). A file that stands for a
    # namespace has that for a root, and the name that it was given.
    names = (fields[4] for fields in map(str.split, mounts) if fields[3] == network)
    makers = [Maker.of(Path(name).name) for name in names]
    return any(maker is not None and maker.has_ended() for maker in makers)


def _kill(pid: int, namespace: os.stat_result) -> None:
    # By a descriptor: the number may be another process's by now.
    process = os.pidfd_open(pid)
    try:
        if _is_in(namespace, pid):
            signal.pidfd_send_signal(process, signal.SIGKILL)
    finally:
        os.close(process)


def _pids(namespace: os.stat_result) -> list[int]:
    return [pid for pid in _all() if pid != os.getpid() and _is_in(namespace, pid)]


def _all() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())


def _is_in(namespace: os.stat_result, pid: int) -> bool:
    """Whether the network of a process is a namespace; not so of one that has ended or is out of sight."""
    try:
        return os.path.samestat(namespace, Path(f"/proc/{pid}/ns/net").stat())
    except OSError:
        return False
