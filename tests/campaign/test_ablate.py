"""The variants of a scenario: which there are, and that each run is made once."""

from contextlib import nullcontext

import pytest

from bentpipe.campaign.ablate import ablate
from bentpipe.campaign.measure import Order
from bentpipe.campaign.outcome import Ending
from bentpipe.campaign.variants import VariantKind, variants
from bentpipe.ledger import Ledger
from bentpipe.scenario.ablations import read_ablations
from bentpipe.scenario.rig import Rig, read_rig
from tests.campaign.fake_engine import FakeEngine

SCENARIO = """
name = "example"
repetitions = 3
[run]
link = "lan"
page = "single-100k"
[matrix]
http = ["h1", "h2"]
"""
RIG = """
[[fact]]
name = "window"
part = "kernel"
fact = "Three segments."
kind = "kernel"
source = "RFC 3390"
settings = { "tcp.initial_window" = 3 }
"""
ABLATIONS = """
repetitions = 2
[[ablation]]
name = "tls"
reason = "An older version."
source = "RFC 5246"
settings = { "tls.version" = "1.2" }
where = { http = "h2" }
[[ablation]]
name = "nagle"
reason = "On or off."
source = "RFC 9293"
settings = { "tcp.nagle" = true }
[interactions]
factors = ["tls", "nagle"]
"""


@pytest.fixture
def rig(tmp_path):
    (tmp_path / "rig.toml").write_text(RIG)
    return read_rig(tmp_path / "rig.toml")


@pytest.fixture
def ablations(tmp_path):
    (tmp_path / "ablations.toml").write_text(ABLATIONS)
    return read_ablations(tmp_path / "ablations.toml")


class Quiet:
    """A listener that nobody hears."""

    def __getattr__(self, name):
        return lambda **_: None

    def end(self, outcome):
        pass


@pytest.fixture
def measured(tmp_path, rig, ablations):
    (tmp_path / "example.toml").write_text(SCENARIO)

    def measure(engine):
        return ablate(
            Order(scenario=tmp_path / "example.toml", folder=tmp_path / "results", jobs=1),
            rig,
            ablations,
            engine=engine,
            progress=nullcontext(Quiet()),
            again=nullcontext(Quiet()),
        )

    return measure


def names(found):
    return [(each.name, each.kind) for each in found]


def test_the_variants_are_the_base_today_each_fact_left_out_each_ablation_and_combinations(rig, ablations):
    assert names(variants(rig, ablations, engine="emulate")) == [
        ("base", VariantKind.BASE),
        ("today", VariantKind.TODAY),
        ("without-window", VariantKind.WITHOUT),
        ("tls", VariantKind.ABLATION),
        ("nagle", VariantKind.ABLATION),
        ("tls+nagle", VariantKind.TOGETHER),
    ]


def test_without_a_rig_there_is_the_base_and_what_is_varied(ablations):
    found = variants(Rig(), ablations, engine="emulate")
    assert [each.name for each in found] == ["base", "tls", "nagle", "tls+nagle"]


def test_ablations_hold_on_top_of_the_facts(rig, ablations):
    tls = variants(rig, ablations, engine="emulate")[3]
    assert [dict(each.settings) for each in tls.variations] == [
        {"tcp.initial_window": 3},
        {"tls.version": "1.2"},
    ]


def test_runs_that_are_equal_are_made_once(measured):
    """Two cells. Base: 3 repetitions. Of 2 repetitions each: today and without-window are the same runs; tls
    changes h2 alone; nagle both; together both for h1, of which nagle has one: 6 + 4 + 2 + 4 + 2."""
    engine = FakeEngine()
    done = measured(engine)
    assert done.base.outcome.planned == 6
    assert done.variants.outcome.planned == 4 + 2 + 4 + 2
    assert len(engine.calls) == 18


def test_what_is_measured_is_not_measured_again(measured):
    measured(FakeEngine())
    again = FakeEngine()
    assert measured(again).variants.outcome.ending is Ending.COMPLETE
    assert again.calls == {} or len(again.calls) == 0


def test_the_folder_beside_that_of_the_base_knows_every_variant(measured, tmp_path):
    measured(FakeEngine())
    with Ledger(tmp_path / "results-ablations") as ledger:
        document = ledger.scenario()
    assert document["base"] == "results"
    assert [each["name"] for each in document["variants"]][:2] == ["base", "today"]
    assert document["interactions"] == ["tls", "nagle"]
