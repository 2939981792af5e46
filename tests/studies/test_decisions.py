"""What decides a claim, from its verdicts under the rig and under each variant."""

import pytest

from bentpipe.model.scenario import ScenarioDocument, VariantDocument
from bentpipe.studies.decisions import Decided, decide, score
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Standing, Verdict

AGREES, DIFFERS, NOT_TESTABLE = Agreement.AGREES, Agreement.DIFFERS, Agreement.NOT_TESTABLE


def claim(agreement, *, standing=Standing.CLAIM, note=""):
    return Verdict(
        claim_id="x",
        claim="X",
        agreement=agreement,
        findings=(),
        source="Table 1",
        standing=standing,
        note=note,
    )


def variant(name, kind):
    scenario = ScenarioDocument(
        name="s", title="", description="", repetitions=1, seed=1, constants={}, cells=()
    )
    return VariantDocument(name=name, kind=kind, reason="", source="", parts=(), scenario=scenario)


def decided(base, *others):
    by_variant = [(variant(name, kind), [claim(agreement)]) for name, kind, agreement in others]
    (found,) = decide([base], by_variant)
    return found


def test_a_claim_that_agrees_rests_on_the_facts_without_which_it_does_not():
    found = decided(claim(AGREES), ("without-a", "without", DIFFERS), ("without-b", "without", AGREES))
    assert (found.decided, found.rests_on) == (Decided.AGREES, ("without-a",))


def test_an_ablation_that_makes_a_claim_agree_decides_it():
    found = decided(claim(DIFFERS), ("a", "ablation", AGREES), ("b", "ablation", DIFFERS))
    assert (found.decided, found.agrees_with) == (Decided.BY_ABLATION, ("a",))
    assert found.sentence == "decided by a"


def test_a_single_factor_is_named_before_combinations():
    found = decided(claim(DIFFERS), ("a+b", "together", AGREES), ("b", "ablation", AGREES))
    assert found.agrees_with == ("b",)


def test_present_software_decides_nothing_and_is_told_apart():
    found = decided(claim(DIFFERS), ("today", "today", AGREES))
    assert (found.decided, found.today) == (Decided.OPEN, AGREES)


def test_a_variant_that_cannot_be_judged_changes_nothing():
    assert decided(claim(AGREES), ("a", "ablation", NOT_TESTABLE)).rests_on == ()


@pytest.mark.parametrize("standing", [Standing.CALIBRATED, Standing.IMPOSSIBLE, Standing.PROPERTY])
def test_what_is_no_claim_does_not_count(standing):
    found = decided(claim(DIFFERS, standing=standing, note="9 + 1 > 9"), ("a", "ablation", AGREES))
    assert (found.decided, found.sentence) == (Decided.NOT_COUNTED, "9 + 1 > 9")


def test_the_score_counts_claims_alone():
    found = [
        decided(claim(AGREES)),
        decided(claim(DIFFERS), ("a", "ablation", AGREES)),
        decided(claim(DIFFERS)),
        decided(claim(DIFFERS, standing=Standing.IMPOSSIBLE)),
    ]
    counted = score(found)
    assert (counted.agree, counted.decided, counted.open, counted.impossible) == (1, 1, 1, 1)
    assert counted.possible == 3
    assert counted.decided_share == pytest.approx(2 / 3)
