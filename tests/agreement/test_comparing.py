"""Expected values are written out by hand; those of the test are counts of arrangements."""

from math import comb

import pytest

from bentpipe.ledger import Entry
from tests.support.models import record_with
from tools.agreement.comparing import two_sample_p, verdict
from tools.agreement.grid import KINDS
from tools.agreement.measuring import Attempts, Runs

PAGES = next(kind for kind in KINDS if kind.name == "pages")
LOSSY = next(kind for kind in KINDS if kind.name == "lossy")
CHANCE = next(kind for kind in KINDS if kind.name == "satellite-by-chance")
A = {"cell": "a"}
B = {"cell": "b"}


def entry(run_id, value, *, factors=A, metric="plt_s", status="succeeded"):
    record = record_with(status=status, metrics={metric: value})
    return Entry.of(record, run_id=run_id, attempt=1, factors=factors, repetition=0)


def attempts(*entries):
    return Attempts(all=entries, judged=entries)


def pages(emulated, simulated):
    return verdict(
        PAGES,
        Runs(
            emulated=attempts(*emulated),
            simulated=attempts(*simulated),
            simulated_otherwise=attempts(),
        ),
    )


def lossy(emulated, otherwise):
    return sampled(LOSSY, emulated, emulated, otherwise)


def sampled(kind, emulated, simulated, otherwise):
    def entries(prefix, values):
        metric = kind.quantity.metric
        return attempts(*(entry(f"{prefix}{n}", value, metric=metric) for n, value in enumerate(values)))

    return verdict(
        kind,
        Runs(
            emulated=entries("run", emulated),
            simulated=entries("run", simulated),
            simulated_otherwise=entries("other", otherwise),
        ),
    )


def test_the_error_is_of_the_medians_relative_to_the_emulated_one():
    emulated = [entry("1", 1.0), entry("2", 2.0), entry("3", 9.0)]
    simulated = [entry("1", 2.2), entry("2", 0.1), entry("3", 7.0)]
    (cell,) = pages(emulated, simulated).cells
    assert cell.error == pytest.approx(0.1)
    assert cell.spread == pytest.approx((9.0 - 1.0) / 2.0)


@pytest.mark.parametrize("status", ["failed", "invalid"])
def test_a_run_that_did_not_succeed_in_either_engine_does_not_enter(status):
    emulated = [entry("1", 1.0), entry("2", 5.0, status=status), entry("3", 7.0)]
    simulated = [entry("1", 1.0), entry("2", 5.0), entry("3", 7.0, status=status)]
    (cell,) = pages(emulated, simulated).cells
    assert cell.emulated == cell.simulated == (1.0,)


def test_where_fewer_seeds_were_emulated_fewer_are_compared():
    (cell,) = pages([entry("1", 1.0)], [entry("1", 1.0), entry("2", 50.0)]).cells
    assert cell.simulated == (1.0,)


def test_nothing_measured_gives_no_verdict():
    assert pages([], [entry("1", 1.0)]) is None


@pytest.mark.parametrize(("simulated", "holds"), [(1.079, True), (1.081, False)])
def test_one_cell_beyond_the_bar_of_a_single_cell_is_enough_to_fail(simulated, holds):
    emulated = [entry(str(n), 1.0, factors={"cell": str(n)}) for n in range(9)]
    others = [entry(str(n), 1.0, factors={"cell": str(n)}) for n in range(8)]
    found = pages(emulated, [*others, entry("8", simulated, factors={"cell": "8"})])
    assert found.holds is holds
    assert len(found.beyond) == (not holds)
    assert found.worst.factors == {"cell": "8"}


@pytest.mark.parametrize(("simulated", "holds"), [(0.971, True), (0.969, False)])
def test_the_median_over_the_cells_has_a_bar_of_its_own(simulated, holds):
    emulated = [entry("1", 1.0, factors=A), entry("2", 1.0, factors=B)]
    found = pages(emulated, [entry("1", simulated, factors=A), entry("2", simulated, factors=B)])
    assert found.holds is holds
    assert found.beyond == ()


def test_samples_that_do_not_overlap_are_told_apart():
    found = lossy([float(n) for n in range(1, 11)], [float(n) for n in range(101, 111)])
    assert found.indistinguishable == 0.0
    assert not found.holds


def test_equal_samples_are_not_told_apart():
    values = [float(n) for n in range(1, 11)]
    assert lossy(values, values).indistinguishable == 1.0


def test_four_runs_are_too_few_for_the_test():
    found = lossy([1.0, 2.0, 3.0, 4.0], [101.0, 102.0, 103.0, 104.0])
    assert found.tested == ()
    assert found.holds


def test_where_each_run_has_one_of_two_outcomes_medians_do_not_judge():
    # The medians are 5 and 7 s; how often which of the two comes is alike.
    found = sampled(CHANCE, [5.0] * 7 + [7.0] * 5, [5.0] * 5 + [7.0] * 7, [5.0] * 6 + [7.0] * 6)
    assert found.worst.error == pytest.approx(0.4)
    assert found.beyond == ()
    assert found.holds


def test_where_each_run_has_one_of_two_outcomes_the_test_judges():
    assert not sampled(CHANCE, [5.0] * 12, [7.0] * 12, [7.0] * 12).holds


def test_where_only_the_test_judges_too_few_runs_hold_nothing():
    assert not sampled(CHANCE, [5.0] * 4, [5.0] * 4, [5.0] * 4).holds


def test_the_p_value_of_samples_apart_is_two_arrangements_out_of_all():
    assert two_sample_p([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]) == pytest.approx(
        2 / comb(10, 5)
    )
