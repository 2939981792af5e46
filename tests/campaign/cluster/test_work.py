"""What a worker does with its engine; batches are measured in test_cluster.py."""

import pytest

from bentpipe.campaign.cluster import enrolment, work
from bentpipe.engine import emulate


class FakeEmulator:
    def __init__(self):
        self.closed = 0

    def close(self):
        self.closed += 1


@pytest.fixture
def _anew():
    """The engine of a process is made once."""
    work._emulator.cache_clear()
    yield
    work._emulator.cache_clear()


@pytest.mark.usefixtures("_anew")
def test_a_worker_that_ends_closes_the_emulator_that_it_has_measured_by(monkeypatch):
    monkeypatch.setattr(emulate, "Emulator", FakeEmulator)
    engine = work._engine(emulate.NAME)
    enrolment.dask_teardown(None)
    assert engine.closed == 1


@pytest.mark.usefixtures("_anew")
def test_a_worker_that_has_emulated_nothing_makes_no_emulator_to_close_it(monkeypatch):
    monkeypatch.setattr(emulate, "Emulator", lambda: pytest.fail("made"))
    enrolment.dask_teardown(None)
