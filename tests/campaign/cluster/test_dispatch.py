"""What becomes of batches, with a connection that does as it is told."""

from dataclasses import dataclass, field, replace

import pytest

from bentpipe.campaign.cluster import dispatch
from bentpipe.campaign.cluster.batch import BatchResult, RunResult
from bentpipe.campaign.cluster.connection import Ended, Killed
from bentpipe.campaign.cluster.dispatch import Dispatcher
from bentpipe.campaign.plan import plan
from bentpipe.campaign.workers import Task
from bentpipe.errors import ClusterError
from bentpipe.model.record import Status
from bentpipe.reasons import sentence
from tests.campaign.conftest import a_scenario
from tests.campaign.fake_engine import QuietProgress, record

RUN_S = 0.01


@dataclass
class FakeConnection:
    """Notes the batches and hands back what a test says has become of them."""

    batches: dict = field(default_factory=dict)
    arrived: list = field(default_factory=list)

    def submit(self, key, batch, *, needs):
        del needs
        self.batches[key] = batch

    def ended(self, *, timeout_s):
        del timeout_s
        return self.arrived.pop(0) if self.arrived else None

    def end(self, key, outcome=None, *, runs=None):
        self.arrived.append(Ended(key=key, outcome=outcome or self.result(key, runs=runs)))

    def result(self, key, *, runs=None, worker="tcp://one:1"):
        batch = self.batches[key]
        pairs = list(zip(batch.runs, batch.specs(), strict=True))[:runs]
        return BatchResult(
            worker=worker,
            runs=tuple(
                RunResult(record=record(run.run_id, spec).to_json().encode(), took_s=RUN_S, files={})
                for run, spec in pairs
            ),
        )


@dataclass
class FakeRoll:
    at_once: int
    needs: dict = field(default_factory=dict)

    def look(self):
        pass


class Waiting:
    def __init__(self, runs, folder):
        self.runs, self.folder = list(runs), folder

    def __len__(self):
        return len(self.runs)

    def take(self):
        return Task(run=self.runs.pop(0), attempt=1, artifacts=self.folder)


class Campaign:
    """A dispatcher with its connection, and the runs that wait."""

    def __init__(self, folder, *, workers=1, repetitions=200):
        self.connection, self.progress = FakeConnection(), QuietProgress()
        self.planned = plan(a_scenario(http=("h1",), repetitions=repetitions))
        self.waiting = Waiting(self.planned, folder)
        self.dispatcher = Dispatcher(
            self.connection, roll=FakeRoll(workers), engine="simulate", progress=self.progress
        )
        self.dispatcher.fill(self.waiting)

    @property
    def keys(self):
        return list(self.connection.batches)

    def sizes(self):
        return [len(batch.runs) for batch in self.connection.batches.values()]

    def received(self):
        """Take all that has arrived, and fill up."""
        found = []
        while (finished := self.dispatcher.finished(timeout_s=0)) is not None:
            found.append(finished)
        self.dispatcher.fill(self.waiting)
        return found

    def remarks(self):
        return [what[1] for what in self.progress.told if what[0] == "remark"]


@pytest.fixture
def campaign(tmp_path):
    return Campaign(tmp_path)


def test_batches_are_of_two_seconds_by_what_runs_have_cost_and_shorter_at_the_end(campaign):
    # Nothing is known: 0.5 s each, for each worker one batch and one to go on with.
    assert campaign.sizes() == [4, 4]
    campaign.connection.end(campaign.keys[0])
    campaign.received()
    # Of 10 ms runs 192 wait for one worker: half of them, which is less than 2 s.
    assert campaign.sizes() == [4, 4, 96]


def test_a_worker_has_no_more_than_one_batch_besides_that_which_it_measures(tmp_path):
    assert len(Campaign(tmp_path, workers=3).keys) == 6


def test_runs_that_a_worker_did_not_come_to_are_in_the_next_batch(campaign):
    first = [run.run_id for run in campaign.connection.batches[campaign.keys[0]].runs]
    campaign.connection.end(campaign.keys[0], runs=1)
    assert [finished.run.run_id for finished in campaign.received()] == first[:1]
    third = [run.run_id for run in campaign.connection.batches[campaign.keys[2]].runs]
    assert third[:3] == first[1:]
    assert campaign.dispatcher.in_flight == sum(campaign.sizes()[1:])


