"""Emulated runs on a cluster: who gets them, one at a time on a machine, and what comes back."""

import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from bentpipe.campaign.cluster.connection import Connection
from bentpipe.engine import emulate
from bentpipe.engine.emulate import Emulator
from bentpipe.engine.host import cpu_time
from bentpipe.errors import AbilityError
from bentpipe.ledger import Ledger
from tests.campaign.cluster.dask import (
    Heard,
    emulating_worker,
    measured,
    scheduler,
    wait_for_workers,
    workers,
)

MISSING = "; ".join(map(str, emulate.missing()))

pytestmark = [
    pytest.mark.alone,
    pytest.mark.root,
    pytest.mark.skipif(bool(MISSING), reason=f"this machine cannot emulate: {MISSING}"),
]

# Seconds long: a run of the 0.1 s of a local network has no 2 ms to wait for a core.
SCENARIO = """
name = "emulated"
repetitions = 4
[run]
link = "geo-alshagri-flat"
page = "single-100k"
http = "h1"
"""
SAMPLED_EVERY_S = 0.2


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "emulated.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def measurers(monkeypatch):
    """The workers that batches come back from."""
    found, ended = [], Connection.ended

    def noted(self, *, timeout_s):
        one = ended(self, timeout_s=timeout_s)
        if one is not None:
            found.append(one.outcome.worker)
        return one

    monkeypatch.setattr(Connection, "ended", noted)
    return found


@contextmanager
def links_at_once(*workers):
    """Yield how many emulated links some workers have at once, time and again."""
    found, is_over = [], threading.Event()

    def sample():
        while not is_over.wait(SAMPLED_EVERY_S):
            pids = {pid for worker in workers for pid in cpu_time.descendants(worker.pid)}
            found.append(sum(map(_is_link, pids)))

    sampling = threading.Thread(target=sample)
    sampling.start()
    yield found
    is_over.set()
    sampling.join()


def _is_link(pid):
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"link" in arguments


def test_emulated_runs_go_to_workers_that_offer_it_one_at_a_time_and_come_back_valid(
    scenario, tmp_path, measurers
):
    told = Heard()
    with (
        scheduler(tmp_path) as (_, address),
        workers(address, processes=1),
        emulating_worker(address) as one,
        emulating_worker(address) as other,
    ):
        wait_for_workers(address, 3)
        with links_at_once(one, other) as links:
            outcome = measured(
                scenario, tmp_path / "results", address=address, progress=told, engine=Emulator()
            ).outcome
    assert (outcome.succeeded, outcome.planned) == (4, 4)
    [refused] = [remark for remark in told.remarks if remark.startswith("refused: worker ")]
    assert refused.endswith("does not offer bentpipe_emulate")
    assert len(set(measurers)) == 2
    assert refused.split()[2] not in measurers
    assert max(links) == 1
    with Ledger(tmp_path / "results") as ledger:
        best = ledger.best()
        assert [entry.status for entry in best] == ["succeeded"] * 4
        for entry in best:
            assert entry.record.engine == emulate.NAME
            # Only what was measured on a kernel names it.
            assert entry.record.provenance["kernel"]
            assert ledger.series(entry.run_id, "link")["time_s"].size > 0


def test_a_worker_that_does_not_offer_it_gets_no_emulated_run(scenario, tmp_path, measurers):
    with scheduler(tmp_path) as (_, address), workers(address, processes=1):
        lacking = r"no worker can emulate: tcp://\S+ does not offer bentpipe_emulate; start one as root with"
        with pytest.raises(AbilityError, match=lacking):
            measured(scenario, tmp_path / "results", address=address, engine=Emulator())
    assert measurers == []
