"""Progress in the cell of a notebook; that of terminals is the command line's."""

import sys

import pytest

import bentpipe
from bentpipe.api import progress
from bentpipe.api.progress import CellProgress
from bentpipe.campaign.outcome import Ending, Outcome


class Cell:
    """Notes what a cell shows."""

    def __init__(self):
        self.shown = []

    def update(self, obj, **options):
        del options
        self.shown.append(repr(obj))


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_cell_shows_counts_and_the_time_left_in_one_line(clock):
    cell = Cell()
    told = CellProgress(cell)
    told.start(planned=10, already_succeeded=2)
    for status in ("succeeded", "failed"):
        clock[0] += 3
        told.judged(status=status)
    # Two runs in 6 s leave six of ten after two that were there: 3 s each.
    assert cell.shown == [
        "2/10 ok 2 failed 0 invalid 0",
        "3/10 ok 3 failed 0 invalid 0, about 21 s left",
        "4/10 ok 3 failed 1 invalid 0, about 18 s left",
    ]


def test_a_cell_is_not_told_more_often_than_anybody_can_read(clock):
    cell = Cell()
    told = CellProgress(cell)
    told.start(planned=1000, already_succeeded=0)
    for _ in range(1000):
        clock[0] += 0.001
        told.judged(status="succeeded")
    # One second, five times a second.
    assert len(cell.shown) <= 6


def test_the_last_line_is_the_sum_and_says_how_to_go_on():
    cell = Cell()
    CellProgress(cell).end(
        Outcome(planned=4, succeeded=2, failed=0, invalid=0, not_run=2, ending=Ending.INTERRUPTED)
    )
    assert cell.shown == [
        "4 planned = 2 succeeded + 0 failed + 0 invalid + 2 not run; the same call goes on from here"
    ]


def test_elsewhere_progress_is_that_of_the_command_line_or_silent(capsys):
    pings = {"link": "lan", "ping": {"count": 2}, "repetitions": 1}
    bentpipe.run(**pings)
    assert "1 planned = 1 succeeded" in capsys.readouterr().err
    bentpipe.run(**pings, progress=False)
    assert capsys.readouterr() == ("", "")


def test_without_a_notebook_ipython_is_not_asked_for(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    with progress.shown():
        pass
    assert "IPython" not in sys.modules
