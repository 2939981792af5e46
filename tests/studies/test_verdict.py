"""The rules of judgement, each with its negative control."""

import pytest

from bentpipe.stats import Interval
from bentpipe.studies import rules
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Measurement, judge, verdict

AGREES, DIFFERS, NOT_TESTABLE = Agreement.AGREES, Agreement.DIFFERS, Agreement.NOT_TESTABLE


def found(rule, percent, low, high):
    measurement = Measurement(percent=percent, ci=Interval(low=low, high=high), basis="some runs")
    return judge("label", measurement, rule)


@pytest.mark.parametrize(
    ("rule", "percent", "low", "high", "agreement"),
    [
        (rules.below, -20, -30, -10, AGREES),
        (rules.below, -20, -41, 1, DIFFERS),
        (rules.below, 20, 10, 30, DIFFERS),
        (rules.above, 20, 10, 30, AGREES),
        (rules.above, 20, -1, 41, DIFFERS),
        (rules.above, -20, -30, -10, DIFFERS),
        (rules.about(-55), -45.1, -50, -40, AGREES),
        (rules.about(-55), -44.9, -50, -40, DIFFERS),
        (rules.about(-55), -64.9, -70, -60, AGREES),
        (rules.about(-55), -55, -120, 10, DIFFERS),
        (rules.about(-55), 55, 50, 60, DIFFERS),
        (rules.alike, 1, -3, 5, AGREES),
        (rules.alike, 30, 20, 40, DIFFERS),
        (rules.alike, 1, -30, 32, NOT_TESTABLE),
        (rules.not_above, 1, -2, 4, AGREES),
        (rules.not_above, -40, -50, -30, AGREES),
        (rules.not_above, 3, 1, 5, DIFFERS),
        (rules.not_above, 3, -30, 36, NOT_TESTABLE),
        (rules.at_least(90), 95, 92, 98, AGREES),
        (rules.at_least(90), 80, 75, 85, DIFFERS),
        (rules.at_least(90), 91, 85, 97, NOT_TESTABLE),
        (rules.less_than(90), 30, 20, 40, AGREES),
        (rules.less_than(90), 95, 92, 98, DIFFERS),
        (rules.less_than(90), 91, 85, 97, NOT_TESTABLE),
    ],
)
def test_a_verdict_follows_from_number_and_interval_alone(rule, percent, low, high, agreement):
    assert found(rule, percent, low, high).agreement is agreement


def test_an_interval_that_includes_zero_is_called_no_significant_difference():
    assert found(rules.below, -20, -41, 1).sentence == "no significant difference"


def test_without_a_number_the_reason_is_given():
    finding = judge(
        "x", Measurement(percent=None, ci=None, basis="", gap="not measured: lan h1"), rules.below
    )
    assert (finding.agreement, finding.sentence) == (NOT_TESTABLE, "not measured: lan h1")


def test_without_an_interval_nothing_is_claimed():
    finding = judge("x", Measurement(percent=-50.0, ci=None, basis="1 run"), rules.below)
    assert finding.agreement is NOT_TESTABLE
    assert "two succeeded runs" in finding.sentence


def test_a_gap_is_told_beside_the_verdict():
    measurement = Measurement(
        percent=-50.0, ci=Interval(low=-60, high=-40), basis="", gap="only 2 of 4 pages measured"
    )
    assert judge("x", measurement, rules.below).sentence == "significantly below; only 2 of 4 pages measured"


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([AGREES, AGREES], AGREES),
        ([AGREES, DIFFERS], DIFFERS),
        ([AGREES, NOT_TESTABLE], NOT_TESTABLE),
        ([NOT_TESTABLE, DIFFERS], DIFFERS),
        ([], NOT_TESTABLE),
    ],
)
def test_a_claim_agrees_only_when_all_its_findings_do(parts, whole):
    numbers = {AGREES: (-20, -30, -10), DIFFERS: (20, 10, 30)}
    findings = [
        found(rules.below, *numbers[part])
        if part in numbers
        else judge("x", Measurement(percent=None, ci=None, basis=""), rules.below)
        for part in parts
    ]
    assert verdict("id", "claim", findings).agreement is whole


def test_a_direction_borne_out_by_less_than_the_smallest_effect_differs():
    finding = found(rules.below, -1.9, -2.0, -1.8)
    assert (finding.agreement, finding.sentence) == (DIFFERS, "significantly below, but by less than 2 %")


def test_a_difference_in_points_has_no_smallest_effect():
    assert found(rules.fewer, -0.3, -0.4, -0.2).agreement is AGREES
    assert found(rules.more, 0.3, 0.2, 0.4).agreement is AGREES


@pytest.mark.parametrize(
    ("percent", "reach", "published_reach", "agreement"),
    [
        (9, 1, 0, AGREES),
        (11, 0.5, 0, DIFFERS),
        (11, 2, 0, NOT_TESTABLE),
        (11, 0.5, 2, NOT_TESTABLE),
        (14, 3, 2, DIFFERS),
        (1, 25, 0, NOT_TESTABLE),
    ],
)
def test_near_knows_the_intervals_of_both(percent, reach, published_reach, agreement):
    """Hypotenuse of both half-widths: 14 - sqrt(3**2 + 2**2) = 10.4 lies beyond 10."""
    rule = rules.near(10, published_reach_percent=published_reach)
    assert found(rule, percent, percent - reach, percent + reach).agreement is agreement


def test_the_interval_of_a_published_mean_follows_from_its_deviation():
    """1.96 x 9.5 / sqrt(80) of 91 is 2.3 %: Table II of claypool2020, CUBIC."""
    number = PublishedNumber(
        value=91.0,
        unit="Mbit/s",
        source="Table II",
        margin_percent=10,
        margin_because="a level",
        sd=9.5,
        n=80,
    )
    assert number.reach_percent == pytest.approx(2.288, abs=0.001)
    assert number.text == "91 Mbit/s (sd 9.5)"
