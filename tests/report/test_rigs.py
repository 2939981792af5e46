"""A study with present software stands beside the same study on its rig, where that was measured."""

from types import SimpleNamespace

import pytest

from bentpipe.ledger import Ledger
from bentpipe.report import rigs
from bentpipe.report.source import read
from bentpipe.scenario import load
from bentpipe.studies.rules import Agreement
from bentpipe.studies.verdict import Standing, Verdict
from tests.tidy.project import ROOT

SCENARIO = ROOT / "scenarios" / "h1-connections.toml"


def verdict(claim_id, agreement, *, standing=Standing.CLAIM):
    return Verdict(claim_id=claim_id, claim=claim_id, agreement=agreement, findings=(), standing=standing)


@pytest.fixture
def study():
    """Of whose claims on the rig one agrees."""
    found = (verdict("a", Agreement.AGREES), verdict("b", Agreement.DIFFERS))
    return SimpleNamespace(name=load(SCENARIO).name, claims=lambda _: found)


@pytest.fixture
def measured(tmp_path):
    def measure(folder, **tag):
        with Ledger.claim(tmp_path / folder, {**load(SCENARIO).document(), **tag}) as ledger:
            return read(ledger)

    return measure


def test_claims_on_the_rig_and_with_present_software_stand_beside_each_other(measured, study, tmp_path):
    measured("s-simulate")
    today = measured("s-today-simulate", tag="today")
    found = rigs.gather(
        today,
        study,
        (verdict("a", Agreement.DIFFERS), verdict("b", Agreement.DIFFERS)),
        tmp_path / "s-today-simulate",
    )
    assert [(each.rig.agreement, each.today.agreement) for each in found.claims] == [
        (Agreement.AGREES, Agreement.DIFFERS),
        (Agreement.DIFFERS, Agreement.DIFFERS),
    ]
    assert "0 agree on the paper's rig and with present software, 1 on the rig alone" in found.sentence
    assert "1 on neither" in found.sentence


def test_without_results_of_the_rig_there_is_nothing_to_stand_beside(measured, study, tmp_path):
    today = measured("s-today-simulate", tag="today")
    assert rigs.gather(today, study, (), tmp_path / "s-today-simulate") is None


def test_the_rig_itself_stands_beside_nothing(measured, study, tmp_path):
    assert rigs.gather(measured("s-simulate"), study, (), tmp_path / "s-simulate") is None
