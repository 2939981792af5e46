"""Measuring the runs of a plan: in parallel, late ones again in less company, interruptible, resumable."""

import math
import shutil
import time
from collections import deque
from collections.abc import Callable, Sequence

from bentpipe import _core, output_folder
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.interruption import Interruption
from bentpipe.campaign.outcome import Ending, Outcome
from bentpipe.campaign.plan import PlannedRun
from bentpipe.campaign.progress import Progress
from bentpipe.campaign.threads import Threads
from bentpipe.campaign.workers import Finished, Hire, Task, Workers
from bentpipe.errors import ClusterError, StorageError
from bentpipe.ledger import Entry, Ledger
from bentpipe.ledger.folder import ARTIFACTS
from bentpipe.model.reason import (
    CoreAwaitedReason,
    EmulatorLateReason,
    PacketsRefusedReason,
    PacketsUnreadReason,
)
from bentpipe.model.record import RunRecord, Status
from bentpipe.reasons import renamed
from bentpipe.refusal import refusal

MOST_ATTEMPTS = 10
"""Attempts at a run that the emulator was late for; a machine that is late ten times stays late."""

LATE = EmulatorLateReason | PacketsRefusedReason | PacketsUnreadReason | CoreAwaitedReason
"""The machine could not keep up."""

POLL_S = 0.2
"""How often an interruption is noticed."""

GRACE_S = 10.0
"""How long runs in flight are waited for after an interruption; a page load over GEO mostly ends in it."""

COMMIT_SHARE = 0.05
"""Of the time, for making runs durable: runs in virtual time are shorter than a disk takes to sync one."""

LONGEST_UNCOMMITTED_S = 1.0
"""For which a run that has ended may be lost with the process."""

RESUMABLE = "nothing that was reported done is lost, and the same command goes on"
"""What it means for a campaign that the disk refuses, or that its cluster is lost."""

LEAST_FREE_BYTES = 64_000_000
"""For captures of the runs in flight: that of 5 s at 50 Mbit/s, where a packet is seen at both ends."""


def execute(
    planned: Sequence[PlannedRun],
    *,
    engine: Engine,
    ledger: Ledger,
    jobs: int,
    progress: Progress,
    hire: Hire | None = None,
    repeat_for_s: float = math.inf,
) -> Outcome:
    """Measure every planned run that the ledger has no succeeded attempt of, and keep every attempt.

    Up to `jobs` runs at once, by those whom `hire` takes on, or else by threads of this process. Those that
    are invalid because the emulator was late are repeated after all others, half as many at once; those that
    are late again by half of that, and in the end one at a time, up to `MOST_ATTEMPTS` in all and for
    `repeat_for_s` at most, then to the end of the run in flight. All writing is done by the calling thread.

    After a first Ctrl-C no run is started any more; those in flight get `GRACE_S` to end. A second one raises
    KeyboardInterrupt at once, as an error does that is no run's failure. What the ledger has stays whole in
    all cases, and a run is told as judged when it is durable.

    Raises
    ------
    StorageError
        When the disk does not take a run, or has no room for captures, or the folder is gone.
    ClusterError
        When a cluster is lost.
    """
    hire = hire or (lambda at_once: Threads(engine=engine, jobs=at_once))
    with Interruption() as interruption:
        campaign = _Campaign(
            planned=planned,
            hire=hire,
            ledger=ledger,
            progress=progress,
            interruption=interruption,
            repeat_for_s=repeat_for_s,
        )
        try:
            return campaign.run(jobs=jobs)
        except ClusterError as error:
            raise ClusterError(error.place, error.said, consequence=error.consequence or RESUMABLE) from None
        except StorageError as error:
            # First, whether it is a folder at all: what else is said of one that is gone misleads.
            campaign.require_folder()
            raise StorageError(error.place, error.said, consequence=error.consequence or RESUMABLE) from None


def was_late(record: RunRecord) -> bool:
    """Whether the machine's lateness makes a run invalid, so that repeating it in less company may help."""
    return record.status is Status.INVALID and any(isinstance(reason, LATE) for reason in record.reasons)


