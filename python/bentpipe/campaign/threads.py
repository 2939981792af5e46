"""Threads that run an engine, abandoned with the process when it ends."""

import queue
import threading
from types import TracebackType
from typing import Self

from bentpipe.campaign.attempt import attempted
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.workers import Finished, Task, Waiting


class Threads:
    """A pool of daemon threads, `Workers` of this process.

    `concurrent.futures` waits for its threads when the process ends, so a run of two minutes would outlive
    an interruption by two minutes. These do not.
    """

    def __init__(self, *, engine: Engine, jobs: int) -> None:
        self._engine = engine
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[Finished | BaseException] = queue.SimpleQueue()
        self._jobs = jobs
        self.in_flight = 0
        for number in range(jobs):
            threading.Thread(target=self._work, name=f"run-{number}", daemon=True).start()

    def fill(self, waiting: Waiting) -> None:
        """Give every idle thread a run."""
        while len(waiting) and self.in_flight < self._jobs:
            self._tasks.put(waiting.take())
            self.in_flight += 1

    def finished(self, *, timeout_s: float) -> Finished | None:
        """See Workers."""
        try:
            ended = self._ended.get(timeout=timeout_s)
        except queue.Empty:
            return None
        self.in_flight -= 1
        if isinstance(ended, BaseException):
            raise ended
        return ended

    def withdraw(self) -> None:
        """See Workers; each run that was taken has a thread."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _ in range(self._jobs):
            self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            run = task.run
            try:
                record = attempted(self._engine, run_id=run.run_id, spec=run.spec, artifacts=task.artifacts)
            except BaseException as error:
                # Raised here it would end this thread alone, and leave the campaign waiting.
                self._ended.put(error)
            else:
                self._ended.put(
                    Finished(run=run, attempt=task.attempt, record=record, artifacts=task.artifacts)
                )
