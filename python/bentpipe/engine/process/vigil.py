"""Noticing at once that a process ends without which a run cannot go on.

Whoever waits for the client would wait until its timeout, and a person in a shell for ever.
"""

import os
import select
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Protocol

from bentpipe.engine.process.part import PartError


class Watched(Protocol):
    """A process that is not to end yet."""

    @property
    def pid(self) -> int:
        """The process id."""

    def fault(self) -> str | None:
        """Return how it has ended, with its last words; None while it is at work."""


@contextmanager
def over(watched: Sequence[Watched], *, abandon: Callable[[], None]) -> Iterator[None]:
    """Watch processes until the context ends.

    Parameters
    ----------
    watched
        The processes.
    abandon
        Is called from a thread of its own when the first of them ends; has the context end soon.

    Raises
    ------
    PartError
        At the end of the context, with the last words of the one that has ended.
    """
    with ExitStack() as stack:
        poll = select.poll()
        places = {}
        ended: list[Watched] = []
        for one in watched:
            try:
                place = os.pidfd_open(one.pid)
            except ProcessLookupError:
                # It has ended, and has been waited for.
                ended.append(one)
                continue
            stack.callback(os.close, place)
            poll.register(place, select.POLLIN)
            places[place] = one
        end = os.eventfd(0)
        stack.callback(os.close, end)
        poll.register(end, select.POLLIN)

        def watch() -> None:
            found = [places[place] for place, _ in poll.poll() if place in places]
            if found:
                ended.extend(found)
                abandon()

        if ended:
            abandon()
        thread = threading.Thread(target=watch, name="vigil", daemon=True)
        thread.start()
        try:
            yield
        except Exception:
            _settle(thread, end)
            _raise_for(ended)
            raise
        except BaseException:
            _settle(thread, end)
            raise
        _settle(thread, end)
        _raise_for(ended)


def _settle(thread: threading.Thread, end: int) -> None:
    os.eventfd_write(end, 1)
    thread.join()


def _raise_for(ended: Sequence[Watched]) -> None:
    for one in ended:
        raise PartError(one.fault() or f"process {one.pid} ended") from None
