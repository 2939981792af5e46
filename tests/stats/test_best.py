"""The best of several cells: by hand, against scipy, and how often the truth is among those marked."""

import numpy as np
import pytest
from scipy import stats

from bentpipe.stats import rank

FAST, SLOW = [1.00, 1.01, 0.99, 1.00], [1.50, 1.52, 1.48, 1.50]


def cells_of(ranking):
    return [each.cell for each in ranking.contenders]


def test_the_best_stands_first_and_the_others_follow_in_the_order_of_their_means():
    samples = {"slow": SLOW, "fast": FAST, "between": [1.2, 1.21, 1.19, 1.2]}
    assert cells_of(rank(samples, is_lower_better=True)) == ["fast", "between", "slow"]
    assert cells_of(rank(samples, is_lower_better=False)) == ["slow", "between", "fast"]


def test_how_far_behind_one_is_counts_from_the_best():
    # 1.5 s are 50 % above 1.0 s.
    found = rank({"fast": FAST, "slow": SLOW}, is_lower_better=True).contenders[1]
    assert found.behind.value == pytest.approx(0.5)
    assert found.behind.ci.low < 0.5 < found.behind.ci.high
    assert (found.n, found.mean, found.is_among_best) == (4, pytest.approx(1.5), False)


def test_what_differs_by_less_than_its_spread_is_among_the_best():
    near = [1.00, 1.02, 0.99, 1.01]
    ranking = rank({"fast": FAST, "near": near, "slow": SLOW}, is_lower_better=True)
    assert stats.ttest_ind(FAST, near, equal_var=False).pvalue > 0.05
    assert [each.cell for each in ranking.among_best] == ["fast", "near"]
    assert not ranking.is_clear


def test_what_pairs_have_in_common_hides_no_difference_between_them():
    # What is random reaches from 1 to 5 s and is the same for both; one is 0.1 s slower, give or take 0.02 s.
    common, apart = np.array([1.0, 5.0, 2.0, 3.0, 4.0]), np.array([0.1, 0.12, 0.08, 0.1, 0.11])
    samples = {"a": common.tolist(), "b": (common + apart).tolist()}
    assert (
        stats.ttest_rel(samples["a"], samples["b"]).pvalue < 0.05 < stats.ttest_ind(*samples.values()).pvalue
    )
    numbers = {"a": range(5), "b": range(5)}
    assert not rank(samples, is_lower_better=True).is_clear
    assert rank(samples, is_lower_better=True, pairs=numbers).is_clear


def test_values_without_a_partner_stay_out_of_the_comparison():
    samples = {"a": [1.0, 2.0, 3.0], "b": [9.0, 1.1, 2.1, 3.2]}
    whole = rank(samples, is_lower_better=True, pairs={"a": [1, 2, 3], "b": [0, 1, 2, 3]})
    in_pairs = rank(
        {"a": [1.0, 2.0, 3.0], "b": [1.1, 2.1, 3.2]},
        is_lower_better=True,
        pairs={"a": [1, 2, 3], "b": [1, 2, 3]},
    )
    assert whole.contenders[1].behind == in_pairs.contenders[1].behind
    strangers = rank(samples, is_lower_better=True, pairs={"a": [4, 5, 6], "b": [0, 1, 2, 3]})
    assert strangers.contenders[1].behind is None and not strangers.is_clear


def test_each_of_several_comparisons_is_at_its_share_of_the_level():
    # Welch's test tells a from b at 5 % but not at 0.5 %: alone they differ, beside nine others they do not.
    rng = np.random.default_rng(11)
    a, b = rng.normal(10, 1, 12).tolist(), rng.normal(11.1, 1, 12).tolist()
    assert 0.005 < stats.ttest_ind(a, b, equal_var=False).pvalue < 0.05
    far = {f"far-{n}": (np.asarray(a) + 50 + n).tolist() for n in range(9)}
    assert rank({"a": a, "b": b}, is_lower_better=True).is_clear
    assert [each.cell for each in rank({"a": a, "b": b, **far}, is_lower_better=True).among_best] == [
        "a",
        "b",
    ]


def test_the_truly_best_is_among_those_marked_in_ninety_five_of_a_hundred_campaigns():
    # Six cells of equal means, of which any may be called the best: the hardest case.
    rng = np.random.default_rng(3)
    campaigns = rng.normal(10, 1, (400, 6, 5))
    rankings = [rank(dict(enumerate(cells.tolist())), is_lower_better=True) for cells in campaigns]
    left_out = sum(0 not in {each.cell for each in ranking.among_best} for ranking in rankings)
    # At most 5 % of 400 expected, standard deviation 4.4.
    assert left_out < 33


def test_without_spread_any_difference_is_significant_and_equal_values_are_none():
    ranking = rank({"a": [1.0] * 3, "b": [1.1] * 3, "c": [1.0] * 7}, is_lower_better=True)
    assert [each.cell for each in ranking.among_best] == ["a", "c"]
    # 0.1 is added ten times to what is not one in binary.
    assert len(rank({"a": [0.1] * 3, "b": [0.1] * 10}, is_lower_better=True).among_best) == 2


def test_single_runs_tell_nothing_apart():
    ranking = rank({"a": [1.0], "b": [2.0]}, is_lower_better=True)
    assert [each.is_among_best for each in ranking.contenders] == [True, True]
    assert ranking.contenders[1].behind.ci is None


def test_a_best_of_zero_is_told_from_what_is_above_it():
    # No lost pings against some: no relative difference, but Welch's interval.
    ranking = rank({"none": [0.0] * 5, "some": [0.05, 0.06, 0.04, 0.05, 0.05]}, is_lower_better=True)
    assert ranking.is_clear
    assert ranking.contenders[1].behind is None


def test_cells_without_a_value_are_left_out():
    assert cells_of(rank({"empty": [], "a": [1.0, 2.0]}, is_lower_better=True)) == ["a"]
    assert rank({"empty": []}, is_lower_better=True) is None
    assert not rank({"a": [1.0, 2.0]}, is_lower_better=True).is_clear
