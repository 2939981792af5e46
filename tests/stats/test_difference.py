"""Relative differences against the R package mratios and scipy's Welch test, with negative controls."""

import numpy as np
import pytest
from scipy import stats

from bentpipe.stats import absolute_difference, compare, mean_relative_difference, relative_difference

# R: set.seed(12345); rnorm(5, 1, 1) and rnorm(5, 2, 1).
A = (1 + np.array([0.5855288, 0.7094660, -0.1093033, -0.4534972, 0.6058875])).tolist()
B = (2 + np.array([-1.8179560, 0.6300986, -0.2761841, -0.2841597, -0.9193220])).tolist()


def test_the_interval_is_the_one_that_mratios_prints():
    # mratios::t.test.ratio(a1, a2): ratio 0.8643849, 95 percent confidence interval 0.4056763 2.6170008.
    difference = relative_difference(A, B)
    assert difference.value + 1 == pytest.approx(0.8643849, abs=1e-7)
    assert difference.ci.low + 1 == pytest.approx(0.4056763, abs=1e-6)
    assert difference.ci.high + 1 == pytest.approx(2.6170008, abs=1e-6)


def test_the_interval_excludes_zero_when_welchs_test_is_clear_and_holds_it_when_it_is_not():
    rng = np.random.default_rng(5)
    far = relative_difference(rng.normal(5, 0.2, 6).tolist(), rng.normal(8, 0.3, 6).tolist())
    assert far.ci.excludes(0)
    assert far.ci.high < 0
    same = rng.normal(5, 0.2, (2, 6))
    assert stats.ttest_ind(*same, equal_var=False).pvalue > 0.2
    assert not relative_difference(*same.tolist()).ci.excludes(0)


def test_of_equal_means_one_in_twenty_is_called_different():
    rng = np.random.default_rng(21)
    pairs = rng.normal(10, 1, (3000, 2, 3))
    wrong = sum(relative_difference(a.tolist(), b.tolist()).ci.excludes(0) for a, b in pairs)
    # Welch's test with three values each is slightly conservative: at most 150 expected, sd 12.
    assert 60 < wrong < 200


def test_a_reference_around_zero_leaves_the_difference_unbounded():
    assert relative_difference([1.0, 2.0, 3.0], [-1.0, 0.5, 1.1]).ci is None


def test_one_value_gives_a_difference_without_interval():
    difference = relative_difference([3.0], [4.0, 4.0])
    assert difference.value == pytest.approx(-0.25)
    assert difference.ci is None


def test_samples_without_spread_have_an_interval_of_one_point():
    difference = relative_difference([3.0, 3.0], [4.0, 4.0])
    assert (difference.ci.low, difference.ci.high) == pytest.approx((-0.25, -0.25))


def test_means_differ_significantly_where_the_interval_does_not_hold_zero():
    assert compare([3.0, 3.1, 2.9], [4.0, 4.1, 3.9]).is_significant
    assert not compare([3.0, 4.0, 5.0], [3.1, 4.2, 4.9]).is_significant


def test_single_values_and_equal_ones_do_not_differ_significantly():
    assert not compare([3.0], [4.0, 4.0]).is_significant
    # 0.1 is added ten times to what is not one in binary.
    assert not compare([0.1] * 10, [0.1] * 3).is_significant
    assert compare([0.2] * 2, [0.1] * 2).is_significant


def test_where_the_reference_may_be_zero_the_difference_itself_decides():
    # Fieller's set is unbounded there, Welch's interval is not: 10 against 0.5, standard deviations below 1.
    found = compare([10.0, 10.5, 9.5], [-0.3, 0.5, 1.3])
    assert found.relative.ci is None
    assert found.is_significant
    assert compare([1.0, 1.1], [0.0, 0.0]).relative is None


def test_one_stratum_is_the_plain_difference():
    assert mean_relative_difference([(A, B)]) == relative_difference(A, B)


def test_strata_weigh_the_same_whatever_their_size_in_seconds():
    quick = ([0.9, 0.9, 0.9], [1.0, 1.0, 1.0])
    slow = ([70.0, 70.0, 70.0], [100.0, 100.0, 100.0])
    assert mean_relative_difference([quick, slow]).value == pytest.approx(-0.2)


def test_the_interval_over_strata_holds_the_true_mean_difference_as_often_as_it_says():
    rng = np.random.default_rng(8)
    misses = 0
    for _ in range(2000):
        strata = [
            (rng.normal(7 * k, 0.1 * k, 3).tolist(), rng.normal(10 * k, 0.2 * k, 3).tolist())
            for k in (1, 2, 3, 4)
        ]
        misses += mean_relative_difference(strata).ci.excludes(-0.3)
    # 100 expected, sd 9.7; Satterthwaite's approximation is a little off with two degrees each.
    assert 50 < misses < 150


def test_a_stratum_with_one_run_leaves_the_mean_without_interval():
    assert mean_relative_difference([(A, B), ([1.0], [2.0, 2.1])]).ci is None


def test_no_stratum_is_an_error():
    with pytest.raises(ValueError, match="no strata"):
        mean_relative_difference([])


def test_the_absolute_difference_has_the_interval_of_scipys_welch_test():
    value, ci = absolute_difference(A, B)
    expected = stats.ttest_ind(A, B, equal_var=False).confidence_interval()
    assert value == pytest.approx(np.mean(A) - np.mean(B))
    assert (ci.low, ci.high) == pytest.approx((expected.low, expected.high))
    assert absolute_difference([1.0], B)[1] is None
