"""What a worker does with a batch."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bentpipe.campaign.attempt import attempted
from bentpipe.campaign.cluster.batch import Batch, BatchResult, BatchRun, RunResult
from bentpipe.campaign.engine import Engine
from bentpipe.engine import emulate, simulate
from bentpipe.model.spec import RunSpec

EMULATING = Path("/run/lock/bentpipe-emulate.lock")
"""Held by the worker of this machine that emulates a run."""

LONGEST_S = 5.0
"""After which no further run of a batch is begun: what its runs would take was a guess."""


def measure_batch(batch: Batch) -> BatchResult:
    """Measure the runs of a batch one after the other, the first in any case."""
    from distributed import get_worker

    engine = _engine(batch.engine)
    alone = _alone_on_this_machine if batch.engine == emulate.NAME else nullcontext
    results: list[RunResult] = []
    started_s = time.monotonic()
    for run, spec in zip(batch.runs, batch.specs(), strict=True):
        if results and time.monotonic() - started_s >= LONGEST_S:
            break
        with alone():
            results.append(_measure(engine, run, spec))
    return BatchResult(worker=get_worker().address, runs=tuple(results))


def _measure(engine: Engine, run: BatchRun, spec: RunSpec) -> RunResult:
    started_s = time.monotonic()
    with TemporaryDirectory(prefix="bentpipe-") if run.leaves_files else nullcontext() as name:
        folder = None if name is None else Path(name)
        record = attempted(engine, run_id=run.run_id, spec=spec, artifacts=folder)
        files = {} if folder is None else _files(folder)
    return RunResult(record=record.to_json().encode(), took_s=time.monotonic() - started_s, files=files)


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def close() -> None:
    """Remove what emulated runs that this process has abandoned would leave behind."""
    if _emulator.cache_info().currsize:
        _emulator().close()


def _engine(name: str) -> Engine:
    return _emulator() if name == emulate.NAME else _simulator()


@cache
def _emulator() -> emulate.Emulator:
    """Return the one of this process."""
    return emulate.Emulator()


@cache
def _simulator() -> simulate.Simulator:
    """Return the one of this process."""
    return simulate.Simulator()


@contextmanager
def _alone_on_this_machine() -> Iterator[None]:
    """Wait until no other worker of this machine emulates: two runs at once would make each other late."""
    lock = os.open(EMULATING, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
