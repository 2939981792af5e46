"""A browser's processes: in namespaces of their own, with a home that exists only there.

A browser forks a dozen processes and leaves files where it finds a place. Here it is process 1 of a PID
namespace, which ends as a whole, and `/tmp` and `/dev/shm` are file systems in memory that end with its mount
namespace: however it ends, and whoever is killed, nothing of it is left to be removed.
"""

import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

from bentpipe import invoking_user
from bentpipe.engine.host.cpu_time import descendants
from bentpipe.engine.process import last_words, privilege
from bentpipe.engine.process.part import PartError, tied
from bentpipe.engine.testbed import netns, unix_sockets
from bentpipe.engine.testbed.etc_overlay import PREPARED, EtcOverlay

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

_MOST_MEMORY = "1g"
"""For each of the places where a browser may write: a page that fills its storage fills this."""
_MOST_TEXT_BYTES = 256_000_000
"""Of a file that is read from its home; a network log has some megabytes."""

_WRITABLE = f"mode=1777,size={_MOST_MEMORY}"
_EMPTY = "mode=0755,size=16m"
_HIDDEN = (Path("/run"), Path("/var"), Path("/home"), Path("/root"))
"""What of the machine is no business of a page's: sockets of its services, and files of its people."""
_KEPT_FOLDERS = ("/var/cache/fontconfig",)
"""Without it a browser reads all fonts before it draws the first."""
_DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom"))
"""Terminals, disks and cameras are no business of a page's either, whoever may open them."""
_ETC = HOME / "etc"
_WRITE = 'mkdir --parents -- "$(dirname -- "$1")" && cat > "$1"'

_NAMESPACES = ("unshare", "--mount", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc")

_Content = TypeVar("_Content")


class Process:
    """A browser, from its preparation on. `folder` is its home as seen from here, even after its end."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, errors: IO[bytes]) -> None:
        self.folder = folder
        self.user = invoking_user.unprivileged()
        self._process, self._errors = process, errors

    def run(self, command: Sequence[str], standard_input: bytes = b"") -> None:
        """Run a tool that prepares the home, where it sees it as the browser will.

        Raises
        ------
        PartError
            When it fails.
        """
        result = subprocess.run(
            [
                "nsenter",
                f"--mount=/proc/{self._process.pid}/ns/mnt",
                "--wd=/",
                *privilege.dropped(command, self.user),
            ],
            input=standard_input,
            capture_output=True,
            check=False,
            env=privilege.environment(home=HOME),
            start_new_session=True,
        )
        if result.returncode != 0:
            raise PartError(f"{command[0]} failed: {result.stderr.decode(errors='replace').strip()}")

    def write(self, name: str, text: str) -> None:
        """Write a file into its home, with the folders that it is in, as the user as whom it will run.

        Raises
        ------
        PartError
            When it cannot be written.
        """
        self.run(["sh", "-c", _WRITE, "sh", str(HOME / name)], text.encode())

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
        while True:
            with suppress(FileNotFoundError, ValueError):
                return parse(self.text(name))
            if self.has_ended():
                raise PartError(self.fault())
            if time.monotonic() > until_s:
                raise PartError(f"the browser has not written {name}: {self.fault()}")
            time.sleep(_LOOK_S)

    def text(self, name: str) -> str:
        """Return the text of a file in its home, or the first 256 MB.

        Links are not followed: a page that has taken over its browser may have put them there.

        Raises
        ------
        FileNotFoundError
            When there is no such file.
        """
        *folders, last = Path(name).parts
        with ExitStack() as stack:
            place = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, place)
            try:
                for folder in folders:
                    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
                    stack.callback(os.close, place)
                file = os.open(last, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=place)
            except (NotADirectoryError, FileNotFoundError):
                raise FileNotFoundError(name) from None
            except OSError as error:
                raise PartError(f"the browser's {name} cannot be read: {error.strerror}") from None
            with os.fdopen(file, "rb") as content:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    raise PartError(f"the browser's {name} is no file")
                return content.read(_MOST_TEXT_BYTES).decode(errors="replace")

    def said(self) -> str:
        """Return what it has written to its standard error so far."""
        return last_words.said(self._errors)

    def has_ended(self) -> bool:
        """Whether its first process has ended, and with it all."""
        return self._process.poll() is not None

    def fault(self) -> str:
        """Return what it said last."""
        status = self._process.poll()
        last = last_words.last_words(self._errors)
        ended = "the browser is at work" if status is None else f"the browser ended with status {status}"
        return f"{ended}: {last}" if last else ended

    def pids(self) -> list[int]:
        """Return its processes."""
        return descendants(self._process.pid)

    def kill(self) -> None:
        """End it at once, without waiting until it is gone."""
        self._process.kill()

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
    view = _view(command)
    with ExitStack() as stack:
        errors = stack.enter_context(tempfile.TemporaryFile())
        with netns.inside(namespace):
            process = subprocess.Popen(
                [*tied(), *_NAMESPACES, *view.arguments()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**privilege.environment(home=HOME), **(environment or {})},
                # A working folder stays open to whoever has it, whatever is mounted over it.
                cwd="/",
                # Ctrl-C is the orchestrator's to handle; and none of its terminal, which a program could have
                # type commands (ioctl_tty(2), TIOCSTI).
                start_new_session=True,
            )
        assert process.stdout is not None
        stack.callback(process.stdout.close)
        try:
            if process.stdout.readline() != PREPARED:
                # What it says is complete when it has ended.
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_PREPARE_TIMEOUT_S)
                raise PartError(Process(process, HOME, errors).fault())
            # Open, it outlasts the namespace.
            folder = os.open(f"/proc/{process.pid}/root{HOME}", os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, folder)
            if os.fstat(folder).st_dev == HOME.stat().st_dev:
                # Nothing is written where others have their files, whatever is wrong with the namespaces.
                raise PartError(f"the browser has no {HOME} of its own")
            browser = Process(process, Path(f"/proc/{os.getpid()}/fd/{folder}"), errors)
            stack.callback(browser.end)
            yield browser
        finally:
            process.kill()
            process.wait()


def _view(command: Sequence[str]) -> EtcOverlay:
    """Return what a browser sees: the machine's programs and fonts, a home and an /etc of its own."""
    # Before the folder is changed that the path may start from.
    named = Path(shutil.which(command[0]) or command[0]).absolute()
    program = named.resolve()
    hidden = [place for place in _HIDDEN if not program.is_relative_to(place)]
    return EtcOverlay(
        command=privilege.dropped(
            [str(named), *command[1:]], invoking_user.unprivileged(), may_have_capabilities=False
        ),
        has_own_mounts=True,
        is_read_only=True,
        memory={
            str(HOME): _WRITABLE,
            "/dev": _EMPTY,
            "/dev/shm": _WRITABLE,
            **{str(place): _EMPTY for place in hidden},
        },
        kept=(*_KEPT_FOLDERS, *_DEVICES),
        written={str(_ETC / name): f"{text}\n" for name, text in PRIVATE.items()},
        shown={f"/etc/{name}": str(_ETC / name) for name in PRIVATE},
        covered=unix_sockets.listening(but=(HOME, *hidden)),
        waits=True,
    )
