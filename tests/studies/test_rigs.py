"""Rigs and ablations: each fact and each factor has a source, and none of them is a result."""

import re

import pytest

from bentpipe import studies
from bentpipe.campaign.variants import variants
from bentpipe.scenario import Clock, load
from bentpipe.scenario.rig import SourceKind
from bentpipe.studies.verdict import Standing

PLACE = re.compile(r"\b(?:Table|Tables|Fig\.|Figs\.|Figure|Figures) ?(\w+)")
"""A table or figure of a paper."""

NAMES = studies.names()


def places(text):
    return set(PLACE.findall(text))


@pytest.mark.parametrize("name", NAMES)
def test_every_fact_and_every_ablation_says_where_it_comes_from(name):
    study = studies.get(name)
    assert all(len(fact.source) > 5 and len(fact.statement) > 20 for fact in study.rig.facts)
    for ablation in study.ablations.ablations:
        assert len(ablation.source) > 5
        assert len(ablation.reason) > 20


@pytest.mark.parametrize("name", NAMES)
def test_no_fact_comes_from_a_result_of_the_study(name):
    """No figure or table that a claim is judged on is the source of a fact."""
    study = studies.get(name)
    results = set()
    for verdict in study.claims(()):
        if verdict.standing is Standing.CLAIM:
            results |= places(verdict.source)
    for fact in study.rig.facts:
        if fact.kind is SourceKind.PAPER:
            assert not places(fact.source) & results, fact.name


@pytest.mark.parametrize("name", NAMES)
def test_every_variant_of_a_study_is_a_scenario(name):
    study = studies.get(name)
    base = load(study.scenario, clock=Clock.VIRTUAL)
    for variant in variants(study.rig, study.ablations, engine="simulate"):
        scenario = load(study.scenario, clock=Clock.VIRTUAL, variations=variant.variations)
        assert [cell.factors for cell in scenario.cells] == [cell.factors for cell in base.cells]


@pytest.mark.parametrize("name", NAMES)
def test_every_fact_with_settings_changes_some_cell(name):
    study = studies.get(name)
    for fact in study.rig.facts:
        if fact.variation is None:
            continue
        cells = load(study.scenario, clock=Clock.VIRTUAL, variations=study.rig.variations).cells
        without = load(
            study.scenario, clock=Clock.VIRTUAL, variations=study.rig.without(fact.name).variations
        ).cells
        assert any(one.spec != other.spec for one, other in zip(cells, without, strict=True)), fact.name


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_says_where_the_publication_makes_it(name):
    verdicts = studies.get(name).claims(())
    assert len({each.claim_id for each in verdicts}) == len(verdicts)
    assert [each.claim_id for each in verdicts if not each.source] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_does_not_count_says_why(name):
    for each in studies.get(name).claims(()):
        assert each.standing is Standing.CLAIM or each.note, each.claim_id
