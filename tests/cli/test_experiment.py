import json
import os
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing

import pytest

from bentpipe.ledger import Ledger
from bentpipe.ledger.folder import UNINDEXED
from tests.campaign.fake_engine import record, succeeded
from tests.support.models import because

pytestmark = pytest.mark.usefixtures("engine", "report")


def test_run_measures_every_cell_and_writes_a_report(bentpipe, engine, report, scenario_file, tmp_path):
    result = bentpipe("run", scenario_file, "--out", tmp_path / "results")
    assert len(engine.calls) == 4
    assert report == [tmp_path / "results"]
    assert "4 planned = 4 succeeded + 0 failed + 0 invalid" in result.stderr
    assert result.stdout == ""


def test_results_go_to_a_folder_of_the_scenarios_name(bentpipe, report, scenario_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bentpipe("run", scenario_file)
    bentpipe("run", scenario_file, "--quick")
    assert [str(folder) for folder in report] == ["results/example", "results/example-quick"]


def test_the_folder_keeps_the_resolved_scenario_and_the_engine(bentpipe, scenario_file, tmp_path):
    bentpipe("run", scenario_file, "--out", tmp_path / "results")
    kept = json.loads((tmp_path / "results" / "scenario.json").read_text())
    assert kept["engine"] == "emulate"
    assert {**kept, "engine": None} == {**bentpipe.json("show", scenario_file), "engine": None}


def test_json_is_one_document_on_stdout(bentpipe, scenario_file, tmp_path):
    assert bentpipe.json("run", scenario_file, "--out", tmp_path / "r", "--json") == {
        "folder": str(tmp_path / "r"),
        "planned": 4,
        "succeeded": 4,
        "failed": 0,
        "invalid": 0,
        "not_run": 0,
        "report": str(tmp_path / "r" / "report.html"),
        "answer": {"sentences": [], "conditions": []},
    }


def test_a_run_that_did_not_succeed_makes_status_1_and_its_reason_is_told(
    bentpipe, engine, report, scenario_file, tmp_path
):
    engine.behave = lambda run_id, spec, _: record(
        run_id, spec, status="failed", reasons=[because("no route")]
    )
    result = bentpipe("run", scenario_file, "--out", tmp_path / "results", expect=1)
    assert "4 planned = 0 succeeded + 4 failed + 0 invalid" in result.stderr
    assert "4 x failed: no route" in result.stderr
    assert report == [tmp_path / "results"]


def test_the_same_command_again_measures_nothing_again(bentpipe, engine, scenario_file, tmp_path):
    for _ in range(2):
        bentpipe("run", scenario_file, "--out", tmp_path / "results")
    assert len(engine.calls) == 4


def test_a_scenario_that_moved_with_its_files_and_results_measures_nothing_again(bentpipe, engine, tmp_path):
    before, after = tmp_path / "before", tmp_path / "after"
    (before / "www").mkdir(parents=True)
    (before / "www" / "index.html").write_text("a page")
    (before / "own.toml").write_text('repetitions = 2\n[run]\nlink = "lan"\nhttp = "h2"\npage = "dir:www"\n')
    bentpipe("run", before / "own.toml", "--out", before / "results")
    before.rename(after)
    result = bentpipe("run", after / "own.toml", "--out", after / "results")
    assert "2 runs, 2 of them done before" in result.stderr
    assert len(engine.calls) == 2


def test_no_resume_insists_on_an_empty_folder(bentpipe, engine, scenario_file, tmp_path):
    bentpipe("run", scenario_file, "--out", tmp_path / "results", "--no-resume")
    result = bentpipe("run", scenario_file, "--out", tmp_path / "results", "--no-resume", expect=2)
    assert "--no-resume: expected an empty folder" in result.stderr
    assert len(engine.calls) == 4


def test_results_of_other_settings_are_not_mixed(bentpipe, scenario_file, tmp_path):
    bentpipe("run", scenario_file, "--out", tmp_path / "results")
    result = bentpipe("run", scenario_file, "--out", tmp_path / "results", "--set", "cc=bbr", expect=2)
    assert (
        "scenario.json: expected the scenario 'example', or an empty folder given by --out" in result.stderr
    )


@pytest.mark.usefixtures("engine")
def test_an_interruption_while_the_report_is_written_says_how_to_have_it(
    bentpipe, scenario_file, tmp_path, monkeypatch
):
    from bentpipe import report

    def interrupted(_folder):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "write", interrupted)
    folder = tmp_path / "results"
    result = bentpipe("run", scenario_file, "--out", folder, expect=130)
    assert "writing the report" in result.stderr
    assert f"all runs are kept, and bentpipe report {folder} writes it" in result.stderr


