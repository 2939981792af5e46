"""The jackknife against Student's interval, which it is for a mean of equal groups."""

import numpy as np
import pytest

from bentpipe.stats import jackknife_interval, mean_interval


def pooled_mean(runs):
    return float(np.mean(np.concatenate(runs)))


def test_for_the_mean_of_equal_runs_it_is_students_interval_of_their_means():
    runs = list(np.random.default_rng(2).normal(600, 15, (8, 50)))
    found = jackknife_interval(runs, pooled_mean)
    expected = mean_interval([run.mean() for run in runs])
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_it_holds_the_true_deviation_as_often_as_it_says():
    rng = np.random.default_rng(9)

    def deviation(runs):
        return float(np.std(np.concatenate(runs), ddof=1))

    intervals = [jackknife_interval(list(rng.normal(600, 15, (10, 40))), deviation) for _ in range(400)]
    # 20 expected, sd 4.4.
    assert 6 < sum(interval.excludes(15.0) for interval in intervals) < 36


def test_many_runs_are_joined_into_twenty_groups():
    calls = []

    def figure(runs):
        calls.append(len(runs))
        return pooled_mean(runs)

    jackknife_interval(list(np.ones((80, 3))), figure)
    assert calls == [80, *[76] * 20]


def test_one_run_has_no_interval():
    assert jackknife_interval([np.ones(3)], pooled_mean) is None


def test_a_figure_that_one_run_alone_gives_has_no_interval():
    def share_of_ones(runs):
        pooled = np.concatenate(runs)
        return float(np.mean(pooled == 1)) if len(pooled) else float("nan")

    assert jackknife_interval([np.ones(3), np.array([])], share_of_ones) is None
