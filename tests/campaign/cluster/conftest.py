import pytest

from bentpipe.campaign.cluster import crew
from tests.campaign.cluster.dask import START_TIMEOUT_S


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """A machine that runs all tests at once takes long to start workers."""
    monkeypatch.setattr(crew, "WAIT_FOR_WORKERS_S", START_TIMEOUT_S)