KILLED = Killed(workers=4, last="tcp://last:1")


def test_a_batch_that_kills_its_workers_goes_on_run_by_run_and_only_the_one_that_kills_fails(campaign):
    poisoned = campaign.connection.batches[campaign.keys[0]].runs[1].run_id
    campaign.connection.end(campaign.keys[0], KILLED)
    campaign.connection.end(campaign.keys[1])
    records = {}
    for _ in range(6):
        records |= {finished.run.run_id: finished.record for finished in campaign.received()}
        for key in campaign.keys[2:]:
            batch = campaign.connection.batches[key]
            if not {run.run_id for run in batch.runs} & records.keys():
                is_poison = [run.run_id for run in batch.runs] == [poisoned]
                campaign.connection.end(key, KILLED if is_poison else None)
    failed = [run_id for run_id, one in records.items() if one.status is Status.FAILED]
    assert failed == [poisoned]
    said = sentence(records[poisoned].reasons[0])
    assert "4 workers ended while they measured it, the last of them tcp://last:1" in said
    assert len(records) > 8
    assert "go on one by one" in campaign.remarks()[0]


def test_what_a_worker_did_not_come_to_is_not_waited_for_after_an_interruption(campaign):
    first, second = campaign.keys
    campaign.connection.end(first, runs=1)
    assert campaign.dispatcher.finished(timeout_s=0) is not None
    # Of its batch of four three wait to be given out again, beside the four of the other one.
    assert campaign.dispatcher.in_flight == 7
    campaign.dispatcher.withdraw()
    assert campaign.dispatcher.in_flight == 4
    campaign.connection.end(second, runs=1)
    assert campaign.dispatcher.finished(timeout_s=0) is not None
    assert campaign.dispatcher.in_flight == 0
    assert campaign.keys == [first, second]


def test_a_batch_that_kills_its_workers_is_given_up_after_an_interruption_and_no_run_of_it_fails(campaign):
    campaign.connection.end(campaign.keys[0], KILLED)
    campaign.dispatcher.withdraw()
    assert campaign.dispatcher.finished(timeout_s=0) is None
    assert campaign.dispatcher.in_flight == 4
    assert campaign.remarks() == []


def test_runs_that_were_to_go_on_one_by_one_are_given_up_by_an_interruption(campaign):
    campaign.connection.end(campaign.keys[0], KILLED)
    assert campaign.dispatcher.finished(timeout_s=0) is None
    campaign.dispatcher.withdraw()
    assert campaign.dispatcher.in_flight == 4


@pytest.fixture
def overdue(tmp_path, monkeypatch):
    """A campaign of four runs in one batch, which was given out a second time to an idle worker."""
    now_s = [100.0]
    monkeypatch.setattr(dispatch.time, "monotonic", lambda: now_s[0])
    campaign = Campaign(tmp_path, workers=2, repetitions=1)
    assert len(campaign.keys) == 1
    now_s[0] += 61
    campaign.received()
    assert len(campaign.keys) == 2
    assert "overdue" in campaign.remarks()[0]
    return campaign


def test_of_a_batch_that_was_made_twice_one_copy_is_stored(overdue):
    for key in overdue.keys:
        overdue.connection.end(key)
    assert [finished.run for finished in overdue.received()] == list(overdue.planned)
    assert overdue.dispatcher.in_flight == 0


def test_two_records_of_one_run_that_differ_are_an_error_that_names_run_and_both_workers(overdue):
    first, second = overdue.keys
    overdue.connection.end(first)
    result = overdue.connection.result(second, worker="tcp://two:2")
    changed = replace(result.runs[0], record=result.runs[0].record.replace(b"plt_s", b"PLT_s"))
    overdue.connection.end(second, replace(result, runs=(changed, *result.runs[1:])))
    run_id = overdue.planned[0].run_id
    assert overdue.dispatcher.finished(timeout_s=0).run.run_id == run_id
    with pytest.raises(ClusterError, match=rf"tcp://two:2: .* run {run_id} than tcp://one:1"):
        overdue.dispatcher.finished(timeout_s=0)


def test_a_batch_whose_first_copy_has_killed_its_workers_waits_for_the_second(overdue):
    overdue.connection.end(overdue.keys[0], KILLED)
    assert overdue.received() == []
    overdue.connection.end(overdue.keys[1])
    assert [finished.record.status for finished in overdue.received()] == [Status.SUCCEEDED]
