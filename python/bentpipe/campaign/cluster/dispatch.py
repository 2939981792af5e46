"""Batches of runs, given out to the workers of a cluster until each run has a record.

A batch whose worker dies is given out again by the scheduler. One that several workers have not outlived is
given out again run by run, so that the one which kills them is found and the others are measured. One that
nobody has ended long after it should have is given out a second time; both copies have to be equal.
"""

import time
import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from bentpipe.campaign.attempt import failed
from bentpipe.campaign.cluster.batch import Batch, BatchResult, RunResult
from bentpipe.campaign.cluster.connection import Connection, Ended, Killed
from bentpipe.campaign.cluster.costs import Costs
from bentpipe.campaign.cluster.roll import Roll
from bentpipe.campaign.progress import Progress
from bentpipe.campaign.workers import Finished, Task, Waiting
from bentpipe.engine import simulate
from bentpipe.errors import ClusterError
from bentpipe.model.reason import EngineFailedReason
from bentpipe.model.record import RunRecord

DEPTH = 2
"""Batches for each worker: one that it measures, and one that it goes on with."""

MOST_READY = 20_000
"""Records that have come and are not in the ledger, beyond which no more are asked for."""

OVERDUE_S = 60.0
"""After which a batch is given out again, of those that the end of a campaign waits for alone."""

OVERDUE_TIMES = 10.0
"""That many times as long as it should take."""


@dataclass(kw_only=True)
class _Given:
    """A batch that is given out.

    Attributes
    ----------
    tasks : sequence of Task
        Its runs.
    expected_s : float
        How long they should take.
    since_s : float
        When it was given out last.
    copies : int
        How often it is given out, and not back.
    result : BatchResult or None
        What has come back of the first copy.
    """

    tasks: Sequence[Task]
    expected_s: float
    since_s: float = field(default_factory=time.monotonic)
    copies: int = 0
    result: BatchResult | None = None


