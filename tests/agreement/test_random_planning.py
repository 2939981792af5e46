"""How often cells are emulated, and what a perfect simulator reaches then; values from probability."""

from dataclasses import replace

import pytest

from tests.agreement.test_random_cells import CELL, compared, engine_saying, measured, text_of
from tools.agreement_random.perfect import SETS, Emulated, reached
from tools.agreement_random.planning import LONGEST_S, NUMBERS, planned_runs
from tools.agreement_random.sampling import Sample, sample_of
from tools.agreement_random.trial import simulated

STEADY = Emulated(runs=5)


def evenly_over(width, *, run_s=1.0):
    """Anything within a width around 1, all as likely."""
    return Sample(values=tuple(1 - width / 2 + width * n / 999 for n in range(1000)), run_s=run_s)


# The median of n values spread evenly over a width has a standard deviation of width / (2 sqrt(n)): it is
# within 4 % in 97 % of all draws where that is 0.04 / 2.17 = 1.84 %. Of these widths n is 26, 118 and 296.


@pytest.mark.parametrize(("width", "runs"), [(0.19, 40), (0.4, 160), (0.634, 320)])
def test_as_many_runs_are_planned_as_tell_the_median_within_the_bar(width, runs):
    assert planned_runs(evenly_over(width)) == runs


def test_a_cell_that_says_one_thing_has_the_least_number():
    assert planned_runs(evenly_over(0.01)) == NUMBERS[0]


@pytest.mark.parametrize(("run_s", "runs"), [(LONGEST_S / 100, 80), (LONGEST_S / 79, 40), (LONGEST_S, 20)])
def test_a_cell_that_asks_for_too_much_has_what_the_time_allows(run_s, runs):
    assert planned_runs(evenly_over(0.9, run_s=run_s)) == runs


EITHER = (1.0, 1.2) * 30 + (1.0,)
"""One of two values, nearly as likely as the other; the median of all is the first."""


def test_a_perfect_simulator_misses_where_a_run_has_one_of_two_values():
    # One run is off by a fifth in half of the sets: three of four cells on average, and both in half.
    found = reached([STEADY, Emulated(runs=1, sample=EITHER)])
    # Five standard deviations of a share of that many sets.
    tolerance = 5 * 0.5 / SETS**0.5
    assert found.within == (pytest.approx(0.75, abs=tolerance / 2),) * 2
    assert found.holds == pytest.approx(0.5, abs=tolerance)


def test_more_runs_leave_less_to_chance():
    # With 300 runs a median has a standard deviation of 0.6 %: it is off by 4 % once in 10^11 sets.
    few, many = (reached([Emulated(runs=runs, sample=evenly_over(0.2).values)]) for runs in (1, 300))
    assert few.holds < 0.6
    assert many.holds == 1.0


def test_a_sample_has_the_quantity_of_the_whole_cell_and_how_long_it_takes():
    # The link carries so few packets that one core has one run, at an RTT of 40 ms.
    sample = sample_of(simulated(CELL, engine_saying(1.0, 1.2), 6))
    assert sample.values == (1.0, 1.2, 1.0, 1.2, 1.0, 1.2)
    assert sample.run_s == pytest.approx(1.1 / 2)


def test_the_page_has_a_row_for_each_number_of_runs():
    steady = measured(emulated=(1.0,) * 5, simulated=(1.05,) * 5)
    # Runs differ by 0 and by 10 %, not alike.
    by_chance = measured(CELL, emulated=(1.0, 1.0, 1.1), simulated=(1.0, 1.1, 1.0))
    found = [*compared(steady), *(replace(each, sample=EITHER) for each in compared(by_chance))]
    lines = text_of([steady, by_chance], found).splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if "decide" in line and line.startswith("|")]
    assert [row[:5] for row in rows] == [
        ["5 or more, seeds decide", "1", "5.00%", "0.0%", "100.0%"],
        ["3, chance decides", "1", "0.00%", "100.0%", "100.0%"],
    ]
    assert rows[0][5:] == ["100.0%", "100.0%"]
    # Two of three runs are 1.0 or all: half of all sets, within what chance leaves of so many.
    assert float(rows[1][5].rstrip("%")) == pytest.approx(50, abs=100 * 5 * 0.5 / SETS**0.5)
