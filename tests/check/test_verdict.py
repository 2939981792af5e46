"""Whether limits are kept, of runs made by hand."""

import pytest

from bentpipe.check.budget import read_budgets
from bentpipe.check.runs import Run
from bentpipe.check.verdict import Verdict, compared, judged
from bentpipe.check.words import found_words, limit_words

CONFIDENCE = 0.95


def budget(tmp_path, limits, *, metric="plt_s", statistic="mean"):
    path = tmp_path / "budget.toml"
    path.write_text(
        f'[[budget]]\npage = "single-100k"\nlink = "lan"\nhttp = "h2"\nmetric = "{metric}"\n'
        f'statistic = "{statistic}"\n{limits}\n'
    )
    return read_budgets(path).budgets[0]


def runs(*values, metric="plt_s"):
    return [Run(seed=seed, metrics={metric: value}, load=None) for seed, value in enumerate(values)]


def against(of, now, before):
    return compared(of, of.cells[0], of.limits[0], now, before, confidence=CONFIDENCE)


@pytest.mark.parametrize(
    ("statistic", "found"), [("median", 3.0), ("mean", 4.0), ("min", 1.0), ("max", 10.0), ("p75", 4.0)]
)
def test_a_statistic_is_that_of_the_runs(tmp_path, statistic, found):
    of = budget(tmp_path, 'below = "5 s"', statistic=statistic)
    finding = judged(of, of.cells[0], of.limits[0], runs(1.0, 10.0, 3.0, 4.0, 2.0))
    assert finding.found == found
    assert finding.verdict is (Verdict.KEPT if found < 5 else Verdict.BROKEN)


def test_what_is_at_the_limit_is_neither_below_nor_above(tmp_path):
    for bound in ("below", "above"):
        of = budget(tmp_path, f'{bound} = "2 s"')
        assert judged(of, of.cells[0], of.limits[0], runs(2.0)).verdict is Verdict.BROKEN


def test_one_run_without_numbers_breaks_a_budget_with_its_reason(tmp_path):
    of = budget(tmp_path, 'below = "5 s"')
    failed = Run(seed=9, metrics={}, load=None, failure="timed out")
    finding = judged(of, of.cells[0], of.limits[0], [*runs(1.0), failed])
    assert finding.verdict is Verdict.BROKEN
    assert found_words(finding) == "1 of 2 runs have no numbers: timed out"


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.0, Verdict.KEPT), (1.029, Verdict.KEPT), (1.031, Verdict.BROKEN)]
)
def test_a_change_of_every_pair_is_judged_to_the_tenth_of_a_percent_and_certain(tmp_path, factor, verdict):
    of = budget(tmp_path, 'regression = "3 %"')
    before = (2.0, 3.0, 9.0)
    finding = against(of, runs(*(factor * value for value in before)), runs(*before))
    assert (finding.verdict, finding.is_certain) == (verdict, True)
    assert finding.change.value == pytest.approx(factor - 1)
    assert limit_words(of, of.limits[0]) == "at most 3 % worse"


def test_a_change_whose_interval_has_the_limit_within_it_is_not_certain(tmp_path):
    of = budget(tmp_path, 'regression = "3 %"')
    finding = against(of, runs(2.0, 2.4, 2.2), runs(2.0, 2.1, 2.3))
    # A mean of 2.2 s after 2.133 s is 3.1 % more, and the pairs scatter by more.
    assert (finding.verdict, finding.is_certain) == (Verdict.BROKEN, False)
    assert found_words(finding).endswith("(3 runs each, not certain)")


def test_a_quantile_of_so_few_pairs_is_not_certain_however_far_it_is_from_the_limit(tmp_path):
    of = budget(tmp_path, 'regression = "3 %"', statistic="median")
    # Of three pairs the range misses the median in a quarter of all cases: 1 - 2 (1/2)^3 = 75 %.
    few = against(of, runs(3.0, 3.4, 3.2), runs(2.0, 2.1, 2.3))
    assert (few.verdict, few.is_certain, few.change.ci) == (Verdict.BROKEN, False, None)
    assert found_words(few).endswith("(3 runs each, not certain: median needs 6)")
    before = [2.0 + number / 10 for number in range(10)]
    many = against(of, runs(*(1.5 * each + each**2 / 100 for each in before)), runs(*before))
    assert (many.verdict, many.is_certain) == (Verdict.BROKEN, True)


def test_less_of_what_is_better_high_is_worse(tmp_path):
    of = budget(tmp_path, 'regression = "3 %"', metric="goodput_bps")
    less = against(of, runs(0.9e6, metric="goodput_bps"), runs(1e6, metric="goodput_bps"))
    more = against(of, runs(1.1e6, metric="goodput_bps"), runs(1e6, metric="goodput_bps"))
    assert (less.verdict, more.verdict) == (Verdict.BROKEN, Verdict.KEPT)
    assert less.change.value == pytest.approx(0.1)


def test_something_after_nothing_is_worse_and_nothing_after_nothing_is_not(tmp_path):
    of = budget(tmp_path, 'regression = "3 %"', metric="retransmitted_packets")
    nothing, some = (runs(value, metric="retransmitted_packets") for value in (0.0, 4.0))
    assert against(of, some, nothing).verdict is Verdict.BROKEN
    assert against(of, nothing, nothing).verdict is Verdict.KEPT
