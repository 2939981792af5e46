"""The processes of an emulated run: orders go in, answers come out, one line of JSON each."""

import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from bentpipe.engine.process.last_words import last_words
from bentpipe.errors import BentpipeError
from bentpipe.model.frozen import Frozen

_READ_BYTES = 1 << 16
_END_TIMEOUT_S = 20.0
"""For a part to end when its input has, even beside a full machine."""

_LAST_LINES = 3
"""libbpf and the kernel's verifier say why they refuse on more than one."""

START_TIMEOUT_S = 30.0
"""For a part to come up and warm up, even beside a full machine."""

_TIE = """
import ctypes, os, signal, sys
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
# Before that it was nobody's business that its parent ended.
if os.getppid() != int(sys.argv[1]):
    sys.exit(1)
"""
_BECOME = _TIE + "os.execvp(sys.argv[2], sys.argv[2:])"
_PROGRAM = _TIE + "from bentpipe._core import run_part; run_part(sys.argv[2])"


def tied() -> list[str]:
    """Return what goes before a command whose process the kernel is to end with the thread that starts it.

    Until the program changes its user: that makes the kernel forget it.
    """
    return [sys.executable, "-I", "-c", _BECOME, str(os.getpid())]


class PartError(BentpipeError):
    """A part ended or fell silent before it answered."""


class Part:
    """One process: `link`, `origin`, `client`, `terminal` or `gateway`.

    It inherits the namespace of the thread that starts it, ends when its input is closed, and does not
    outlive that thread, not even when this process is killed.
    """

    def __init__(self, name: str, configuration: Frozen, *, descriptors: Sequence[int] = ()) -> None:
        self.name = name
        self._buffer = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115, closed when the process has ended
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _PROGRAM, str(os.getpid()), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            pass_fds=descriptors,
            # Ctrl-C is the orchestrator's to handle.
            process_group=0,
        )
        self.order(configuration.to_json())

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def order(self, line: str) -> None:
        """Send one order."""
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(line.encode() + b"\n")
            stdin.flush()
        except BrokenPipeError:
            raise PartError(self._why_it_ended()) from None

    def answer(self, *, timeout_s: float) -> str:
        """Wait for the next line and return it.

        Raises
        ------
        PartError
            When the part ends first, or says nothing for `timeout_s`.
        """
        stdout = self._process.stdout
        assert stdout is not None
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([stdout], [], [], left)[0]:
                raise PartError(f"the {self.name} did not answer within {timeout_s:.1f} s")
            chunk = os.read(stdout.fileno(), _READ_BYTES)
            if not chunk:
                raise PartError(self._why_it_ended())
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.end()
            return
        # Nobody waits for what it is doing.
        self.kill()
        self._close()

    def kill(self) -> None:
        """End it at once; whoever waits for its answer gets a PartError."""
        self._process.kill()

    def end(self) -> None:
        """Close its input and wait until it has ended.

        Raises
        ------
        PartError
            When it ends with an error, or does not end: what it had to write may not be whole.
        """
        try:
            self._process.communicate(timeout=_END_TIMEOUT_S)
        except (subprocess.TimeoutExpired, BrokenPipeError, ValueError):
            self.kill()
            self._close()
            raise PartError(f"the {self.name} did not end within {_END_TIMEOUT_S:.0f} s") from None
        fault = self.fault()
        self._close()
        if self._process.returncode != 0:
            raise PartError(str(fault))

    def fault(self) -> str | None:
        """Return how it has ended, with its last words; None while it is at work."""
        status = self._process.poll()
        if status is None:
            return None
        last = last_words(self._errors, lines=_LAST_LINES) or "without a word"
        return f"the {self.name} ended with status {status}: {last}"

    def _close(self) -> None:
        self._process.communicate()
        self._errors.close()

    def _why_it_ended(self) -> str:
        try:
            self._process.wait(timeout=_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return f"the {self.name} closed its output"
        return str(self.fault())
