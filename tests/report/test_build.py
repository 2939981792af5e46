"""Reports of whole folders: a full study, other workloads, and folders with little or nothing in them."""

import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy
import pyarrow
import pytest
import scipy

from bentpipe import report
from bentpipe.errors import InputError
from bentpipe.ledger import Ledger
from bentpipe.model.reason import EmulatorLateReason
from bentpipe.scenario import Extent, load
from bentpipe.studies import get
from tests.support.models import because, changed
from tests.support.synthetic import (
    again,
    bulk,
    failed,
    full_study,
    page_load,
    ping,
    series_of,
    study_cells,
    write_folder,
)

LARGEST_PAGE_BYTES = 4_000_000
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Tags, attributes and words of a page; fails on a tag that is closed in the wrong place."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.words, self._open = [], [], [], []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = write_folder(
        tmp_path_factory.mktemp("study"), full_study(), cells=_with_constants(), name="alshagri2023"
    )
    report.build(folder)
    return folder


def _with_constants():
    return [{**cell, "client": "loader", "server": "bentpipe"} for cell in study_cells()]


def page_of(folder):
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def data_of(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def built(folder, entries, **scenario):
    assert report.build(write_folder(folder, entries, **scenario)) == folder / "report.html"
    return folder


def test_the_page_loads_nothing_from_anywhere(study):
    html = (study / "report.html").read_text(encoding="utf-8")
    page = Page(html)
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    references = [value for name, value in page.attributes if name in ("src", "href", "xlink:href", "data")]
    assert references
    assert all(reference.startswith("#") for reference in references)
    assert set(re.findall(r"url\((.)", html)) <= {"#"}
    assert "@import" not in html


def test_the_page_forbids_scripts_and_whatever_is_not_in_it_before_anything_else_is_said(study):
    head = (study / "report.html").read_text(encoding="utf-8").partition("<style>")[0]
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in head


def test_the_packages_that_made_the_statistics_are_named_with_their_versions(study):
    found = data_of(study)["provenance"]["statistics_by"]
    expected = {module.__name__: module.__version__ for module in (numpy, scipy, pyarrow)}
    assert found == expected
    named = ", ".join(f"{name} {version}" for name, version in expected.items())
    assert f"Statistics by {named}." in page_of(study).text


def test_no_id_occurs_twice_and_every_reference_has_its_target(study):
    attributes = page_of(study).attributes
    ids = [value for name, value in attributes if name == "id"]
    assert len(ids) == len(set(ids))
    targets = {value[1:] for name, value in attributes if name == "href"}
    targets |= {match for _, value in attributes for match in re.findall(r"url\(#([^)]+)\)", value or "")}
    assert targets <= set(ids)


def test_a_full_study_stays_below_four_megabytes(study):
    assert (study / "report.html").stat().st_size < LARGEST_PAGE_BYTES


def test_the_summary_counts_every_run_and_every_repeated_attempt(study):
    # full_study: 144 cells x 3, of which one failed and one succeeded at its second attempt.
    found = data_of(study)["validity"]
    assert (found["planned"], found["succeeded"], found["failed"], found["invalid"]) == (432, 431, 1, 0)
    assert (found["missing"], found["attempts"], found["repeated_attempts"]) == (0, 433, 1)
    assert {(r["status"], r["code"]) for r in found["reasons"]} == {
        ("invalid", "emulator-late"),
        ("failed", "object-missing"),
    }
    assert "p99.9 of release lateness 2.3 ms above 1 ms" in page_of(study).text


def test_validity_comes_before_every_result(study):
    html = (study / "report.html").read_text(encoding="utf-8")
    places = [
        html.index(f'id="{name}"') for name in ("summary", "figures", "tables", "claims", "results", "runs")
    ]
    assert places == sorted(places)


def test_every_run_has_its_waterfall_and_every_cell_its_link(study):
    labels = [value for name, value in page_of(study).attributes if name == "aria-label"]
    assert sum(label.startswith("Waterfall of ") for label in labels) == 431
    assert sum(label.startswith("Link over ") for label in labels) == 144


def test_of_many_runs_the_fastest_the_slowest_and_some_between_are_drawn_and_all_that_broke(tmp_path):
    entries = [page_load(repetition=n) for n in range(29)]
    broken = failed(page_load(repetition=29))
    folder = built(tmp_path, [*entries, broken], repetitions=30)
    html = (folder / "report.html").read_text(encoding="utf-8")
    drawn = [entry for entry in entries if f"Repetition {entry.repetition + 1}, run " in html]
    plt = sorted(entry.record.metrics.plt_s for entry in entries)
    # Ranks 0, 28/5, 2*28/5 ... 28 of 29 runs.
    expected = [plt[rank] for rank in (0, 6, 11, 17, 22, 28)]
    assert sorted(entry.record.metrics.plt_s for entry in drawn) == expected
    assert broken.run_id in html


def test_every_figure_is_in_the_page_and_beside_it_as_svg_and_pdf(study):
    names = [figure["name"] for figure in data_of(study)["figures"]]
    expected = {
        "plt-single",
        "plt-uniform",
        "plt-triangular",
        "plt-congestion-control",
        "page-structure",
        "overhead",
    }
    assert expected <= set(names)
    html = (study / "report.html").read_text(encoding="utf-8")
    for name in names:
        assert f'id="figure-{name}"' in html
        assert (study / f"figures/{name}.svg").is_file()
        assert (study / f"figures/{name}.pdf").is_file()


def test_every_claim_is_shown_with_its_verdict_and_the_rules(study):
    text = page_of(study).text
    claims = data_of(study)["study"]["claims"]
    assert [claim["id"] for claim in claims] == [each.claim_id for each in get("alshagri2023").claims(())]
    for claim in claims:
        assert claim["claim"] in text
        assert claim["agreement"] in ("agrees", "differs", "not testable")
    assert "within 10 percentage points of N" in text


def test_a_cells_numbers_are_those_of_its_runs(study):
    cell = next(c for c in data_of(study)["cells"] if c["factors"]["page"] == "uniform-1m")
    plt = cell["metrics"]["plt_s"]
    with Ledger(study) as ledger:
        seconds = [
            entry.record.metrics.plt_s
            for entry in ledger.best()
            if all(entry.factors[name] == value for name, value in cell["factors"].items())
        ]
    assert plt["n"] == len(seconds) == 3
    assert plt["mean"] == pytest.approx(sum(seconds) / 3)
    assert plt["median"] == sorted(seconds)[1]
    assert (plt["median_ci95_low"], plt["median_ci95_high"]) == (min(seconds), max(seconds))
    assert plt["mean_ci95_low"] < plt["mean"] < plt["mean_ci95_high"]


def test_metrics_in_the_data_keep_the_unit_of_their_name(study):
    metrics = data_of(study)["cells"][0]["metrics"]
    assert 0 < metrics["utilisation"]["mean"] < 1
    assert metrics["first_flight_bytes"]["mean"] == pytest.approx(14_600)


def test_the_runs_table_has_a_row_for_each_attempt_and_the_objects_table_for_each_object(study):
    with (study / "runs.csv").open(newline="", encoding="utf-8") as file:
        runs = list(csv.DictReader(file))
    with (study / "objects.csv").open(newline="", encoding="utf-8") as file:
        objects = list(csv.DictReader(file))
    assert len(runs) == 433
    assert {row["status"] for row in runs} == {"succeeded", "failed", "invalid"}
    assert {"factor_http", "plt_s", "overhead_forward_percent", "drops_forward_queue"} <= set(runs[0])
    with Ledger(study) as ledger:
        assert len(objects) == sum(len(entry.record.objects) for entry in ledger.entries())


def test_the_same_folder_gives_the_same_report(study):
    before = {
        p.name: p.read_bytes() for p in study.rglob("*") if p.suffix in (".html", ".json", ".csv", ".svg")
    }
    report.build(study)
    assert {p.name: p.read_bytes() for p in study.rglob("*") if p.name in before} == before


@pytest.mark.parametrize(
    ("extent", "command"),
    [
        (Extent.FULL, "bentpipe reproduce alshagri2023"),
        (Extent.QUICK, "bentpipe reproduce alshagri2023 --quick"),
    ],
)
def test_a_study_says_by_which_command_it_is_repeated(tmp_path, extent, command):
    scenario = {**load(get("alshagri2023").scenario, extent=extent).document(), "engine": "emulate"}
    Ledger.claim(tmp_path, scenario).close()
    report.build(tmp_path)
    assert data_of(tmp_path)["repeat"][0]["command"] == command


def test_a_study_with_other_settings_says_that_it_has_them(tmp_path):
    scenario = {**load(get("alshagri2023").scenario).document(), "repetitions": 5}
    Ledger.claim(tmp_path, scenario).close()
    report.build(tmp_path)
    assert data_of(tmp_path)["repeat"][0]["command"] == "bentpipe reproduce alshagri2023 --set KEY=VALUE"


def test_names_from_users_stay_words(tmp_path):
    name = '<script>alert("x")</script> & $x'
    entries = [page_load(page="uniform-100k", reasons=[because(name)], status="invalid", repetition=0)]
    for repetition in (1, 2):
        entry = page_load(repetition=repetition)
        entries.append(replace(entry, factors={**entry.factors, "page": name}))
    folder = built(tmp_path, entries, title=name)
    page = page_of(folder)
    assert "script" not in page.tags
    assert name in page.text


def test_a_plan_without_a_run_is_reported_as_such(tmp_path):
    folder = built(tmp_path, [], cells=study_cells(), name="alshagri2023")
    found = data_of(folder)
    assert (found["validity"]["planned"], found["validity"]["missing"]) == (432, 432)
    assert found["figures"] == []
    assert {claim["agreement"] for claim in found["study"]["claims"]} == {"not testable"}
    assert "No run has ended yet" in page_of(folder).text


def test_a_folder_of_failed_runs_has_reasons_and_no_statistics(tmp_path):
    runs = [failed(page_load(repetition=repetition)) for repetition in range(3)]
    folder = built(tmp_path, runs)
    found = data_of(folder)
    assert (found["validity"]["failed"], found["validity"]["succeeded"]) == (3, 0)
    assert found["cells"][0]["metrics"] == {}
    text = page_of(folder).text
    assert "timed out after 60 s with 2 objects loaded" in text
    assert "No cell has a run that succeeded" in text


def test_an_invalid_run_is_shown_but_not_averaged(tmp_path):
    good, bad = page_load(repetition=0), page_load(repetition=1, scale=9.0)
    late = EmulatorLateReason(p999_ns=3_000_000, bound_ns=1_000_000)
    folder = built(tmp_path, [good, failed(bad, status="invalid", reasons=[late])])
    plt = data_of(folder)["cells"][0]["metrics"]["plt_s"]
    assert (plt["n"], plt["mean"]) == (1, good.record.metrics.plt_s)
    assert "invalid : emulator late: p99.9 of release lateness 3 ms above 1 ms" in page_of(folder).text


def test_a_repeated_run_counts_once(tmp_path):
    run = page_load()
    folder = built(tmp_path, [failed(run, status="invalid"), again(run, attempt=2)], repetitions=1)
    found = data_of(folder)["validity"]
    assert (found["planned"], found["succeeded"], found["repeated_attempts"]) == (1, 1, 1)
    assert "some after being repeated" in page_of(folder).text


def test_any_scenario_of_pages_gets_a_figure_by_cell(tmp_path):
    entries = [page_load(http=http, repetition=r) for http in ("h1", "h2", "h3") for r in range(3)]
    found = data_of(built(tmp_path, entries))
    assert found["figures"][0]["name"] == "plt-s-by-cell"
    assert found["study"] is None


def test_bulk_flows_are_reported_by_goodput(tmp_path):
    entries = [
        bulk(transport=t, repetition=r, goodput_bps=9e6 + r * 1e5) for t in ("tcp", "quic") for r in range(3)
    ]
    folder = built(tmp_path, entries)
    assert data_of(folder)["cells"][0]["metrics"]["goodput_bps"]["mean"] == pytest.approx(9.1e6)
    assert "Goodput in Mbit/s" in page_of(folder).text


def test_pings_are_reported_by_round_trip(tmp_path):
    folder = built(tmp_path, [ping(repetition=r) for r in range(3)])
    assert data_of(folder)["cells"][0]["metrics"]["rtt_mean_s"]["mean"] == pytest.approx(0.5301)
    assert "Mean round trip in ms" in page_of(folder).text
    names = [figure["name"] for figure in data_of(folder)["figures"]]
    assert names == ["rtt-mean-s-by-cell", "round-trip-tail"]


def test_lost_pings_are_reported_as_events(tmp_path):
    folder = built(tmp_path, [ping(repetition=r) for r in range(3)])
    (found,) = data_of(folder)["pings"]
    # Of each of three runs of 20 pings two are lost in a row and one alone.
    assert (found["sent"], found["lost"], found["loss_events"], found["loss_events_single"]) == (60, 9, 6, 3)
    assert (found["loss_longest"], found["loss_events_single_fraction"]) == (2, 0.5)
    assert "Lost pings" in page_of(folder).text


def test_runs_of_pings_that_failed_are_not_counted(tmp_path):
    folder = built(tmp_path, [ping(repetition=0), failed(ping(repetition=1), status="invalid")])
    assert data_of(folder)["pings"][0]["sent"] == 20


def test_a_wrong_congestion_control_read_back_is_shown(tmp_path):
    entry = page_load(cc="bbr")
    connections = [changed(entry.record.client_connections[0], congestion_control="cubic")]
    folder = built(tmp_path, [failed(page_load(cc="bbr", origin_connections=connections), status="invalid")])
    assert {"asked": "bbr", "end": "origin", "found": "cubic", "connections": 1} in (
        data_of(folder)["provenance"]["congestion_control_read_back"]
    )


def test_a_folder_without_results_is_an_input_error(tmp_path):
    with pytest.raises(InputError):
        report.build(tmp_path)


def test_the_builder_of_synthetic_runs_gives_no_series_to_failed_ones():
    assert series_of(failed(page_load())) == {}
