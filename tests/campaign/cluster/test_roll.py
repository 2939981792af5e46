"""Who may measure, and how long a campaign waits for them, with a connection that shows whom a test says."""

import itertools

import pytest

from bentpipe.campaign.cluster import release, roll
from bentpipe.campaign.cluster.connection import Member
from bentpipe.campaign.cluster.roll import SETTLE_S, Roll
from bentpipe.errors import AbilityError, ClusterError
from tests.campaign.fake_engine import QuietProgress


class FakeConnection:
    place = "the jobs of slurm"

    def __init__(self):
        self.there = []

    def members(self):
        return self.there


class FakeJobs:
    """Counts how often they are asked for; all have ended when a test says so."""

    def __init__(self):
        self.looks, self.have_ended = 0, False

    def look(self, progress):
        del progress
        self.looks += 1
        if self.have_ended:
            raise ClusterError("slurm", "2 of 2 jobs have ended")


class Waiting:
    """A roll of a campaign whose workers are jobs, looked at each minute or so."""

    def __init__(self, monkeypatch):
        self.connection, self.jobs, self.progress = FakeConnection(), FakeJobs(), QuietProgress()
        self.now_s = 1000.0
        monkeypatch.setattr(roll.time, "monotonic", lambda: self.now_s)
        self.roll = Roll(
            self.connection,
            release=release.own(),
            is_emulated=False,
            longest_wait_s=None,
            jobs=self.jobs,
            progress=self.progress,
        )

    def look(self, *members, after_s=60.0):
        self.now_s += after_s
        self.connection.there = list(members)
        self.roll.look()
        return self.roll.at_once


NUMBERS = itertools.count(1)


def worker(own=None):
    """A worker of this release, or of another one."""
    return Member(
        address=f"tcp://10.0.0.1:{next(NUMBERS)}", host="10.0.0.1", threads=1, release=own, offers={}
    )


@pytest.fixture
def waiting(monkeypatch):
    return Waiting(monkeypatch)


def test_jobs_are_asked_for_while_no_worker_is_there_and_only_then(waiting):
    assert waiting.look() == 0
    assert waiting.jobs.looks == 1
    assert waiting.look(worker(release.own())) == 1
    assert waiting.jobs.looks == 1


def test_workers_that_are_lost_come_no_more_when_all_jobs_have_ended(waiting):
    waiting.look(worker(release.own()))
    waiting.look()
    waiting.jobs.have_ended = True
    with pytest.raises(ClusterError, match="2 of 2 jobs have ended"):
        waiting.look()


def test_jobs_that_start_late_with_another_version_are_refused_when_others_have_had_their_time(waiting):
    waiting.look(after_s=3600)
    misfit = worker()
    assert waiting.look(misfit) == 0
    assert waiting.look(misfit, after_s=SETTLE_S) == 0
    with pytest.raises(AbilityError, match=r"no worker fits: .*; give `python` in the file of jobs"):
        waiting.look(misfit, after_s=1)