class _Campaign:
    def __init__(
        self,
        *,
        planned: Sequence[PlannedRun],
        hire: Hire,
        ledger: Ledger,
        progress: Progress,
        interruption: Interruption,
        repeat_for_s: float,
    ) -> None:
        self._planned = planned
        self._hire = hire
        self._ledger = ledger
        self._progress = progress
        self._interruption = interruption
        self._repeat_for_s = repeat_for_s
        self._repeat_until_s = math.inf
        done = ledger.succeeded()
        self._statuses: dict[str, str] = {run.run_id: "succeeded" for run in planned if run.run_id in done}
        self._tries: dict[str, int] = {}
        self._late: deque[PlannedRun] = deque()
        self._finished: dict[tuple[str, int], PlannedRun] = {}
        self._next_commit_s = 0.0
        self._opened = ledger.folder.stat()

    def require_folder(self) -> None:
        """Raise a StorageError where the ledger's folder is gone, though it can still be written to."""
        output_folder.require_presence(self._ledger.folder, self._opened)

    def run(self, *, jobs: int) -> Outcome:
        waiting = deque(run for run in self._planned if run.run_id not in self._statuses)
        self._progress.start(planned=len(self._planned), already_succeeded=len(self._statuses))
        ending = self._phase(waiting, jobs=jobs)
        self._repeat_until_s = time.monotonic() + self._repeat_for_s
        again: deque[PlannedRun] = deque()
        while ending is Ending.COMPLETE and self._late and self._may_repeat():
            again, self._late = self._late, deque()
            jobs = max(1, jobs // 2)
            self._progress.repeating(runs=len(again), at_once=jobs)
            ending = self._phase(again, jobs=jobs)
        for run in (*again, *self._late):
            self._progress.judged(status=self._statuses[run.run_id])
        outcome = self._outcome(ending)
        self._progress.end(outcome)
        return outcome

    def _phase(self, waiting: deque[PlannedRun], *, jobs: int) -> Ending:
        """Run what is waiting, at most `jobs` at once; nobody is taken on for nothing."""
        if not waiting:
            return Ending.COMPLETE
        attempts = _Attempts(waiting, begin=self._begin)
        with self._hire(jobs) as workers:
            while waiting or workers.in_flight:
                if self._interruption.is_requested:
                    workers.withdraw()
                    self._progress.interrupted(in_flight=workers.in_flight)
                    self._drain(workers)
                    return Ending.INTERRUPTED
                if not self._may_repeat():
                    self._late.extend(waiting)
                    waiting.clear()
                workers.fill(attempts)
                finished = workers.finished(timeout_s=POLL_S)
                if finished is not None:
                    self._add(finished)
                if time.monotonic() >= self._next_commit_s:
                    self._commit()
            self._commit()
        return Ending.COMPLETE

    def _may_repeat(self) -> bool:
        return time.monotonic() < self._repeat_until_s

    def _begin(self, run: PlannedRun) -> Task:
        if any(run.cell.spec["capture"].values()):
            self._require_room()
        self._tries[run.run_id] = self._tries.get(run.run_id, 0) + 1
        attempt = self._ledger.attempts(run.run_id) + 1
        artifacts = self._ledger.start(run.run_id, attempt) if run.leaves_files else None
        return Task(run=run, attempt=attempt, artifacts=artifacts)

    def _require_room(self) -> None:
        """Raise a StorageError where a capture would soon fill the disk."""
        try:
            free_bytes = shutil.disk_usage(self._ledger.folder).free
        except OSError as error:
            raise refusal(error, shown=self._ledger.folder) from None
        if free_bytes < LEAST_FREE_BYTES:
            most = _core.format_size(LEAST_FREE_BYTES)
            raise StorageError(
                str(self._ledger.folder), f"{_core.format_size(free_bytes)} free, and captures need {most}"
            )

    def _drain(self, workers: Workers) -> None:
        """Keep the runs that end within the grace period; the others are abandoned, and run when resumed."""
        until = time.monotonic() + GRACE_S
        while workers.in_flight and (left := until - time.monotonic()) > 0:
            finished = workers.finished(timeout_s=left)
            if finished is not None:
                self._add(finished)
                self._commit()
        self._commit()

    def _add(self, finished: Finished) -> None:
        run, attempt = finished.run, finished.attempt
        record = finished.record
        if finished.artifacts is not None:
            # By the name that its user finds it by, not that by which root reached it.
            shown = self._ledger.folder / ARTIFACTS / f"{run.run_id}-{attempt}"
            record = renamed(record, place=finished.artifacts, shown=shown)
        record = record.model_copy(update={"series": {}})
        entry = Entry.of(
            record,
            run_id=run.run_id,
            attempt=attempt,
            factors=run.cell.factors,
            repetition=run.repetition,
        )
        self._ledger.add(entry, finished.record.series)
        self._finished[run.run_id, attempt] = run

    def _commit(self) -> None:
        """Make durable what has been added, then judge it."""
        started_s = time.monotonic()
        committed = self._ledger.commit()
        self.require_folder()
        for entry in committed:
            self._judge(entry, self._finished.pop((entry.run_id, entry.attempt)))
        took_s = time.monotonic() - started_s
        self._next_commit_s = started_s + min(took_s / COMMIT_SHARE, LONGEST_UNCOMMITTED_S)

    def _judge(self, entry: Entry, run: PlannedRun) -> None:
        self._statuses[run.run_id] = entry.status
        if was_late(entry.record) and self._tries[run.run_id] < MOST_ATTEMPTS:
            self._late.append(run)
        else:
            self._progress.judged(status=entry.status)

    def _outcome(self, ending: Ending) -> Outcome:
        statuses = [self._statuses.get(run.run_id) for run in self._planned]
        return Outcome(
            planned=len(self._planned),
            succeeded=statuses.count("succeeded"),
            failed=statuses.count("failed"),
            invalid=statuses.count("invalid"),
            not_run=statuses.count(None),
            ending=ending,
        )


class _Attempts:
    """The runs that wait; taking one begins an attempt at it."""

    def __init__(self, waiting: deque[PlannedRun], *, begin: Callable[[PlannedRun], Task]) -> None:
        self._waiting = waiting
        self._begin = begin

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self) -> Task:
        return self._begin(self._waiting.popleft())
