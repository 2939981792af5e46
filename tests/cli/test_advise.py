"""`bentpipe advise`: what it prints and writes, of real runs of a small page in virtual time."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from bentpipe.campaign.plan import plan
from bentpipe.ledger import Ledger
from bentpipe.scenario import load
from tests.support.folders import page_with
from tests.support.har import HTML, entry, write

LINK = "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms"
SMALL = ("--over", "http=h2,h3", "--over", "cc=cubic", "--over", "slow_start=linux", "--over",
         "tcp.slow_start_after_idle=true", "--over", "tls.resumption=none")  # fmt: skip
"""Two HTTP versions with two initial windows."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from tests.cli.conftest import Shell

    folder = tmp_path_factory.mktemp("advise") / "results"
    Shell()("advise", "--page", "single-100k", "--link", LINK, *SMALL, "--out", folder)
    return folder


def test_the_answer_is_a_table_and_sentences(bentpipe, folder):
    said = bentpipe("advise", "--page", "single-100k", "--link", LINK, *SMALL, "--out", folder)
    table, _, sentences = said.stdout.partition("\n\n")
    assert table.splitlines()[0] == f"single-100k over {LINK}"
    assert "best" in table.splitlines()[2]
    # HTTP/3 saves the round trip of TCP's handshake, a window of 32 those in which slow start grows to it.
    assert f"Over {LINK}, single-100k loads fastest by HTTP/3 with CUBIC and initial window 32: " in sentences
    assert "sooner than at present by HTTP/2 with CUBIC." in sentences
    assert "All 4 settings were compared." in sentences
    assert f"report: {folder / 'advice.html'}" in said.stderr


def test_the_same_command_makes_no_run_twice(bentpipe, folder):
    with Ledger(folder) as ledger:
        before = len(ledger.entries())
    first, second = (
        bentpipe("advise", "--page", "single-100k", "--link", LINK, *SMALL, "--out", folder).stdout
        for _ in range(2)
    )
    assert first == second
    with Ledger(folder) as ledger:
        assert len(ledger.entries()) == before


def test_the_scenario_has_the_best_and_the_present_setting_and_the_very_runs(folder):
    scenario = load(folder / "advice.toml")
    settings = {
        (cell.factors["http"], cell.factors.get("tcp.initial_window", "10")) for cell in scenario.cells
    }
    assert settings == {("h2", "10"), ("h3", "32")}
    assert scenario.repetitions == 30
    with Ledger(folder) as ledger:
        made = {entry.run_id for entry in ledger.entries()}
    # The first ten repetitions of both cells; the rest is to be measured.
    assert len({run.run_id for run in plan(scenario)} & made) == 2 * 10


def test_the_page_shows_both_waterfalls_and_loads_nothing(folder):
    page = (folder / "advice.html").read_text()
    assert page.count("<svg") == 1
    assert "Best: HTTP/3, CUBIC, initial window 32" in page
    assert "Present: HTTP/2, CUBIC" in page
    assert "default-src 'none'" in page
    svg = ElementTree.parse(folder / "figures/waterfall-1.svg")
    assert svg.getroot().tag.endswith("svg")
    assert (folder / "figures/waterfall-1.pdf").read_bytes().startswith(b"%PDF")


def test_json_has_the_answer_with_its_certainty(bentpipe, folder):
    document = bentpipe.json(
        "advise", "--page", "single-100k", "--link", LINK, *SMALL, "--out", folder, "--json"
    )
    (link,) = document["links"]
    assert link["verdict"] == "fastest"
    assert link["best"]["setting"] == {"http": "h3", "cc": "cubic", "tcp.initial_window": 32}
    assert link["best"]["against_present"]["value"] < 0
    assert json.loads((folder / "advice.json").read_text())["links"] == document["links"]


def test_pages_of_ones_own_and_several_links_have_an_answer_that_runs(bentpipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    site = tmp_path / "site"
    site.mkdir()
    page_with("", site)
    write(tmp_path / "a.har", [entry("https://a.example/", media=HTML), entry("https://a.example/b.png")])
    for page in ("dir:site", "har:a.har"):
        out = tmp_path / page.partition(":")[0]
        links = ("--link", LINK, "--link", "lan")
        said = bentpipe("advise", "--page", page, *links, *SMALL, "--out", out)
        assert "over all links together" in said.stdout
        # Its paths start at its own folder.
        monkeypatch.chdir("/")
        assert load(out / "advice.toml").cells
        monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--page", "nothing", "--link", "lan"), "--page: expected one of single-100k"),
        (("--page", "single-100k", "--link", "geo"), "--link: expected a preset"),
        (("--page", "single-100k", "--link", "lan", "--budget", "2"), "--budget: expected a duration"),
        (("--page", "single-100k", "--link", "lan", "--present", "h2"), "--present: expected HTTP/CC"),
        (("--page", "single-100k", "--link", "lan", "--engine", "emulate"), "in virtual time alone"),
    ],
)
def test_a_question_that_cannot_be_put_ends_with_what_is_wrong(bentpipe, tmp_path, arguments, said):
    out = tmp_path / "none"
    assert said in bentpipe("advise", *arguments, "--out", out, expect=2).stderr
    assert not out.exists()


def test_no_report_of_a_scenario_is_made_of_the_folder(bentpipe, folder):
    said = bentpipe("report", folder, expect=2)
    assert "expected the results of a scenario" in said.stderr


def test_a_folder_of_another_page_is_refused(bentpipe, folder):
    said = bentpipe("advise", "--page", "single-500k", "--link", "lan", *SMALL, "--out", folder, expect=2)
    assert "an empty folder given by --out" in said.stderr
