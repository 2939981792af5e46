"""The processes whose network is a namespace, as `ip netns pids` lists them."""

import os
import re
import select
import signal
import time
from collections.abc import Callable, Iterator
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
    if _is_kept(wanted):
        return
    until_s = time.monotonic() + _KILL_WITHIN_S
    while (pids := _pids(wanted)) and time.monotonic() < until_s:
        for pid in pids:
            _kill_if(pid, lambda pid: _is_in(wanted, pid))
        time.sleep(_LOOK_S)


def strays() -> list[int]:
    """Return the processes in a world whose maker has ended and whose names nobody else sees.

    An ordinary user's names are in a mount namespace that is gone but for such processes, which may look into
    it. To be called outside of a user namespace: inside one, those of another are out of reach.
    """
    return [pid for pid in _all() if _is_stray(pid)]


def kill_strays() -> list[int]:
    """Kill all `strays`; return those that have ended by it, and no other that was found."""
    return [pid for pid in strays() if _kill_if(pid, _is_stray, within_s=_KILL_WITHIN_S)]


def _kill_if(pid: int, condition: Callable[[int], bool], *, within_s: float = 0.0) -> bool:
    """Kill a process of which a condition is true; return whether it has ended by it, within that time."""
    try:
        # By a descriptor: the number may be another process's by now, and what was seen of it may not hold.
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        if not condition(pid):
            return False
        signal.pidfd_send_signal(process, signal.SIGKILL)
        # It is readable when the process has ended (pidfd_open(2)).
        ended, _, _ = select.select([process], [], [], within_s)
        return bool(ended)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        os.close(process)


def _is_kept(namespace: os.stat_result) -> bool:
    """Whether a namespace is the machine's own network or that of this process, whatever names it has."""
    return any(_is_in(namespace, pid) for pid in (_FIRST_PROCESS, os.getpid()))


def _is_stray(pid: int) -> bool:
    try:
        if Path(f"/proc/{pid}").stat().st_uid != os.geteuid():
            return False
        if pid == os.getpid() or _is_kept(Path(f"/proc/{pid}/ns/net").stat()):
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
