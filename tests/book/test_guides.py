"""The worked examples of docs/guide/add-*.md: files of docs/examples, which the pages show and which work."""

import importlib
import json
import re
import sys

import pytest

from bentpipe import studies
from bentpipe.engine.simulate import Simulator
from bentpipe.model.page import PageSpec
from bentpipe.scenario.link.catalogue import PRESETS, written_link
from bentpipe.scenario.links import described
from bentpipe.scenario.page import own
from bentpipe.scenario.page.web_page import hosts_of
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.toml import read_toml
from bentpipe.studies import Agreement
from tests.tidy.project import ROOT, files
from tools.specs import spec_of

EXAMPLES = ROOT / "docs/examples"
PAGES = sorted((ROOT / "docs/guide").glob("add-*.md"))
BLOCK = re.compile(r"^```(rust|python|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# \S+\.toml\n")
"""The first line of a snippet that is a file of its reader's (test_snippets.py)."""
PATH = re.compile(r"`((?:crates|docs|python|tests)/[\w./-]+\.(?:rs|py|toml|md))`")
TO_BE_WRITTEN = ("scalable", "geo-ship", "travel-blog", "mathis1997")
"""In the names of files that a reader who follows a page adds; what it shows of them is in the examples."""
GEO_SHIP = EXAMPLES / "geo-ship.toml"
STUDY = "mathis1997"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_what_a_page_shows_stands_in_a_file_of_the_examples(page):
    sources = [path.read_text() for path in files(".rs", ".py", ".toml") if EXAMPLES in path.parents]
    shown = [text for _, text in BLOCK.findall(page.read_text()) if not NAMED.match(text)]
    assert shown
    assert [text for text in shown if not any(text in source for source in sources)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_files_that_a_page_names_exist(page):
    named = {
        path
        for path in PATH.findall(page.read_text())
        if path.startswith("docs/examples/") or not any(new in path for new in TO_BE_WRITTEN)
    }
    assert sorted(path for path in named if not (ROOT / path).is_file()) == []


def test_the_link_resolves_and_has_a_round_trip_of_its_own():
    link = described(str(GEO_SHIP))
    assert (link.name, len(link.assumptions)) == ("geo-ship", 3)
    record = Simulator().run(
        run_id="0" * 16, spec=spec_of({"link": str(GEO_SHIP), "ping": {"count": 5}}), artifacts=None
    )
    # 20 B of payload, 8 B of UDP and 20 B of IPv4 at each rate.
    assert record.metrics.rtt_min_s == pytest.approx(0.55 + 48 * 8 / 20e6 + 48 * 8 / 3e6, abs=1e-9)


def test_every_key_of_the_link_but_its_name_is_one_of_some_preset():
    ours, *presets = (
        written_link(name, Location(file="test"), folder=ROOT).table for name in (str(GEO_SHIP), *PRESETS)
    )
    assert set(ours.written()) - {"name"} <= {key for preset in presets for key in preset.written()}


def test_the_recipe_is_a_page_of_20_objects_on_three_hosts():
    path = EXAMPLES / "travel-blog.toml"
    page = own.from_recipe(read_toml(path), Location(file=str(path)), name="travel-blog")
    assert len(page["objects"]) == 20
    assert len(hosts_of(PageSpec.model_validate(page))) == 3
    waiting = [item["path"] for item in page["objects"] if item.get("wait_ns") == 50_000_000]
    assert waiting == ["/comments.json"]


@pytest.fixture
def study(monkeypatch):
    """The example as a study of the package."""
    monkeypatch.setattr(studies, "__path__", [*studies.__path__, str(EXAMPLES)])
    found = importlib.import_module(f"bentpipe.studies.{STUDY}").STUDY
    monkeypatch.setitem(studies._STUDIES, STUDY, found)
    yield found
    for name in [name for name in sys.modules if name.startswith(f"bentpipe.studies.{STUDY}")]:
        del sys.modules[name]
    del studies.mathis1997


def test_the_study_without_runs_has_claims_that_are_not_testable(study):
    verdicts = study.claims(())
    assert [each.claim_id for each in verdicts] == ["loss-times-four", "rtt-halved"]
    assert {each.agreement for each in verdicts} == {Agreement.NOT_TESTABLE}
    assert study.rig.facts and study.ablations.ablations


@pytest.mark.usefixtures("study")
def test_the_study_is_repeated_and_both_claims_agree(bentpipe, tmp_path):
    bentpipe("reproduce", STUDY, "--engine", "simulate", "--quick", "--out", tmp_path / "results")
    report = json.loads((tmp_path / "results/report.json").read_text())
    assert {each["id"]: each["agreement"] for each in report["study"]["claims"]} == {
        "loss-times-four": "agrees",
        "rtt-halved": "agrees",
    }
