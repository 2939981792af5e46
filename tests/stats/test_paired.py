"""Changes of pairs: their interval holds the ratios that a paired t test does not reject."""

import numpy as np
import pytest
from scipy import stats

from bentpipe.stats.paired import paired_relative_change, paired_relative_difference

RNG = np.random.default_rng(7)
BEFORE = RNG.normal(10, 2, 12)
NOW = 1.05 * BEFORE + RNG.normal(0, 0.2, 12)


def median(values, axis):
    return np.median(values, axis=axis)


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
        paired_relative_change(BEFORE, BEFORE, median, seed=1),
    ):
        assert (found.value, found.ci.low, found.ci.high) == (0, 0, 0)


def test_a_share_more_in_every_pair_is_certain_however_the_pairs_scatter():
    # Three of these do not even tell that their mean is not zero.
    for before in (BEFORE, np.array([2.0, 3.0, 9.0])):
        found = paired_relative_difference(2 * before, before)
        assert (found.value, found.ci.low, found.ci.high) == pytest.approx((1, 1, 1))
    resampled = paired_relative_change(2 * BEFORE, BEFORE, median, seed=1)
    assert (resampled.value, resampled.ci.low, resampled.ci.high) == pytest.approx((1, 1, 1))


def test_one_pair_has_a_change_and_no_interval():
    for found in (
        paired_relative_difference([3.0], [2.0]),
        paired_relative_change([3.0], [2.0], median, seed=1),
    ):
        assert found.value == pytest.approx(0.5)
        assert found.ci is None


def test_a_reference_that_may_be_zero_bounds_nothing():
    assert paired_relative_difference([1.0, 1.0, 1.0], [-3.0, 0.5, 3.0]).ci is None
    assert paired_relative_change([1.0, 1.0, 1.0], [0.0, 0.5, 3.0], median, seed=1).ci is None


def test_the_bootstrap_of_medians_holds_a_true_change_about_as_often_as_it_says():
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        before = rng.lognormal(0, 0.5, 20)
        now = 1.1 * before * rng.lognormal(0, 0.1, 20)
        ci = paired_relative_change(now, before, median, seed=1).ci
        # Both medians are those of log-normal variables: their ratio is 1.1.
        held += ci.low <= 0.1 <= ci.high
    # 95 % of 200 with four standard deviations of a binomial: 190 less 12.
    assert held >= 178


def test_the_same_pairs_give_the_same_interval():
    first, second = (paired_relative_change(NOW, BEFORE, median, seed=5) for _ in range(2))
    assert first == second


def test_samples_of_different_lengths_are_no_pairs():
    with pytest.raises(ValueError, match="one length"):
        paired_relative_difference([1.0], [1.0, 2.0])
