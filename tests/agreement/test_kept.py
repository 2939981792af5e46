"""What was emulated comes back from its file as it went there."""

import pytest

from bentpipe.campaign.plan import plan
from bentpipe.ledger import Entry, Ledger
from bentpipe.scenario import load
from tests.support.ledgers import append
from tests.support.models import record_with
from tools.agreement import kept
from tools.agreement.grid import HERE

SCENARIO = load(HERE / "satellite.toml")
RUNS = plan(SCENARIO)
LATE, FIRST, SECOND = RUNS[0], RUNS[0], RUNS[1]


def entry(run, *, value, attempt=1, status="succeeded", kernel="6.1"):
    record = record_with(
        status=status,
        metrics={"plt_s": value, "ttfb_s": 1.0},
        provenance={"kernel": kernel, "seen": "something else"},
    )
    return Entry.of(
        record, run_id=run.run_id, attempt=attempt, factors=run.cell.factors, repetition=run.repetition
    )


MEASURED = [
    entry(LATE, value=9.0, status="invalid"),
    entry(FIRST, value=0.1 + 0.2, attempt=2),
    entry(SECOND, value=4.5),
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kept" / "satellite.csv"
    kept.keep(path, metric="plt_s", runs=RUNS, entries=MEASURED)
    return path


def restored(file, folder, *, before=(), runs=RUNS):
    with Ledger.claim(folder, SCENARIO.document()) as ledger:
        for each in before:
            append(ledger, each)
        kept.restore(file, metric="plt_s", runs=runs, ledger=ledger)
        return [each.in_memory() for each in ledger.entries()]


def test_every_attempt_comes_back_with_its_value_its_cell_and_its_machine(file, tmp_path):
    late, first, second = restored(file, tmp_path / "ledger")
    assert (late.status, late.attempt, late.record.metrics.plt_s) == ("invalid", 1, None)
    assert (first.status, first.attempt, first.record.metrics.plt_s) == ("succeeded", 2, 0.1 + 0.2)
    assert first.factors == FIRST.cell.factors
    assert second.record.provenance == {"kernel": "6.1"}


def test_what_has_been_measured_here_is_left_as_it_is(file, tmp_path):
    entries = restored(file, tmp_path / "ledger", before=[entry(SECOND, value=4.0)])
    assert [found.record.metrics.plt_s for found in entries] == [4.0, None, 0.1 + 0.2]


def test_a_run_that_the_scenario_has_no_more_is_forgotten(file, tmp_path):
    (found,) = restored(file, tmp_path / "ledger", runs=RUNS[1:])
    assert found.run_id == SECOND.run_id
    kept.keep(file, metric="plt_s", runs=RUNS[1:], entries=[])
    assert restored(file, tmp_path / "another ledger") == [found]


def test_what_is_measured_anew_takes_the_place_of_what_was_kept(file, tmp_path):
    kept.keep(file, metric="plt_s", runs=RUNS, entries=[entry(FIRST, value=5.0, kernel="6.2")])
    first, second = restored(file, tmp_path / "ledger")
    assert first.record.metrics.plt_s == 5.0
    assert first.record.provenance == {"kernel": "6.2"}
    assert second.record.metrics.plt_s == 4.5


def test_where_nothing_is_kept_nothing_comes_back(tmp_path):
    assert restored(tmp_path / "none.csv", tmp_path / "ledger") == []
