"""Ctrl-C as a request: the first ends the campaign in order, the second at once."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """While entered from the main thread, notes the first signal and raises KeyboardInterrupt for a second.

    A note rather than an exception, so that a record is never torn between its series and its row.
    """

    def __init__(self) -> None:
        self.is_requested = False
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        # Elsewhere signals cannot be handled, nor do they arrive.
        if threading.current_thread() is threading.main_thread():
            self._former = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.is_requested:
            raise KeyboardInterrupt
        self.is_requested = True
