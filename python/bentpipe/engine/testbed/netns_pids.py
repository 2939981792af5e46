"""The processes whose network is a namespace, as `ip netns pids` lists them."""

import os
import re
import select
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bentpipe.engine.process.maker import Maker

_KILL_WITHIN_S = 5.0
_LOOK_S = 0.005
_FIRST_PROCESS = 1
_ESCAPED = re.compile(rb"\\([0-3][0-7]{2})")


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


def strays() -> list[int]:
    """Return the processes in a world whose maker has ended and whose names nobody else sees.

    An ordinary user's names are in a mount namespace that is gone but for such processes, which may look into
    it. To be called outside of a user namespace: inside one, those of another are out of reach.
    """
    return [pid for pid in _all() if _is_stray(pid)]


def kill_strays() -> list[int]:
    """Kill all `strays`; return those that have ended by it, and no other that was found."""
    return [pid for pid in strays() if _is_killed(pid)]


def _is_killed(pid: int) -> bool:
    try:
        # By a descriptor: the number may be another process's by now.
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        if not _is_stray(pid):
            return False
        signal.pidfd_send_signal(process, signal.SIGKILL)
        # It is readable when the process has ended (pidfd_open(2)).
        ended, _, _ = select.select([process], [], [], _KILL_WITHIN_S)
        return bool(ended)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        os.close(process)


def _is_stray(pid: int) -> bool:
    try:
        if Path(f"/proc/{pid}").stat().st_uid != os.geteuid():
            return False
        network = os.fsencode(Path(f"/proc/{pid}/ns/net").readlink())
        mounts = Path(f"/proc/{pid}/mountinfo").read_bytes()
    except OSError:
        return False
    # A file that stands for a namespace has that for a root, and the name that it was given.
    names = (place.name for root, place in _mounts(mounts) if root == network)
    makers = [Maker.of(name) for name in names]
    return any(maker is not None and maker.has_ended() for maker in makers)


def _mounts(mountinfo: bytes) -> Iterator[tuple[bytes, Path]]:
    """Yield the root and the place of each mount. Names are any bytes, also such as are no text.

    Columns: number, parent, device, root of the mount, mount point (proc_pid_mountinfo(5)).
    """
    for line in mountinfo.split(b"\n"):
        fields = line.split(b" ")
        if len(fields) > 4:
            yield _unescaped(fields[3]), Path(os.fsdecode(_unescaped(fields[4])))


def _unescaped(field: bytes) -> bytes:
    """Spaces, tabs, ends of lines and backslashes are three octal digits (mangle_path of the kernel)."""
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 8)]), field)


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