class Dispatcher:
    """`Workers` of a cluster."""

    def __init__(self, connection: Connection, *, roll: Roll, engine: str, progress: Progress) -> None:
        self._connection = connection
        self._roll = roll
        self._engine = engine
        self._is_repeatable = engine == simulate.NAME
        self._progress = progress
        self._costs = Costs()
        self._name = uuid.uuid4().hex[:8]
        self._submitted = 0
        self._given: dict[str, _Given] = {}
        self._again: deque[Task] = deque()
        self._alone: deque[Task] = deque()
        self._ready: deque[tuple[Task, RunResult | Killed]] = deque()
        self._is_withdrawn = False
        self.in_flight = 0

    def fill(self, waiting: Waiting) -> None:
        """Give out batches until every worker has one to go on with."""
        self._roll.look()
        while self._open() < DEPTH * self._roll.at_once and len(self._ready) < MOST_READY:
            tasks = self._next(waiting)
            if not tasks:
                self._give_overdue_again()
                break
            self._give(_Given(tasks=tasks, expected_s=sum(self._costs.of(task.run.cell) for task in tasks)))

    def finished(self, *, timeout_s: float) -> Finished | None:
        """See Workers.

        Raises
        ------
        ClusterError
            When the scheduler is gone, or two workers made different records of one run.
        """
        if not self._ready:
            ended = self._connection.ended(timeout_s=timeout_s)
            if ended is not None:
                self._take(ended)
        if not self._ready:
            return None
        task, result = self._ready.popleft()
        self.in_flight -= 1
        record = self._record(task, result)
        return Finished(run=task.run, attempt=task.attempt, record=record, artifacts=task.artifacts)

    def withdraw(self) -> None:
        """See Workers.

        Given up are runs that have come back from a batch without a record, now or later: the ledger has
        nothing of them, so that they are measured when the campaign goes on.
        """
        self._is_withdrawn = True
        self.in_flight -= len(self._again) + len(self._alone)
        self._again.clear()
        self._alone.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def _open(self) -> int:
        return sum(given.result is None for given in self._given.values())

    def _next(self, waiting: Waiting) -> list[Task]:
        """Return the runs of the next batch; none when none wait."""
        if self._alone:
            return [self._alone.popleft()]
        left = len(waiting) + len(self._again)
        target_s = self._costs.target_s(waiting=left, workers=self._roll.at_once)
        tasks: list[Task] = []
        cost_s = 0.0
        while cost_s < target_s and (self._again or len(waiting)):
            if self._again:
                task = self._again.popleft()
            else:
                task = waiting.take()
                self.in_flight += 1
            tasks.append(task)
            cost_s += self._costs.of(task.run.cell)
        return tasks

    def _give(self, given: _Given) -> None:
        key = f"bentpipe-{self._name}-{self._submitted}"
        self._submitted += 1
        given.copies += 1
        given.since_s = time.monotonic()
        self._given[key] = given
        batch = Batch.of([task.run for task in given.tasks], engine=self._engine)
        self._connection.submit(key, batch, needs=self._roll.needs)

    def _give_overdue_again(self) -> None:
        """Give a batch to a second worker that the first has for too long, while others are idle."""
        if not self._is_repeatable or self._open() >= self._roll.at_once:
            return
        for given in list(self._given.values()):
            longest_s = max(OVERDUE_S, OVERDUE_TIMES * given.expected_s)
            if given.copies == 1 and given.result is None and time.monotonic() - given.since_s > longest_s:
                self._progress.remark(f"given out again: a batch of {len(given.tasks)} runs that is overdue")
                self._give(given)
                return

    def _take(self, ended: Ended) -> None:
        given = self._given.pop(ended.key)
        given.copies -= 1
        match ended.outcome:
            case BatchResult() as result if given.result is None:
                given.result = result
                self._take_result(given.tasks, result)
            case BatchResult() as second:
                assert given.result is not None
                _require_equal(given.tasks, given.result, second)
            case Killed() as killed:
                if given.result is None and not given.copies:
                    self._take_killed(given.tasks, killed)
            case error:
                raise error

    def _take_result(self, tasks: Sequence[Task], result: BatchResult) -> None:
        for task, run in zip(tasks, result.runs, strict=False):
            self._costs.add(task.run.cell, run.took_s)
            self._ready.append((task, run))
        self._put_back(self._again, tasks[len(result.runs) :])

    def _take_killed(self, tasks: Sequence[Task], killed: Killed) -> None:
        if len(tasks) == 1:
            self._ready.append((tasks[0], killed))
            return
        if not self._is_withdrawn:
            self._progress.remark(
                f"{killed.workers} workers were lost with a batch of {len(tasks)} runs, "
                "which go on one by one"
            )
        self._put_back(self._alone, tasks)

    def _put_back(self, where: deque[Task], tasks: Sequence[Task]) -> None:
        """Have runs given out again, unless nothing is given out any more."""
        if self._is_withdrawn:
            self.in_flight -= len(tasks)
        else:
            where.extend(tasks)

    def _record(self, task: Task, result: RunResult | Killed) -> RunRecord:
        if isinstance(result, Killed):
            reason = EngineFailedReason(
                error=f"{result.workers} workers ended while they measured it, the last of them {result.last}"
            )
            return failed(run_id=task.run.run_id, spec=task.run.spec, engine=self._engine, reason=reason)
        if task.artifacts is not None:
            for name, content in result.files.items():
                path = task.artifacts / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        return RunRecord.model_validate_json(result.record)


def _require_equal(tasks: Sequence[Task], first: BatchResult, second: BatchResult) -> None:
    for task, one, other in zip(tasks, first.runs, second.runs, strict=False):
        if one.record != other.record:
            raise ClusterError(
                second.worker,
                f"made another record of run {task.run.run_id} than {first.worker}: one of the two cannot be "
                "trusted",
                consequence="the first record is kept; measure the run again on each to see which",
            )
