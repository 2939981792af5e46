"""What a Dask worker loads first (`--preload`), so that the scheduler knows what it may be given.

`bentpipe worker` and what `--cluster` starts do so by themselves. A worker without it gets no runs.
"""

import sys
from collections.abc import MutableMapping
from typing import Protocol

from bentpipe.campaign.cluster import release, work
from bentpipe.engine import emulate

MODULE = __name__
"""For `--preload`."""

EMULATE = "bentpipe_emulate"
"""The resource of workers that may emulate, one of it each."""

DEATH_TIMEOUT_S = 300
"""After which a worker ends that finds no scheduler."""


class _State(Protocol):
    nthreads: int
    total_resources: MutableMapping[str, float]
    available_resources: MutableMapping[str, float]


class DaskWorker(Protocol):
    """What is known here of `distributed.Worker`."""

    state: _State


def dask_setup(worker: DaskWorker) -> None:
    """Offer the release, once for each thread; take back the offer to emulate where this machine cannot.

    Called by Dask before the worker makes itself known to the scheduler.
    """
    state = worker.state
    offers = {str(release.own()): float(state.nthreads)}
    if state.total_resources.get(EMULATE, 0) and (lacks := emulate_lacks()):
        print(f"this worker gets no emulated runs: {'; '.join(lacks)}", file=sys.stderr)
        offers[EMULATE] = 0.0
    state.total_resources.update(offers)
    state.available_resources.update(offers)


def dask_teardown(worker: DaskWorker) -> None:
    """Leave nothing of runs that are abandoned; called by Dask when a worker ends in order."""
    del worker
    work.close()


def emulate_lacks() -> list[str]:
    """Name what this machine lacks for emulation, each with what to do about it."""
    return [str(lack) for lack in emulate.missing()]
