"""The process of a server: it ends with the thread that started it, and its files with it."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bentpipe.engine.part import TIED, PartError

FOLDER = Path("/run")
"""Where a server finds its files: memory that it alone sees there, and that is gone when it is."""

_PROGRAM = f"""{TIED}
import os, sys
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18
libc = ctypes.CDLL(None, use_errno=True)
def made(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
made(libc.unshare(CLONE_NEWNS))
made(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
made(libc.mount(b"tmpfs", b"{FOLDER}", b"tmpfs", 0, b"mode=0700"))
os.write(1, b"\\n")
os.read(0, 1)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
os.execvp(sys.argv[1], sys.argv[1:])
"""
_LISTENS = "0A"
"""State of a socket in /proc/net/tcp (TCP_LISTEN, include/net/tcp_states.h)."""

_END_TIMEOUT_S = 2.0


class Process:
    """A server at work."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        self._name, self._process, self._errors = name, process, errors

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def listens(self, *, port: int, transport: str) -> bool:
        """Whether somebody in its namespace waits at a port of `tcp`, or has one of `udp`."""
        try:
            lines = Path(f"/proc/{self.pid}/net/{transport}").read_text().splitlines()[1:]
        except OSError:
            # One that has ended has no namespace.
            return False
        sockets = (line.split()[1:4:2] for line in lines)
        return any(
            address.endswith(f":{port:04X}") and (transport == "udp" or state == _LISTENS)
            for address, state in sockets
        )

    def fault(self) -> str | None:
        """Return why it has ended; None while it is at work."""
        status = self._process.poll()
        if status is None:
            return None
        descriptor = self._errors.fileno()
        # The place in the file is the writer's too.
        said = os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")
        last = " ".join(said.strip().splitlines()[-1:])
        return f"{self._name} ended with status {status}: {last}"


@contextmanager
def started(
    name: str, arguments: Sequence[str], *, prepare: Callable[[Path, int], None]
) -> Iterator[Process]:
    """Start a program in the namespace of the calling thread; it is killed with the context.

    Parameters
    ----------
    name
        What messages call it.
    arguments
        The program and its arguments.
    prepare
        Is given the folder that the program sees as `FOLDER` and its process, before it begins.

    Raises
    ------
    PartError
        When the process cannot have the folder.
    """
    with tempfile.TemporaryFile() as errors:
        popen = subprocess.Popen(
            [sys.executable, "-I", "-c", _PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_at_home_in(FOLDER),
            # Ctrl-C is the orchestrator's to handle.
            process_group=0,
        )
        process = Process(name, popen, errors)
        try:
            assert popen.stdin is not None and popen.stdout is not None
            if not popen.stdout.read(1):
                popen.wait(timeout=_END_TIMEOUT_S)
                raise PartError(process.fault() or f"{name} does not begin")
            prepare(Path(f"/proc/{popen.pid}/root") / FOLDER.relative_to("/"), popen.pid)
            popen.stdin.write(b"\n")
            popen.stdin.flush()
            yield process
        finally:
            popen.kill()
            popen.communicate()


def _at_home_in(folder: Path) -> dict[str, str]:
    """Return this process's environment, with the folders of a user's own files in another place."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return {**ours, "HOME": str(folder), "TMPDIR": str(folder)}
