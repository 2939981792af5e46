"""The tables of docs/studies are those of the kept results, and the kept results those of the claims."""

import pytest

from bentpipe import studies
from tests.tidy.project import ROOT
from tools import block
from tools.study_pages import emulation, emulation_page, kept, page, scores

EMULATED = sorted(path.stem for path in (ROOT / emulation.FOLDER).glob("*.json"))
KEPT = sorted(path.stem for path in (ROOT / kept.FOLDER).glob("*.json"))


@pytest.mark.parametrize("name", KEPT)
def test_a_page_shows_the_kept_results(name):
    study = kept.read(name, ROOT / kept.FOLDER)
    assert block.shown(ROOT / kept.page_of(name), page.MARK) == list(page.lines(study))


def test_the_first_page_of_the_studies_has_their_scores():
    every = kept.every(ROOT / kept.FOLDER)
    assert [each.name for each in every] == sorted(studies.names())
    assert block.shown(ROOT / kept.page_of(scores.PAGE), scores.MARK) == list(scores.lines(every))


@pytest.mark.parametrize("name", EMULATED)
def test_a_page_shows_what_the_real_kernel_made_of_the_short_matrix(name):
    found = emulation.load(name, ROOT / emulation.FOLDER)
    shown = block.shown(ROOT / kept.page_of(name), emulation_page.MARK)
    assert shown == list(emulation_page.lines(found))
    assert found.succeeded == found.planned


@pytest.mark.parametrize("name", KEPT)
def test_the_kept_results_are_of_the_claims_that_there_are(name):
    """Without runs every claim is there, not testable."""
    study = kept.read(name, ROOT / kept.FOLDER)
    claims = studies.get(name).claims(())
    assert [each.id for each in study.claims] == [each.claim_id for each in claims]
    assert [each.standing for each in study.claims] == [each.standing.value for each in claims]


@pytest.mark.parametrize("name", KEPT)
def test_the_kept_variants_are_those_of_rig_and_ablations(name):
    from bentpipe.campaign.variants import variants

    study = studies.get(name)
    expected = variants(study.rig, study.ablations, engine="simulate")
    assert [each.name for each in kept.read(name, ROOT / kept.FOLDER).variants] == [
        each.name for each in expected
    ]
