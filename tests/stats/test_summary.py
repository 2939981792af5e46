"""Summaries against NIST's certified values, and what small samples may not say."""

import pytest

from bentpipe.stats import representative, summarise

# NIST Statistical Reference Datasets, univariate, NumAcc1: certified mean 10000002, standard deviation 1.
NUM_ACC_1 = [10_000_001.0, 10_000_003.0, 10_000_002.0]


def test_mean_and_standard_deviation_are_those_certified_by_nist():
    summary = summarise(NUM_ACC_1, seed=1)
    assert (summary.n, summary.mean, summary.sd, summary.median) == (3, 10_000_002.0, 1.0, 10_000_002.0)


def test_no_value_has_no_summary():
    assert summarise([], seed=1) is None


def test_one_value_has_neither_spread_nor_interval():
    summary = summarise([2.5], seed=1)
    assert (summary.mean, summary.median) == (2.5, 2.5)
    assert summary.sd is summary.mean_ci is summary.median_ci is None


def test_two_values_have_an_interval_of_the_mean_only():
    summary = summarise([2.0, 3.0], seed=1)
    # Student's t at 97.5 % with one degree of freedom is 12.706; sd / sqrt(2) is 0.5.
    assert summary.mean_ci.high == pytest.approx(2.5 + 12.7062 * 0.5, abs=1e-4)
    assert summary.median_ci is None


def test_the_representative_is_the_run_with_the_median():
    assert representative([3.0, 9.0, 4.0]) == 2


def test_of_an_even_number_the_lower_middle_one_is_the_representative():
    assert representative([4.0, 1.0, 3.0, 2.0]) == 3


def test_an_empty_sample_has_no_representative():
    with pytest.raises(ValueError, match="empty"):
        representative([])
