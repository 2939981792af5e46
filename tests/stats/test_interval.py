"""Intervals against values published elsewhere, with negative controls."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from bentpipe.stats import Interval, Moments, mean_interval, median_interval, moments_interval
from bentpipe.stats.interval import MOST_RESAMPLED, RESAMPLES

# The ten paired differences of R's data set `sleep` (Student 1908). R's documented output of
# t.test(extra ~ group, data = sleep, paired = TRUE): mean -1.58, interval -2.4598858 to -0.7001142.
SLEEP_DIFFERENCES = [-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4]

# Efron, Tibshirani 1993, table 2.1: survival in days of the seven treated mice.
MOUSE_DAYS = [94, 197, 16, 38, 99, 141, 23]


def exact_bootstrap_medians(values):
    """Every equally likely resample of a small sample, so that no random number is involved."""
    return sorted(float(np.median(resample)) for resample in itertools.product(values, repeat=len(values)))


def test_the_interval_of_the_mean_is_the_one_r_prints_for_the_sleep_data():
    interval = mean_interval(SLEEP_DIFFERENCES)
    assert interval.low == pytest.approx(-2.4598858, abs=5e-8)
    assert interval.high == pytest.approx(-0.7001142, abs=5e-8)


def test_the_interval_of_the_mean_widens_with_the_confidence():
    narrow, wide = (mean_interval(SLEEP_DIFFERENCES, confidence=c) for c in (0.90, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_one_value_has_no_interval_of_the_mean():
    assert mean_interval([4.2]) is None


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0]])
def test_fewer_than_three_values_have_no_interval_of_the_median(values):
    assert median_interval(values, seed=1) is None


def test_the_interval_of_the_median_of_three_is_their_range_as_all_27_resamples_say():
    exact = exact_bootstrap_medians([5.0, 7.0, 12.0])
    assert np.quantile(exact, [0.025, 0.975]).tolist() == [5.0, 12.0]
    interval = median_interval([5.0, 7.0, 12.0], seed=1)
    assert (interval.low, interval.high) == (5.0, 12.0)


def test_the_interval_of_the_median_of_the_mouse_data_is_that_of_the_exact_bootstrap_distribution():
    # The median of a resample of 7 is at most the i-th smallest value when at least 4 of its draws are among
    # the i smallest (Efron 1982, chapter 10): P(i = 1) = 0.0102, P(i = 2) = 0.0981, so 23 to 141.
    at_most = [float(stats.binom.sf(3, 7, i / 7)) for i in range(1, 8)]
    ordered = sorted(MOUSE_DAYS)
    low = ordered[next(i for i, p in enumerate(at_most) if p > 0.025)]
    high = ordered[next(i for i, p in enumerate(at_most) if p > 0.975)]
    assert (low, high) == (23, 141)
    interval = median_interval(MOUSE_DAYS, seed=7)
    assert (interval.low, interval.high) == (23, 141)


def test_the_seed_alone_decides_the_interval_of_the_median():
    values = np.random.default_rng(3).normal(size=MOST_RESAMPLED).tolist()
    assert median_interval(values, seed=5) == median_interval(values, seed=5)
    assert len({median_interval(values, seed=seed) for seed in range(10)}) > 1


def test_the_interval_of_the_mean_holds_the_true_mean_as_often_as_it_says():
    draws = np.random.default_rng(11).normal(10.0, 2.0, size=(4000, 3))
    misses = sum(mean_interval(row.tolist()).excludes(10.0) for row in draws)
    # Binomial with p = 0.05: 4000 draws give 200 misses, sd 13.8; four of them on either side.
    assert 145 < misses < 255


def test_the_interval_of_the_median_of_three_holds_the_median_in_three_of_four_samples_not_in_95_percent():
    draws = np.random.default_rng(12).normal(size=(400, 3))
    misses = sum(median_interval(row.tolist(), seed=1).excludes(0.0) for row in draws)
    # 1 - 2^(1 - 3) = 0.75 as the docstring says; 100 misses, standard deviation 8.7.
    assert 65 < misses < 135


def test_an_interval_knows_what_it_excludes_and_where_it_lies():
    interval = Interval(low=-0.2, high=0.1)
    assert not interval.excludes(0.0)
    assert not interval.excludes(-0.2)
    assert interval.excludes(0.11)
    assert interval.within(-0.2, 0.1)
    assert not interval.within(-0.1, 0.5)
    assert interval.scaled(100) == Interval(low=-20, high=10)


@pytest.mark.parametrize("n", [MOST_RESAMPLED + 1, 2000, 9999])
def test_of_many_values_the_interval_of_the_median_lies_between_two_of_them(n):
    # By the definition, in whole numbers: at most 2.5 % of the 2^n ways to fall below or above the median
    # leave less than `rank` values below it.
    ways, rank = 0, 0
    while 40 * (ways + math.comb(n, rank)) <= 2**n:
        ways += math.comb(n, rank)
        rank += 1
    values = np.random.default_rng(1).permutation(np.arange(1.0, n + 1))
    interval = median_interval(values, seed=1)
    assert (interval.low, interval.high) == (rank, n + 1 - rank)


def test_the_interval_of_the_median_is_the_bootstraps_where_that_ends():
    values = np.random.default_rng(2).normal(0.6, 0.02, MOST_RESAMPLED + 1)
    resampled, between = (median_interval(some, seed=1) for some in (values[:-1], values))
    width = resampled.high - resampled.low
    assert abs(between.low - resampled.low) < 0.2 * width
    assert abs(between.high - resampled.high) < 0.2 * width


@pytest.mark.parametrize("length", [3, 4, 5, 6, 7, 30, 31, MOST_RESAMPLED])
def test_the_interval_of_a_median_is_the_percentile_bootstrap_of_scipy_to_the_last_bit(length):
    """Also of values some of which are equal, as times of a simulator are."""
    drawn = np.random.default_rng(length)
    for values in (drawn.lognormal(size=length), np.round(drawn.normal(size=length), 1)):
        theirs = stats.bootstrap(
            (values,),
            np.median,
            n_resamples=RESAMPLES,
            confidence_level=0.95,
            method="percentile",
            vectorized=True,
            rng=np.random.default_rng(7),
        ).confidence_interval
        ours = median_interval(values.tolist(), seed=7)
        assert (ours.low, ours.high) == (float(theirs.low), float(theirs.high))


def test_the_interval_of_values_that_were_not_kept_is_that_of_the_values():
    moments = Moments()
    assert moments_interval(moments) is None
    for count, value in enumerate(SLEEP_DIFFERENCES, start=1):
        moments.add(value)
        if count > 1:
            expected = mean_interval(SLEEP_DIFFERENCES[:count])
            found = moments_interval(moments)
            assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_a_small_spread_of_great_values_is_not_lost():
    # A sum of squares would lose it: 1e9 squared has 60 bits. Of 0, 1 and 2 the deviation is 1.
    moments = Moments()
    for value in (1e9, 1e9 + 1, 1e9 + 2):
        moments.add(value)
    assert (moments.mean, moments.sd) == (1e9 + 1, 1.0)
