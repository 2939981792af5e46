"""Ctrl-C, SIGTERM and SIGHUP as a request: the first ends the campaign in order, the second at once.

A second SIGHUP says nothing new.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def raised() -> Iterator[None]:
    """Have SIGTERM and SIGHUP raise KeyboardInterrupt, as Ctrl-C does; for commands of one measurement."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise KeyboardInterrupt

    former = {number: signal.signal(number, interrupt) for number in _heeded(signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


class Interruption:
    """While entered from the main thread, notes the first signal and raises KeyboardInterrupt for a second.

    A note rather than an exception, so that a record is never torn between its series and its row.
    """

    def __init__(self) -> None:
        self.is_requested = False
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._former = {number: signal.signal(number, self._note) for number in _heeded(*SIGNALS)}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        # A lost terminal is told of twice: by the shell, and when the session's first process ends.
        if self.is_requested and number != signal.SIGHUP:
            raise KeyboardInterrupt
        self.is_requested = True


def _heeded(*numbers: signal.Signals) -> list[signal.Signals]:
    """Return those signals that this thread may handle; a hang-up only where nohup(1) does not ignore it."""
    # Elsewhere signals cannot be handled, nor do they arrive.
    if threading.current_thread() is not threading.main_thread():
        return []
    is_kept = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in numbers if number != signal.SIGHUP or not is_kept]
