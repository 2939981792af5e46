"""The processes of an emulated run: orders go in, answers come out, one line of JSON each."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

_READ_BYTES = 1 << 16
_END_TIMEOUT_S = 2.0

START_TIMEOUT_S = 30.0
"""For a part to come up and warm up, even beside a full machine."""

TIED = """
import ctypes, signal
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
"""
"""What a process at work does not look for: the kernel ends it with the thread that started it."""

_PROGRAM = TIED + "from bentpipe._core import run_part; run_part({name!r})"


class PartError(Exception):
    """A part ended or fell silent before it answered."""


class Part:
    """One process: `link`, `origin`, `client`, `terminal` or `gateway`.

    It inherits the namespace of the thread that starts it, ends when its input is closed, and does not
    outlive that thread, not even when this process is killed.
    """

    def __init__(
        self, name: str, configuration: Mapping[str, Any], *, descriptors: Sequence[int] = ()
    ) -> None:
        self.name = name
        self._buffer = b""
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _PROGRAM.format(name=name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=descriptors,
            # Ctrl-C is the orchestrator's to handle.
            process_group=0,
        )
        self.order(json.dumps(configuration))

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
        if error is not None:
            # Nobody waits for what it is doing.
            self._process.kill()
        self.end()

    def end(self) -> None:
        """Close its input and wait until it has ended."""
        try:
            self._process.communicate(timeout=_END_TIMEOUT_S)
        except (subprocess.TimeoutExpired, BrokenPipeError, ValueError):
            self._process.kill()
            self._process.communicate()

    def _why_it_ended(self) -> str:
        try:
            _, errors = self._process.communicate(timeout=_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return f"the {self.name} closed its output"
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        return f"the {self.name} ended with status {self._process.returncode}: {' '.join(last)}"
