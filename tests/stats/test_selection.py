"""Selecting the least of many means: against scipy's Welch interval, and by the promise of the subsets."""

import math

import numpy as np
import pytest
from scipy import stats

from bentpipe.stats import Estimate, bounds_above, log_estimate, mean_estimate, pooled_spread

ALPHA = 0.05


def samples(rng, means, *, runs, spread):
    return [np.exp(rng.normal(math.log(mean), spread, runs)).tolist() for mean in means]


def test_of_many_runs_the_bounds_are_welchs_on_logarithms():
    rng = np.random.default_rng(3)
    quiet, noisy = np.exp(rng.normal(1.0, 0.01, 12)), np.exp(rng.normal(1.05, 0.1, 9))
    pooled = pooled_spread([quiet, noisy])
    found = bounds_above(log_estimate(noisy, pooled), log_estimate(quiet, pooled), alpha=ALPHA)
    welch = stats.ttest_ind(np.log(noisy), np.log(quiet), equal_var=False).confidence_interval(1 - 2 * ALPHA)
    assert found.low == pytest.approx(math.expm1(welch.low))
    assert found.high == pytest.approx(math.expm1(welch.high))


def test_of_few_runs_that_happen_to_be_alike_the_spread_of_all_counts():
    alike, others = [5.0, 5.0], [[5.0, 5.5], [6.0, 5.4], [5.1, 5.8]]
    pooled = pooled_spread([alike, *others])
    # The mean of the squared half-widths of the logarithms, two for each degree of freedom.
    expected = sum(math.log(a / b) ** 2 / 2 for a, b in others) / 4
    assert pooled.variance == pytest.approx(expected)
    assert log_estimate(alike, pooled).variance == pytest.approx(expected / 2)
    assert log_estimate(alike, pooled).freedom == 4


@pytest.mark.parametrize("runs", [2, 4, 16])
def test_the_least_of_equal_means_falls_out_no_more_often_than_promised(runs):
    rng = np.random.default_rng(runs)
    candidates, campaigns, fallen = 20, 400, 0
    for _ in range(campaigns):
        # Equal means are the least favourable case (Gupta 1965); the first stands for the truly least one.
        drawn = samples(rng, [5.0] * candidates, runs=runs, spread=0.03)
        pooled = pooled_spread(drawn)
        estimates = [log_estimate(sample, pooled) for sample in drawn]
        leader = min(estimates, key=lambda each: each.mean)
        above = bounds_above(estimates[0], leader, alpha=ALPHA / (candidates - 1))
        fallen += estimates[0] is not leader and above.low > 0
    # At most 20 expected of 400, with a standard deviation of 4.4.
    assert fallen <= 20 + 3 * 4.4


def test_a_mean_far_above_falls_out_after_two_runs_of_each():
    rng = np.random.default_rng(8)
    drawn = samples(rng, [5.0, *[8.0] * 100], runs=2, spread=0.03)
    pooled = pooled_spread(drawn)
    estimates = [log_estimate(sample, pooled) for sample in drawn]
    lows = [bounds_above(each, estimates[0], alpha=ALPHA / 100).low for each in estimates[1:]]
    assert min(lows) > 0


def test_a_mean_over_links_has_the_variance_of_a_mean_of_independent_ones():
    both = mean_estimate(
        [Estimate(mean=1.0, variance=0.04, freedom=9), Estimate(mean=2.0, variance=0.0, freedom=9)]
    )
    # (0.04 + 0) / 2^2, all of it from the first one.
    assert (both.mean, both.variance, both.freedom) == pytest.approx((1.5, 0.01, 9))


def test_runs_without_any_spread_are_compared_exactly():
    pooled = pooled_spread([[2.0, 2.0], [2.2, 2.2]])
    slow, fast = (log_estimate([time_s] * 2, pooled) for time_s in (2.2, 2.0))
    above = bounds_above(slow, fast, alpha=ALPHA)
    assert (above.low, above.high) == pytest.approx((0.1, 0.1))
