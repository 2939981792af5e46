from pathlib import Path

import pytest

from bentpipe.diagnosis import choose
from bentpipe.errors import InputError
from bentpipe.ledger import Entry
from bentpipe.model.reason import EmulatorLateReason, FetchFailedReason, TimedOutReason
from tests.support.models import record_with

FOLDER = Path("results")


def entry(name, plt_s=None, *, http="h2", status="succeeded", reasons=()):
    record = record_with(status=status, reasons=list(reasons), metrics={"plt_s": plt_s})
    return Entry.of(record, run_id=name, attempt=1, factors={"http": http}, repetition=0)


LATE = EmulatorLateReason(p999_ns=2, bound_ns=1)
SLOW = [entry("a", 4.0), entry("b", 5.0), entry("c", 9.0), entry("d", 20.0, http="h1")]


def test_failed_runs_come_first_by_their_most_frequent_reason():
    timed_out, fetch = TimedOutReason(timeout_ns=1), FetchFailedReason(object="/a", error="reset")
    runs = [
        *SLOW,
        entry("e", status="invalid", reasons=[LATE]),
        entry("f", status="failed", reasons=[fetch]),
        entry("g", status="failed", reasons=[timed_out]),
        entry("h", status="failed", reasons=[timed_out]),
    ]
    found = choose(runs, None, folder=FOLDER)
    assert (found.entry.run_id, found.why) == ("g", "the first of 2 failed by timed-out")


def test_invalid_runs_come_before_slow_ones():
    found = choose([*SLOW, entry("e", status="invalid", reasons=[LATE])], None, folder=FOLDER)
    assert found.entry.run_id == "e"


def test_else_it_is_the_slowest_against_the_median_of_its_cell():
    found = choose(SLOW, None, folder=FOLDER)
    # 20 s are the median of their own cell; the median of 4, 5 and 9 s is 5 s.
    assert (found.entry.run_id, found.against_median, found.cell_runs) == ("c", 9 / 5, 3)


def test_a_run_is_found_by_the_start_of_its_id():
    assert choose(SLOW, "d", folder=FOLDER).entry.run_id == "d"


@pytest.mark.parametrize(("name", "found"), [("z", "no run"), ("", "4 runs")])
def test_an_id_of_no_run_or_of_several_is_refused(name, found):
    with pytest.raises(InputError, match=f"found {found}"):
        choose(SLOW, name, folder=FOLDER)


def test_a_folder_without_runs_is_refused():
    with pytest.raises(InputError, match="expected at least one, found none"):
        choose([], None, folder=FOLDER)
