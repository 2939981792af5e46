"""Threads that run an engine, abandoned with the process when it ends."""

import queue
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from bentpipe import _core
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.plan import PlannedRun
from bentpipe.model.reason import EngineRaisedReason, Reason
from bentpipe.model.record import RunRecord


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A run with the record of this attempt, and the folder of its captures and logs."""

    run: PlannedRun
    attempt: int
    record: RunRecord
    artifacts: Path


@dataclass(frozen=True, kw_only=True)
class _Task:
    run: PlannedRun
    attempt: int
    artifacts: Path


class Workers:
    """A pool of daemon threads.

    `concurrent.futures` waits for its threads when the process ends, so a run of two minutes would outlive
    an interruption by two minutes. These do not.
    """

    def __init__(self, *, engine: Engine, jobs: int) -> None:
        self._engine = engine
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[Finished | BaseException] = queue.SimpleQueue()
        self._jobs = jobs
        for number in range(jobs):
            threading.Thread(target=self._work, name=f"run-{number}", daemon=True).start()

    def start(self, run: PlannedRun, *, attempt: int, artifacts: Path) -> None:
        """Hand a run to the next free thread."""
        self._tasks.put(_Task(run=run, attempt=attempt, artifacts=artifacts))

    def finished(self, *, timeout_s: float) -> Finished | None:
        """Return the next run that has ended, or None after `timeout_s`.

        Raises what a thread came upon that is no run's failure, such as a specification that the compiled
        core cannot read and thus has no record of.
        """
        try:
            ended = self._ended.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if isinstance(ended, BaseException):
            raise ended
        return ended

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _ in range(self._jobs):
            self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                record = self._record(task)
            except BaseException as error:
                # Raised here it would end this thread alone, and leave the campaign waiting.
                self._ended.put(error)
            else:
                self._ended.put(
                    Finished(run=task.run, attempt=task.attempt, record=record, artifacts=task.artifacts)
                )

    def _record(self, task: _Task) -> RunRecord:
        run = task.run
        try:
            return self._engine.run(run_id=run.run_id, spec=run.spec, artifacts=task.artifacts)
        except BaseException as error:
            # An engine puts failures into its record: this is its defect, and still no run is lost.
            # A panic of the compiled core is no Exception.
            place = traceback.extract_tb(error.__traceback__)[-1]
            reason = EngineRaisedReason(
                exception=type(error).__name__, error=str(error), function=place.name, line=place.lineno or 0
            )
            return _failed(run, engine=self._engine.name, reason=reason)


def _failed(run: PlannedRun, *, engine: str, reason: Reason) -> RunRecord:
    spec = run.spec.to_json()
    return RunRecord.model_validate_json(
        _core.failed_record(
            run_id=run.run_id, engine=engine, spec=spec, provenance="{}", reason=reason.to_json()
        )
    )
