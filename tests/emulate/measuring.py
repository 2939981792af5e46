"""Measuring on the real kernel, as the command line does it."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bentpipe.campaign.executor import MOST_ATTEMPTS, was_late
from bentpipe.engine.emulate import Emulator
from bentpipe.model.record import RunRecord
from tests.support.models import said
from tools.specs import spec_of

Run = Mapping[str, Any]

LEAST_ATTEMPTS = 2
"""At a run, however late the machine has been before: it may only have been so for a minute."""


@dataclass
class Patience:
    """The time that the tests of a process may spend on attempts that were late."""

    left_s: float

    @property
    def is_used_up(self) -> bool:
        """Whether none is left."""
        return self.left_s <= 0

    def spend(self, lost_s: float) -> None:
        """Take off what a late attempt took."""
        self.left_s -= lost_s


PATIENCE = Patience(left_s=200.0)
"""Some forty late attempts of five seconds; the two processes of `make test` and then the one lose a tenth of
its 90 minutes by it."""


def measured_once(run: Run, *settings: str, artifacts: Path | None = None) -> RunRecord:
    """Return the record of one attempt, however it ended."""
    return Emulator().run(run_id="0123456789abcdef", spec=spec_of(run, *settings), artifacts=artifacts)


def measured(run: Run, *settings: str, artifacts: Path | None = None) -> RunRecord:
    """Return the record of the first attempt that the machine was in time for; it must have succeeded.

    Skips the test on a machine that is never in time: what it measures says nothing about the emulator.
    """
    return in_time(lambda: measured_once(run, *settings, artifacts=artifacts))


def in_time(attempt: Callable[[], RunRecord], *, attempts: int = MOST_ATTEMPTS) -> RunRecord:
    """Repeat an attempt as long as the emulator was late, as a campaign does.

    Less often once `PATIENCE` is used up: else a machine that is always late takes hours to say so.
    """
    if PATIENCE.is_used_up:
        attempts = min(attempts, LEAST_ATTEMPTS)
    for _ in range(attempts):
        started_s = time.monotonic()
        record = attempt()
        if not was_late(record):
            break
        PATIENCE.spend(time.monotonic() - started_s)
    else:
        pytest.skip(f"this machine was too busy, {attempts} times: {'; '.join(said(record.reasons))}")
    assert record.status == "succeeded", record.reasons
    return record


def measured_together(runs: list[Run]) -> list[RunRecord]:
    """Measure in two worlds at a time; what was late is measured again alone."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        records = list(pool.map(measured_once, runs))
    return [
        measured(run) if was_late(record) else in_time(lambda record=record: record)
        for run, record in zip(runs, records, strict=True)
    ]
