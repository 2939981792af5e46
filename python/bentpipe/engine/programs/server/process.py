"""The process of a server: it ends with the thread that started it, and its files with it."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from bentpipe import invoking_user
from bentpipe.engine.process import privilege
from bentpipe.engine.process.last_words import last_words
from bentpipe.engine.process.part import PartError
from bentpipe.engine.testbed.etc_overlay import PREPARED, EtcOverlay

FOLDER = Path("/run")
"""Where a server finds its files: memory that it alone sees there, and that is gone when it is."""

PROGRAM = FOLDER / "program"
"""Where it finds itself: its own place may be closed to the user as whom it runs."""

_LISTENS = "0A"
"""State of a socket in /proc/net/tcp (TCP_LISTEN, include/net/tcp_states.h)."""

_MOST_MEMORY = "2g"
"""For the files of its page, twice what a page may have."""

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
        return f"{self._name} ended with status {status}: {last_words(self._errors)}"


@contextmanager
def started(
    name: str, path: Path, arguments: Sequence[str], *, prepare: Callable[[Path, int], None]
) -> Iterator[Process]:
    """Start a program in the namespace of the calling thread; it is killed with the context.

    Parameters
    ----------
    name
        What messages call it.
    path
        The program.
    arguments
        What it is started with, itself as `PROGRAM` first.
    prepare
        Is given the folder that the program sees as `FOLDER` and its process, before it starts.

    Raises
    ------
    PartError
        When the process cannot have the folder.
    """
    user = invoking_user.unprivileged()
    view = EtcOverlay(
        command=privilege.dropped(arguments, user, may_have_capabilities=False),
        parent=os.getpid(),
        memory={str(FOLDER): f"mode=0700,uid={user.uid},gid={user.gid},size={_MOST_MEMORY}"},
        written={str(PROGRAM): ""},
        shown={str(PROGRAM): str(path.resolve())},
        waits=True,
    )
    with tempfile.TemporaryFile() as errors:
        popen = subprocess.Popen(
            view.arguments(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=privilege.environment(home=FOLDER),
            cwd="/",
            # Ctrl-C is the orchestrator's to handle; and none of its terminal (`browser.process`).
            start_new_session=True,
        )
        process = Process(name, popen, errors)
        try:
            assert popen.stdin is not None and popen.stdout is not None
            if popen.stdout.readline() != PREPARED:
                with suppress(subprocess.TimeoutExpired):
                    popen.wait(timeout=_END_TIMEOUT_S)
                raise PartError(process.fault() or f"{name} does not start")
            folder = Path(f"/proc/{popen.pid}/root") / FOLDER.relative_to("/")
            prepare(folder, popen.pid)
            invoking_user.hand_over(folder, user)
            popen.stdin.write(b"\n")
            popen.stdin.flush()
            yield process
        finally:
            popen.kill()
            popen.communicate()
