"""How many runs the bars ask for; expected values from probability, in the comments."""

import pytest

from tests.agreement.test_random_cells import CELL, compared, engine_saying, measured, text_of
from tools.agreement_random.measuring import sample_of
from tools.agreement_random.needed import SETS, Reached, Sample, reached
from tools.agreement_random.trial import simulated

STEADY = Sample(values=(1.0,) * 60, run_s=36, varies=False)
EITHER = Sample(values=(1.0, 1.2) * 30, run_s=36, varies=True)
"""One of two values, as likely as the other."""
SPREAD = Sample(values=tuple(0.9 + 0.2 * n / 999 for n in range(1000)), run_s=36, varies=True)
"""Anything from 0.9 to 1.1, all as likely."""


def test_a_perfect_simulator_misses_where_a_run_has_one_of_two_values():
    # Both draw the same one in half of the sets: three of four cells on average, and both of both in half.
    found = reached([STEADY, EITHER], 1)
    # Five standard deviations of a share of that many sets.
    tolerance = 5 * 0.5 / SETS**0.5
    assert found.within == (pytest.approx(0.75, abs=tolerance / 2),) * 2
    assert found.holds == pytest.approx(0.5, abs=tolerance)


def test_more_runs_leave_less_to_chance():
    # The median of n values spread evenly over 0.2 has a standard deviation of 0.2 / (2 sqrt(n)): with 300
    # runs on either side, the two differ by 4 % once in a million sets.
    assert reached([SPREAD], 1).holds < 0.6
    assert reached([SPREAD], 300).holds == 1.0


def test_the_time_that_it_takes_counts_every_run_of_a_cell_that_varies():
    assert reached([STEADY, SPREAD], 99).emulated_h == pytest.approx(1.0)


def test_a_sample_has_the_quantity_of_the_whole_cell_and_how_long_it_takes():
    # At an RTT of 40 ms a run has both cores to itself.
    sample = sample_of(simulated(CELL, engine_saying(1.0, 1.2), 6))
    assert (sample.values, sample.varies) == ((1.0, 1.2, 1.0, 1.2, 1.0, 1.2), True)
    assert sample.run_s == pytest.approx(1.1)


def test_the_page_has_a_row_for_each_number_of_runs():
    found = [measured(emulated=(1.0,))]
    rows = [
        Reached(runs=5, within=(0.8, 0.9), holds=0.0, emulated_h=1.54),
        Reached(runs=300, within=(0.98, 0.995), holds=0.99, emulated_h=80.0),
    ]
    lines = text_of(found, list(compared(found[0])), needed=rows).splitlines()
    assert "| 5 | 80.0% | 90.0% | 0% | 1.5 h |" in lines
    assert "| 300 | 98.0% | 99.5% | 99% | 80.0 h |" in lines
