"""A browser's processes: in namespaces of their own, with a home that exists only there.

A browser forks a dozen processes and leaves files where it finds a place. Here it is process 1 of a PID
namespace, which ends as a whole, and `/tmp` and `/dev/shm` are file systems in memory that end with its mount
namespace: however it ends, and whoever is killed, nothing of it is left to be removed.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

from bentpipe.engine import netns
from bentpipe.engine.part import TIED, PartError
from bentpipe.engine.processor import descendants

HOME = Path("/tmp")
"""The home of a browser, as it sees it: empty at first, in memory, its own."""

PRIVATE = {
    "hosts": "",
    # TEST-NET-1 (RFC 5737), to which there is no route: who looks up a name of others is found out
    # (`kernel.unroutable_packets`).
    "resolv.conf": "nameserver 192.0.2.1",
    # No service of the machine that could ask for it.
    "nsswitch.conf": "hosts: files dns",
}
"""Files below /etc of which a browser sees its own, and what is in them at first."""

_PREPARE_TIMEOUT_S = 10.0
_END_TIMEOUT_S = 3.0
_LOOK_S = 0.005

# HOME and the processes of others are out of sight before there is anything to see.
_SCRIPT = f"""set -e
mount -t tmpfs -o mode=1777 bentpipe {HOME}
mount -t tmpfs -o mode=1777 bentpipe /dev/shm
mkdir {HOME}/etc
own() {{
  echo "$2" > {HOME}/etc/$1
  if [ -f /etc/$1 ]; then mount --bind {HOME}/etc/$1 /etc/$1; fi
}}
{"".join(f"own {name} '{text}'{chr(10)}" for name, text in PRIVATE.items())}
echo prepared
read -r _
exec "$@"
"""

_NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")

_PROGRAM = TIED + "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])"

_KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH")
_OWN = "BENTPIPE_"
"""Of the environment; the rest of a user's may tell a browser where to find a proxy, a bus or a display."""

_Content = TypeVar("_Content")


class Process:
    """A browser, from its preparation on. `folder` is its home as seen from here, even after its end."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, errors: IO[bytes]) -> None:
        self.folder = folder
        self._process, self._errors = process, errors

    def run(self, command: Sequence[str], standard_input: bytes = b"") -> None:
        """Run a tool that prepares the home, where it sees it as the browser will.

        Raises
        ------
        PartError
            When it fails.
        """
        result = subprocess.run(
            ["nsenter", f"--mount=/proc/{self._process.pid}/ns/mnt", *command],
            input=standard_input,
            capture_output=True,
            check=False,
            process_group=0,
        )
        if result.returncode != 0:
            raise PartError(f"{command[0]} failed: {result.stderr.decode(errors='replace').strip()}")

    def start(self) -> None:
        """Start it in the home that has been prepared."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.close()

    def file(self, name: str, parse: Callable[[str], _Content], *, until_s: float) -> _Content:
        """Wait for a file that it writes into its home, and return what is in it.

        Parameters
        ----------
        name
            Of the file.
        parse
            Makes of its text what is returned; raises ValueError while a part of it is missing.
        until_s
            When, by the monotonic clock, to wait no more.

        Raises
        ------
        PartError
            When the browser has ended before, or `until_s` has come.
        """
        path = self.folder / name
        while True:
            with suppress(FileNotFoundError, ValueError):
                return parse(path.read_text())
            if self.has_ended():
                raise PartError(self.fault())
            if time.monotonic() > until_s:
                raise PartError(f"the browser has not written {name}: {self.fault()}")
            time.sleep(_LOOK_S)

    def said(self) -> str:
        """Return what it has written to its standard error so far."""
        descriptor = self._errors.fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")

    def has_ended(self) -> bool:
        """Whether its first process has ended, and with it all."""
        return self._process.poll() is not None

    def fault(self) -> str:
        """Return what it said last."""
        status = self._process.poll()
        last = " ".join(self.said().strip().splitlines()[-1:])
        ended = "the browser is at work" if status is None else f"the browser ended with status {status}"
        return f"{ended}: {last}" if last else ended

    def pids(self) -> list[int]:
        """Return its processes."""
        return descendants(self._process.pid)

    def end(self) -> None:
        """Kill what is left of it, and wait until it is gone."""
        pids = self.pids()
        # The kernel kills process 1 of the namespace with its parent, and all others with process 1.
        self._process.kill()
        self._process.wait()
        until_s = time.monotonic() + _END_TIMEOUT_S
        while any(Path(f"/proc/{pid}/exe").exists() for pid in pids) and time.monotonic() < until_s:
            time.sleep(_LOOK_S)


@contextmanager
def prepared(
    command: Sequence[str], *, namespace: str, environment: Mapping[str, str] | None = None
) -> Iterator[Process]:
    """Make the home of a browser; whatever has been started there by `start` ends with the context.

    Parameters
    ----------
    command
        What `start` starts.
    namespace
        Name of its network namespace.
    environment
        What it is told besides its HOME.

    Raises
    ------
    PartError
        When this machine does not let it have namespaces of its own.
    """
    with ExitStack() as stack:
        errors = stack.enter_context(tempfile.TemporaryFile())
        with netns.inside(namespace):
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", _PROGRAM, *_NAMESPACES, "sh", "-c", _SCRIPT, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**_environment(), **(environment or {})},
                # Ctrl-C is the orchestrator's to handle.
                process_group=0,
            )
        assert process.stdout is not None
        stack.callback(process.stdout.close)
        try:
            if process.stdout.readline() != b"prepared\n":
                # What it says is complete when it has ended.
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_PREPARE_TIMEOUT_S)
                raise PartError(Process(process, HOME, errors).fault())
            # Open, it outlasts the namespace.
            folder = os.open(f"/proc/{process.pid}/root{HOME}", os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, folder)
            browser = Process(process, Path(f"/proc/{os.getpid()}/fd/{folder}"), errors)
            stack.callback(browser.end)
            yield browser
        finally:
            process.kill()
            process.wait()


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_OWN)}
    return {**kept, "HOME": str(HOME), "TMPDIR": str(HOME)}
