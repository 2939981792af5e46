"""Changes of pairs: their interval holds the ratios that a paired t test does not reject."""

import numpy as np
import pytest
from scipy import stats

from bentpipe.stats.paired import (
    compare_pairs,
    least_pairs,
    paired_relative_change,
    paired_relative_difference,
)

RNG = np.random.default_rng(7)
BEFORE = RNG.normal(10, 2, 12)
NOW = 1.05 * BEFORE + RNG.normal(0, 0.2, 12)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
def test_the_ends_of_the_interval_are_the_ratios_that_a_t_test_just_rejects(confidence):
    found = paired_relative_difference(NOW, BEFORE, confidence=confidence)
    assert found.value == pytest.approx(NOW.mean() / BEFORE.mean() - 1)
    for end in (found.ci.low, found.ci.high):
        p = stats.ttest_1samp(NOW - (1 + end) * BEFORE, 0).pvalue
        assert p == pytest.approx(1 - confidence, rel=1e-6)


def test_values_that_are_the_same_have_changed_by_nothing_and_certainly():
    for found in (
        paired_relative_difference(BEFORE, BEFORE),
        paired_relative_change(BEFORE, BEFORE, share=0.5, seed=1),
    ):
        assert (found.value, found.ci.low, found.ci.high) == (0, 0, 0)


def test_a_share_more_in_every_pair_is_certain_however_the_pairs_scatter():
    # Three of these do not even tell that their mean is not zero.
    for before in (BEFORE, np.array([2.0, 3.0, 9.0])):
        found = paired_relative_difference(2 * before, before)
        assert (found.value, found.ci.low, found.ci.high) == pytest.approx((1, 1, 1))
    resampled = paired_relative_change(2 * BEFORE, BEFORE, share=0.5, seed=1)
    assert (resampled.value, resampled.ci.low, resampled.ci.high) == pytest.approx((1, 1, 1))


def test_one_pair_has_a_change_and_no_interval():
    for found in (
        paired_relative_difference([3.0], [2.0]),
        paired_relative_change([3.0], [2.0], share=0.5, seed=1),
    ):
        assert found.value == pytest.approx(0.5)
        assert found.ci is None


def test_a_reference_that_may_be_zero_bounds_nothing():
    assert paired_relative_difference([1.0, 1.0, 1.0], [-3.0, 0.5, 3.0]).ci is None
    zeros = [0.0] * 4 + [0.5] * 2 + [3.0] * 4
    assert paired_relative_change([1.0] * 10, zeros, share=0.5, seed=1).ci is None


def test_the_bootstrap_of_medians_holds_a_true_change_about_as_often_as_it_says():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        before = rng.lognormal(0, 0.5, 20)
        now = 1.1 * before * rng.lognormal(0, 0.1, 20)
        ci = paired_relative_change(now, before, share=0.5, seed=1).ci
        # Both medians are those of log-normal variables: their ratio is 1.1.
        held += ci.low <= 0.1 <= ci.high
    # 95 % of 200 with four standard deviations of a binomial: 190 less 12.
    assert held >= 178


def test_the_same_pairs_give_the_same_interval():
    first, second = (paired_relative_change(NOW, BEFORE, share=0.5, seed=5) for _ in range(2))
    assert first == second


def test_samples_of_different_lengths_are_no_pairs():
    with pytest.raises(ValueError, match="one length"):
        paired_relative_difference([1.0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("share", "confidence", "least"),
    # David, Nagaraja 2003, section 7.1; of the median the tables of the sign test, of 95 of 95 Wilks 1941.
    [(0.5, 0.95, 6), (0.5, 0.9, 5), (0.5, 0.99, 8), (0.95, 0.95, 59), (0.05, 0.95, 59), (0.75, 0.95, 11)],
)
def test_so_many_pairs_tell_a_quantile_whatever_their_distribution(share, confidence, least):
    assert least_pairs(share, confidence=confidence) == least


@pytest.mark.parametrize(("pairs", "has_interval"), [(2, False), (5, False), (6, True), (12, True)])
def test_so_few_pairs_that_their_range_misses_the_median_too_often_have_no_interval(pairs, has_interval):
    found = paired_relative_change(NOW[:pairs], BEFORE[:pairs], share=0.5, seed=1)
    assert (found.ci is not None) == has_interval
    assert found.value == pytest.approx(np.median(NOW[:pairs]) / np.median(BEFORE[:pairs]) - 1)


def test_few_pairs_of_one_ratio_leave_nothing_to_doubt():
    found = paired_relative_change([2.06, 3.09, 9.27], [2.0, 3.0, 9.0], share=0.5, seed=1)
    assert (found.ci.low, found.ci.high) == pytest.approx((0.03, 0.03))


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, float("nan")])
def test_of_extremes_no_number_of_pairs_tells_anything(share):
    with pytest.raises(ValueError, match="a share between 0 and 1"):
        least_pairs(share, confidence=0.95)


def test_means_that_differ_by_rounding_alone_do_not_differ():
    found = compare_pairs([0.1 + 0.2, 0.6], [0.3, 0.6])
    assert not found.is_significant
