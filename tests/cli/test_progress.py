import errno
import io
import os

import pytest
from rich.console import Console

from bentpipe.campaign.outcome import Ending, Outcome
from bentpipe.cli import progress
from bentpipe.cli.progress import BarProgress, LineProgress

OUTCOME = Outcome(planned=4, succeeded=2, failed=1, invalid=1, not_run=0, ending=Ending.COMPLETE)


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_lines_count_every_kind_of_run_and_estimate_the_time_left(clock, capsys):
    told = LineProgress()
    told.start(planned=10, already_succeeded=2)
    for status in ("succeeded", "failed", "invalid"):
        clock[0] += 4
        told.judged(status=status)
    # Three runs in 12 s leave five of ten after two that were there: 4 s each; told at most every 5 s.
    assert capsys.readouterr().err.splitlines() == [
        "10 runs, 2 of them done before",
        "4/10 ok 3 failed 1 invalid 0, 0.25 runs/s, about 24 s left",
    ]


def test_the_last_line_is_the_sum(capsys):
    told = LineProgress()
    told.start(planned=4, already_succeeded=0)
    told.end(OUTCOME)
    assert capsys.readouterr().err.splitlines()[-1] == "4 planned = 2 succeeded + 1 failed + 1 invalid"


@pytest.fixture
def screen(monkeypatch):
    """What a terminal receives."""
    received = io.StringIO()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(
        "rich.console.Console",
        lambda *, stderr, **settings: Console(file=received, force_terminal=stderr, width=120, **settings),
    )
    return received


def test_the_bar_shows_counts_and_the_rate_and_ends_with_the_sum(screen, clock):
    told = BarProgress()
    told.remark("dashboard: somewhere")
    told.start(planned=4, already_succeeded=1)
    for status in ("succeeded", "failed", "invalid"):
        clock[0] += 0.5
        told.judged(status=status)
    told.repeating(runs=2, at_once=4)
    told.repeating(runs=1, at_once=1)
    told.interrupted(in_flight=2)
    told.end(OUTCOME)
    shown = screen.getvalue()
    assert "ok 2 failed 1 invalid 1" in shown
    assert "4/4" in shown
    # Three runs in 1.5 s.
    assert "2 runs/s" in shown
    assert "dashboard: somewhere" in shown
    assert "2 runs were late and are repeated, 4 at once" in shown
    assert "1 runs were late and are repeated, one at a time" in shown
    assert "waiting for 2 runs in flight" in shown
    assert "4 planned = 2 succeeded + 1 failed + 1 invalid" in shown


HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_terminal_has_its_cursor_again_when_a_campaign_breaks_off(screen, error):
    with pytest.raises(error), progress.progress() as told:
        told.start(planned=4, already_succeeded=0)
        raise error
    assert screen.getvalue().rindex(SHOW_CURSOR) > screen.getvalue().rindex(HIDE_CURSOR)


def test_a_campaign_that_ends_in_order_is_summed_up_once(screen):
    with progress.progress() as told:
        told.start(planned=4, already_succeeded=0)
        told.end(OUTCOME)
    assert screen.getvalue().endswith("4 planned = 2 succeeded + 1 failed + 1 invalid\n")


def test_an_outcome_that_does_not_add_up_cannot_be_made():
    with pytest.raises(AssertionError):
        Outcome(planned=4, succeeded=2, failed=1, invalid=0, not_run=0, ending=Ending.COMPLETE)


class Gone(io.StringIO):
    """A terminal that has hung up: tty(4), EIO."""

    def write(self, text):
        raise OSError(errno.EIO, os.strerror(errno.EIO), text)


@pytest.mark.parametrize("kind", [LineProgress, BarProgress])
def test_a_campaign_goes_on_when_the_terminal_is_gone(monkeypatch, kind):
    monkeypatch.setattr(progress.sys, "stderr", Gone())
    monkeypatch.setattr(
        "rich.console.Console",
        lambda *, stderr, **settings: Console(stderr=stderr, force_terminal=True, **settings),
    )
    told = kind()
    told.start(planned=4, already_succeeded=1)
    told.judged(status="succeeded")
    told.repeating(runs=2, at_once=4)
    told.interrupted(in_flight=2)
    told.end(OUTCOME)
