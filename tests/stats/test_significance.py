"""t and d against claypool2020's own: its means and standard deviations of 80 downloads give its t and d."""

import math

import numpy as np
import pytest
from scipy import stats

from bentpipe.stats import Phase, t_test
from bentpipe.studies.claypool2020 import published

PAIRS = [(phase, control) for phase, row in published.TESTS.items() for control in row]


def sample(cell, *, n=published.DOWNLOADS):
    """A sample that has exactly this mean and standard deviation."""
    shape = np.random.default_rng(n).normal(size=n)
    return (cell.value + cell.sd * (shape - shape.mean()) / shape.std(ddof=1)).tolist()


def against_cubic(phase, control):
    row = published.THROUGHPUT_MBPS[phase]
    return t_test(sample(row[control]), sample(row["cubic"]), comparisons=3)


@pytest.mark.parametrize(("phase", "control"), PAIRS)
def test_the_published_means_give_the_published_t(phase, control):
    # Means and deviations are printed with one decimal, t with two or three digits.
    assert abs(against_cubic(phase, control).t) == pytest.approx(published.TESTS[phase][control].t, rel=3e-3)


@pytest.mark.parametrize(("phase", "control"), PAIRS)
def test_the_published_means_give_the_published_effect_size(phase, control):
    expected = published.TESTS[phase][control].d
    # Printed with one or two decimals, and 5 and 12 with none.
    rounding = 0.5 if expected == int(expected) else 0.05
    assert abs(against_cubic(phase, control).d) == pytest.approx(expected, abs=rounding)


@pytest.mark.parametrize(("phase", "control"), PAIRS)
def test_the_published_means_give_the_published_probability(phase, control):
    expected = published.TESTS[phase][control].p
    found = against_cubic(phase, control).p
    if expected is None:
        assert found < 0.0001
    else:
        assert found == pytest.approx(expected, abs=1.1e-4)


def test_the_probability_is_that_of_scipy():
    rng = np.random.default_rng(3)
    a, b = rng.normal(10, 1, 12).tolist(), rng.normal(10.4, 1.5, 9).tolist()
    expected = stats.ttest_ind(a, b)
    found = t_test(a, b, comparisons=1)
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_effect_size_and_t_tell_the_direction():
    assert against_cubic(Phase.STEADY, "bbr").t < 0 < against_cubic(Phase.STEADY, "hybla").t
    assert against_cubic(Phase.STEADY, "bbr").d < 0 < against_cubic(Phase.STEADY, "hybla").d


def test_bonferroni_divides_the_level_by_the_comparisons():
    # Steady state, Hybla: p = 0.0129 is below 0.05 / 3 and above 0.05 / 9.
    row = published.THROUGHPUT_MBPS[Phase.STEADY]
    samples = [sample(row[control]) for control in ("hybla", "cubic")]
    assert t_test(*samples, comparisons=3).is_significant
    assert not t_test(*samples, comparisons=9).is_significant


def test_of_equal_means_one_in_twenty_is_called_different_without_correction():
    rng = np.random.default_rng(11)
    found = [t_test(*rng.normal(5, 1, (2, 8)).tolist(), comparisons=1) for _ in range(2000)]
    # 100 expected, sd 9.7.
    assert 60 < sum(test.is_significant for test in found) < 140


@pytest.mark.parametrize("pair", [([1.0], [2.0, 3.0]), ([], []), ([2.0, 2.0], [3.0, 3.0])])
def test_without_two_values_or_any_spread_there_is_no_test(pair):
    assert t_test(*pair, comparisons=1) is None


def test_the_pooled_deviation_weighs_by_degrees_of_freedom():
    # Sums of squares 2 and 36, degrees of freedom 1 and 3; the means differ by 5.
    found = t_test([0.0, 2.0], [3.0, 3.0, 9.0, 9.0], comparisons=1)
    assert found.d == pytest.approx((1 - 6) / math.sqrt((2 + 36) / 4))
