"""A bounded pool of threads in which all work of the server is done; what nobody waits for is not begun."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from bentpipe.errors import AbilityError

T = TypeVar("T")

MOST_STREAMS = 8
"""Comparisons at once, for tabs that have been left open: each may have some megabytes in memory."""


class Pool:
    """Threads that simulate; a run holds no lock of the interpreter.

    Attributes
    ----------
    ended, withdrawn : int
        Pieces of work so far: those that came to their end, and those that a newer wish has replaced.
    streams : int
        Comparisons under way.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.ended = self.withdrawn = self.streams = 0
        self._executor = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="workbench")

    @contextmanager
    def stream(self) -> Generator[None]:
        """Count a comparison as long as it lasts.

        Raises
        ------
        AbilityError
            When there are as many as are allowed.
        """
        if self.streams >= MOST_STREAMS:
            raise AbilityError(f"{MOST_STREAMS} comparisons are under way", "close a tab, or wait for one")
        self.streams += 1
        try:
            yield
        finally:
            self.streams -= 1

    async def call(self, work: Callable[[], T]) -> T:
        """Return what a piece of work returns, when a thread is free for it."""
        future = self._executor.submit(work)
        try:
            result = await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self.withdrawn += 1
            raise
        self.ended += 1
        return result

    async def results(self, works: Iterable[Callable[[], T]]) -> AsyncGenerator[T]:
        """Yield what each piece of work returns, in the order in which they end.

        At most one for each thread is handed over at a time. When the iteration is given up, what no thread
        has begun is withdrawn; what one has begun ends for nobody.
        """
        waiting, under_way = iter(works), set[asyncio.Task[T]]()
        try:
            while True:
                while len(under_way) < self.threads and (work := next(waiting, None)) is not None:
                    under_way.add(asyncio.create_task(self.call(work)))
                if not under_way:
                    return
                done, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        finally:
            for task in under_way:
                task.cancel()

    def close(self) -> None:
        """Withdraw what has not begun, and wait for nothing but what has."""
        self._executor.shutdown(wait=False, cancel_futures=True)

    def join(self) -> None:
        """Wait until no thread works any more."""
        self._executor.shutdown(wait=True)
