"""`--ablations`: what a user types, and what is told and written."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("engine", "report")

ABLATIONS = """
[[ablation]]
name = "window"
reason = "A smaller first flight."
source = "RFC 3390"
settings = { "tcp.initial_window" = 3 }
where = { http = "h1" }

[[ablation]]
name = "nagle"
reason = "On or off."
source = "RFC 9293"
settings = { "tcp.nagle" = true }

[interactions]
factors = ["window", "nagle"]
"""


@pytest.fixture
def ablated(bentpipe, scenario_file, tmp_path):
    scenario_file.with_name("ablations.toml").write_text(ABLATIONS)
    return lambda *options: bentpipe("run", scenario_file, "--ablations", "--out", tmp_path / "r", *options)


def test_every_variant_is_measured_beside_the_base_and_told(ablated, tmp_path):
    result = ablated()
    assert (tmp_path / "r-ablations" / "report.html").is_file()
    assert "PAGE LOAD TIME OF ALL PAGE LOADS" in result.stdout
    assert {line.split()[0] for line in result.stdout.splitlines() if "%" in line} >= {"window", "nagle"}


def test_the_report_has_the_changes_of_each_factor_as_data(ablated, tmp_path):
    """`window` is about HTTP/1.1 alone: one of two cells, and none of those of HTTP/3."""
    ablated()
    report = json.loads((tmp_path / "r-ablations" / "report.json").read_text())
    by_group = {each["group"]: each["changes"] for each in report["effects"]}
    assert {each["variant"]: each["cells"] for each in by_group["all page loads"]} == {
        "window": 1,
        "nagle": 2,
    }
    assert [each["variant"] for each in by_group["h3"]] == ["nagle"]


def test_the_page_says_what_was_varied_and_why(ablated, tmp_path):
    ablated()
    page = (tmp_path / "r-ablations" / "report.html").read_text()
    assert "A smaller first flight." in page
    assert "RFC 3390" in page
    assert 'id="figure-tornado-page-load"' in page


def test_json_has_both_folders(ablated, tmp_path):
    document = json.loads(ablated("--json").stdout)
    assert document["folder"] == str(tmp_path / "r")
    assert document["ablations"]["folder"] == str(tmp_path / "r-ablations")


def test_without_a_file_of_ablations_nothing_is_measured(bentpipe, engine, scenario_file, tmp_path):
    result = bentpipe("run", scenario_file, "--ablations", "--out", tmp_path / "r", expect=2)
    assert "ablations.toml" in result.stderr
    assert len(engine.calls) == 0