def test_an_interruption_ends_with_status_130_and_says_how_to_go_on(
    bentpipe, engine, report, scenario_file, tmp_path
):
    def interrupt(run_id, spec, attempt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)
        return succeeded(run_id, spec, attempt)

    engine.behave = interrupt
    result = bentpipe("run", scenario_file, "--out", tmp_path / "results", "--jobs", "1", expect=130)
    assert (
        "4 planned = 1 succeeded + 0 failed + 0 invalid + 3 not run; the same command goes on"
        in result.stderr
    )
    assert report == []
    engine.behave = succeeded
    bentpipe("run", scenario_file, "--out", tmp_path / "results")
    with Ledger(tmp_path / "results") as ledger:
        assert len(ledger.entries()) == 4


def test_reproduce_runs_the_studys_scenario(bentpipe, tmp_path):
    outcome = bentpipe.json("reproduce", "alshagri2023", "--out", tmp_path / "r", "--jobs", "8", "--json")
    # Table 4: 12 pages x 3 versions x 3 links with BBR, 4 uniform pages x 3 x 3 with CUBIC; 3 repetitions.
    assert outcome["succeeded"] == (12 * 3 * 3 + 4 * 3 * 3) * 3


@pytest.mark.parametrize(
    ("client", "connections"),
    # Chromium has six connections of HTTP/1.1; the study asks for one.
    [("firefox", {"1"}), ("chromium", {"6"})],
)
@pytest.mark.usefixtures("installed")
def test_reproduce_runs_the_study_in_a_browser(bentpipe, tmp_path, monkeypatch, client, connections):
    monkeypatch.chdir(tmp_path)
    bentpipe("reproduce", "alshagri2023", "--quick", "--client", client, "--jobs", "8")
    with Ledger(tmp_path / "results" / f"alshagri2023-{client}-quick") as ledger:
        entries = ledger.best()
        assert {entry.record.spec.client for entry in entries} == {client}
    assert {entry.factors["client"] for entry in entries} == {client}
    assert {entry.factors["connections"] for entry in entries} == connections


@pytest.mark.usefixtures("installed")
def test_reproduce_with_several_clients_measures_every_cell_with_each_under_equal_settings(
    bentpipe, tmp_path
):
    options = ("--client", "loader", "--client", "chromium", "--client", "firefox", "--client", "loader")
    arguments = ("--quick", *options, "--jobs", "8", "--out", tmp_path / "r")
    bentpipe("reproduce", "alshagri2023", *arguments)
    with Ledger(tmp_path / "r") as ledger:
        factors = [entry.factors for entry in ledger.best()]
    counts = Counter(each["client"] for each in factors)
    # 21 cells, 2 repetitions.
    assert counts == {"loader": 42, "chromium": 42, "firefox": 42}
    assert {each["connections"] for each in factors} == {"6"}


@pytest.mark.usefixtures("installed")
def test_what_is_set_by_hand_holds_before_what_a_study_sets_for_a_client(bentpipe, tmp_path):
    options = ("--quick", "--client", "chromium", "--set", "connections=1", "--out", tmp_path / "r")
    result = bentpipe("reproduce", "alshagri2023", *options, expect=2)
    assert "connections: expected 6" in result.stderr


