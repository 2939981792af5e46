import signal

import pytest

from bentpipe.campaign.cluster import crew
from tests.campaign.cluster.dask import START_TIMEOUT_S

LONGEST_S = 240
"""A test that waits for workers who never come ends as a failure."""


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """A machine that runs all tests at once takes long to start workers."""
    monkeypatch.setattr(crew, "WAIT_FOR_WORKERS_S", START_TIMEOUT_S)


@pytest.fixture(autouse=True)
def _end():
    def give_up(*_):
        raise TimeoutError(f"no end after {LONGEST_S} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(LONGEST_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