@pytest.mark.usefixtures("installed")
def test_a_client_that_is_set_gets_what_the_study_sets_for_it(bentpipe, tmp_path):
    options = ("--quick", "--set", "client=chromium", "--jobs", "8", "--out", tmp_path / "r")
    bentpipe("reproduce", "alshagri2023", *options)
    with Ledger(tmp_path / "r") as ledger:
        factors = [entry.factors for entry in ledger.best()]
    assert {(each["client"], each["connections"]) for each in factors} == {("chromium", "6")}


@pytest.mark.parametrize("set_client", ["client=firefox", "run.client=chromium", "client=[]"])
def test_a_client_is_set_or_given_by_its_option_and_not_both(bentpipe, engine, tmp_path, set_client):
    options = ("--quick", "--client", "chromium", "--set", set_client, "--out", tmp_path / "r")
    result = bentpipe("reproduce", "alshagri2023", *options, expect=2)
    assert "command line: --set client: expected nothing beside --client, found " in result.stderr
    assert not (tmp_path / "r").exists()
    assert engine.calls == []


def test_a_client_that_is_set_to_no_name_is_refused(bentpipe, tmp_path):
    options = ("--quick", "--set", "client=[]", "--out", tmp_path / "r")
    result = bentpipe("reproduce", "alshagri2023", *options, expect=2)
    assert "command line: --set client: expected" in result.stderr


def test_a_client_that_is_not_for_the_study_is_refused_under_its_option(bentpipe, tmp_path):
    options = ("--quick", "--client", "loader", "--client", "chromium", "--out", tmp_path / "r")
    result = bentpipe("reproduce", "claypool2020", *options, expect=2)
    assert "command line: --client: expected one of loader, iperf3, as chromium is for pages" in result.stderr
    assert not (tmp_path / "r").exists()


def test_reproduce_with_the_loader_is_the_study_as_it_is(bentpipe, engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for options in ((), ("--client", "loader")):
        bentpipe("reproduce", "alshagri2023", "--quick", *options, "--jobs", "8")
    assert len(engine.calls) == 42


def test_an_unknown_study_is_bad_input(bentpipe):
    result = bentpipe("reproduce", "alshagri2032", expect=2)
    assert "did you mean 'alshagri2023'?" in result.stderr


@pytest.mark.usefixtures("engine", "report")
def test_attempts_that_the_index_does_not_have_are_told_before_anything_is_measured(
    bentpipe, scenario_file, results
):
    with closing(sqlite3.connect(results / "ledger.sqlite")) as index:
        (runs,) = index.execute("SELECT count(*) FROM attempts WHERE pack = 1").fetchone()
        index.execute("DELETE FROM attempts WHERE pack = 1")
        index.execute("DELETE FROM packs WHERE id = 1")
        index.commit()
    told = bentpipe("run", scenario_file, "--out", results).stderr.splitlines()
    moved = f"at least 1 attempts that the index does not have: moved to {results / UNINDEXED}"
    assert told.index(moved) < told.index(f"4 runs, {4 - runs} of them done before")


def test_a_study_with_present_software_has_a_folder_that_says_so(bentpipe, report, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bentpipe("reproduce", "alshagri2023", "--quick", "--rig", "today")
    bentpipe("reproduce", "alshagri2023", "--quick")
    assert [str(folder) for folder in report] == [
        "results/alshagri2023-today-quick",
        "results/alshagri2023-quick",
    ]
    kept = [json.loads((folder / "scenario.json").read_text()) for folder in report]
    assert [each.get("tag") for each in kept] == ["today", None]


def test_a_study_runs_on_its_rig_unless_present_software_is_asked_for(bentpipe, engine, tmp_path):
    """The first flight of the paper's server, 32 packets of 1460 B, is a fact of alshagri2023's rig."""
    flights = []
    for rig in ("paper", "today"):
        bentpipe("reproduce", "alshagri2023", "--quick", "--rig", rig, "--out", tmp_path / rig)
        flights.append(
            {spec.quic.initial_window_bytes for spec in engine.specs if spec.workload.http == "h3"}
        )
        engine.specs.clear()
    assert flights == [{46720}, {14720}]
