import csv
import errno
import json
import os
from importlib import import_module
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from bentpipe.ledger import Ledger
from tests.campaign.fake_engine import record, succeeded
from tests.support.models import changed
from tests.support.trees import contents

pytestmark = pytest.mark.usefixtures("engine", "report")


def test_report_builds_the_report_of_a_folder(bentpipe, results, report):
    result = bentpipe("report", results)
    assert result.stdout == f"{results / 'report.html'}\n"
    assert report == [results] * 2


@pytest.mark.parametrize("command", [("report",), ("export", "--format", "csv"), ("compare", "elsewhere")])
def test_a_folder_without_results_is_bad_input(bentpipe, tmp_path, command):
    result = bentpipe(command[0], tmp_path, *command[1:], expect=2)
    assert "ledger.sqlite: expected a folder of results, found none" in result.stderr


def test_show_prints_the_record_of_a_run_by_the_start_of_its_id(bentpipe, results):
    with Ledger(results) as ledger:
        run_id = ledger.entries()[0].run_id
    shown = bentpipe.json("show", results / run_id[:10])
    assert (shown["run_id"], shown["status"], shown["attempt"]) == (run_id, "succeeded", 1)
    assert "expected the id of one run" in bentpipe("show", results / "zzz", expect=2).stderr


def test_a_whole_folder_is_not_shown_but_said_how_its_runs_are(bentpipe, results):
    refused = bentpipe("show", results, expect=2).stderr
    assert f"expected one of its runs, as {results}/RUN_ID" in refused
    assert f"bentpipe report {results}" in refused


def test_show_prints_a_resolved_scenario_with_its_settings(bentpipe, scenario_file):
    shown = bentpipe.json("show", scenario_file, "--set", "tcp.initial_window=3")
    assert [cell["factors"]["http"] for cell in shown["cells"]] == ["h1", "h3"]
    assert {cell["spec"]["tcp"]["initial_window"] for cell in shown["cells"]} == {3}
    assert shown["constants"]["page"] == "single-100k"


def test_show_prints_links_and_pages(bentpipe, tmp_path):
    assert bentpipe.json("show", "geo-snep-flat")["name"] == "geo-snep-flat"
    assert bentpipe.json("show", "flat:down=1Mbit/s,up=1Mbit/s,rtt=5ms")["forward"]["delay_ns"] == 2_500_000
    assert len(bentpipe.json("show", "uniform-1m")["objects"]) == 8
    (tmp_path / "link.toml").write_text('base = "lan"\nrtt = "10 ms"')
    assert bentpipe.json("show", tmp_path / "link.toml")["return"]["delay_ns"] == 5_000_000


@pytest.mark.parametrize("options", [("--set", "link.rtt=5ms"), ("--quick",)])
def test_show_does_not_pass_over_what_only_a_scenario_has(bentpipe, options):
    told = bentpipe("show", "lan", *options, expect=2).stderr
    assert f"THING: expected the scenario that {' '.join(options)} changes" in told
    assert told.endswith("found lan\n")


def test_export_writes_every_attempt_and_every_object_as_csv(bentpipe, results):
    bentpipe("export", results, "--format", "csv")
    with (results / "export" / "runs.csv").open() as file:
        runs = list(csv.DictReader(file))
    assert len(runs) == 4
    assert {run["http"] for run in runs} == {"h1", "h3"}
    assert {run["drops_forward_queue"] for run in runs} == {"0"}
    with (results / "export" / "objects.csv").open() as file:
        assert [row["bytes"] for row in csv.DictReader(file)] == ["100000"] * 4


def test_export_writes_the_same_tables_and_the_series_as_parquet(bentpipe, results, tmp_path):
    written = bentpipe.json("export", results, "--format", "parquet", "--out", tmp_path / "out", "--json")
    series = {path.name for path in (results / "series" / "link").iterdir()}
    assert len(written) == 3 + len(series)
    assert {path.name for path in (tmp_path / "out" / "series" / "link").iterdir()} == series
    table = pyarrow.parquet.read_table(tmp_path / "out" / "runs.parquet")
    assert table.num_rows == 4
    assert "plt_s" in table.column_names


def in_a_browser(run_id, spec, _):
    frames = [{"time_s": 1.2, "file": "frames/001.jpg", "completeness": 0.4},
              {"time_s": 2.5, "file": "frames/002.jpg", "completeness": 1.0}]  # fmt: skip
    paints = {"parsed_s": 1.0, "loaded_s": 2.6, "paint_fcp_s": 1.1, "paint_lcp_s": 2.5, "speed_index_s": 1.98}
    browser = {"version": "Chromium 156.0.8078.79", **paints, "frames": frames}
    return changed(record(run_id, spec), browser=browser)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_export_has_the_paints_of_browsers_beside_the_metrics_and_a_table_of_pictures(
    bentpipe, engine, scenario_file, tmp_path, kind
):
    engine.behave = in_a_browser
    bentpipe("run", scenario_file, "--out", tmp_path / "results")
    bentpipe("export", tmp_path / "results", "--format", kind, "--out", tmp_path / "out")
    read = pyarrow.csv.read_csv if kind == "csv" else pyarrow.parquet.read_table
    runs, frames = (read(tmp_path / "out" / f"{name}.{kind}").to_pylist() for name in ("runs", "frames"))
    assert {(row["paint_fcp_s"], row["speed_index_s"], row["loaded_s"]) for row in runs} == {(1.1, 1.98, 2.6)}
    assert len(frames) == 2 * len(runs)
    assert [row["completeness"] for row in frames[:2]] == [0.4, 1.0]


def test_export_has_the_paints_of_browsers_by_the_names_of_chromes_report(
    bentpipe, engine, scenario_file, tmp_path
):
    engine.behave = in_a_browser
    bentpipe("run", scenario_file, "--out", tmp_path / "results")
    bentpipe("export", tmp_path / "results", "--format", "crux", "--out", tmp_path / "out")
    records = json.loads((tmp_path / "out" / "crux.json").read_text())["records"]
    assert [each["factors"]["http"] for each in records] == ["h1", "h3"]
    assert [each["runs"] for each in records] == [2, 2]
    for each in records:
        paints = {name: metric["percentiles"]["p75"] for name, metric in each["metrics"].items()}
        assert paints["first_contentful_paint"] == 1100
        assert paints["largest_contentful_paint"] == 2500


def test_export_of_the_loaders_runs_has_neither(bentpipe, results):
    bentpipe("export", results, "--format", "csv")
    assert not (results / "export" / "frames.csv").exists()
    assert "paint_fcp_s" not in (results / "export" / "runs.csv").read_text()


def test_show_of_a_run_in_a_browser_has_what_it_saw(bentpipe, engine, scenario_file, tmp_path):
    engine.behave = in_a_browser
    bentpipe("run", scenario_file, "--out", tmp_path / "results")
    with Ledger(tmp_path / "results") as ledger:
        run_id = ledger.entries()[0].run_id
    shown = bentpipe.json("show", tmp_path / "results" / run_id)["browser"]
    assert (shown["version"], shown["paint_lcp_s"], len(shown["frames"])) == (
        "Chromium 156.0.8078.79",
        2.5,
        2,
    )


def test_compare_compares_paints_where_both_folders_have_them(bentpipe, engine, scenario_file, tmp_path):
    for name, behave in (("a", in_a_browser), ("b", in_a_browser), ("loader", succeeded)):
        engine.behave = behave
        bentpipe("run", scenario_file, "--out", tmp_path / name)
    both = bentpipe.json("compare", tmp_path / "a", tmp_path / "b", "--json")
    assert {"paint_fcp_s", "paint_lcp_s", "speed_index_s", "loaded_s"} < {row["metric"] for row in both}
    one = bentpipe.json("compare", tmp_path / "a", tmp_path / "loader", "--json")
    assert "paint_fcp_s" not in {row["metric"] for row in one}


def test_export_collects_captures_under_the_names_of_their_runs(bentpipe, results):
    with Ledger(results) as ledger:
        run_id = ledger.entries()[0].run_id
    artifacts = results / "artifacts" / f"{run_id}-1"
    (artifacts / "frames").mkdir(parents=True)
    (artifacts / "packets.pcapng").write_bytes(b"captured")
    (artifacts / "frames" / "packets.pcapng").write_bytes(b"")
    assert bentpipe.json("export", results, "--format", "pcapng", "--json") == [
        str(results / "export" / f"{run_id}-1-{name}.pcapng") for name in ("frames-packets", "packets")
    ]
    assert (results / "export" / f"{run_id}-1-packets.pcapng").read_bytes() == b"captured"


def test_export_writes_a_har_file_for_each_page_load(bentpipe, results):
    written = bentpipe.json("export", results, "--format", "har", "--json")
    assert len(written) == 4
    log = json.loads(Path(written[0]).read_text())["log"]
    assert log["version"] == "1.2"
    assert [entry["request"]["url"] for entry in log["entries"]] == ["https://origin/object-1.jpg"]


def test_export_of_captures_that_were_not_made_says_how_to_make_them(bentpipe, results):
    message = bentpipe("export", results, "--format", "pcapng", expect=2).stderr
    assert "has no pcapng files; run with --set capture.pcapng=true" in message


def faster(factor):
    def behave(run_id, spec, _):
        found = record(run_id, spec)
        plt_s = {"h1": 4.0, "h3": 2.0}[spec.workload.http] + spec.seed % 2 / 100
        return changed(found, metrics={"plt_s": plt_s * factor})

    return behave


def test_compare_sets_the_cells_of_two_folders_side_by_side(bentpipe, engine, scenario_file, tmp_path):
    for name, factor, cc in (("a", 1.0, "cubic"), ("b", 0.5, "bbr")):
        engine.behave = faster(factor)
        settings = ("--set", f"cc={cc}", "--set", "repetitions=8")
        bentpipe("run", scenario_file, "--out", tmp_path / name, *settings)
    found = bentpipe.json("compare", tmp_path / "a", tmp_path / "b", "--json")
    # The congestion control differs between the folders, not within one, so it does not part the cells.
    assert [(row["cell"], row["metric"]) for row in found] == [
        ({"http": "h1"}, "plt_s"),
        ({"http": "h3"}, "plt_s"),
    ]
    for row in found:
        assert row["difference_percent"] == pytest.approx(-50, abs=1)
        assert row["ci_low_percent"] < row["difference_percent"] < row["ci_high_percent"]
        assert row["better"] == "b"
    told = bentpipe("compare", tmp_path / "a", tmp_path / "b").stdout
    assert "-50" in told
    assert (
        "By plt_s of 2 cells B is significantly better in 2, A in 0; 0 do not differ significantly." in told
    )


def test_compare_calls_what_does_not_differ_by_its_name(bentpipe, engine, scenario_file, tmp_path):
    engine.behave = faster(1.0)
    for name in ("a", "b"):
        bentpipe("run", scenario_file, "--out", tmp_path / name, "--set", "repetitions=8")
    told = bentpipe("compare", tmp_path / "a", tmp_path / "b").stdout
    assert "of 2 cells B is significantly better in 0, A in 0; 2 do not differ significantly." in told
    found = bentpipe.json("compare", tmp_path / "a", tmp_path / "b", "--json")
    assert {row["better"] for row in found} == {None}


def test_compare_of_many_cells_shows_those_that_differ_most(
    bentpipe, engine, scenario_file, tmp_path, monkeypatch
):
    # In A all take some 3 s.
    plt_s = {"h1": 1.0, "h2": 2.0, "h3": 3.0}
    scenario_file.write_text(scenario_file.read_text().replace('["h1", "h3"]', '["h1", "h2", "h3"]'))

    def changed_load(run_id, spec, attempt):
        found = succeeded(run_id, spec, attempt)
        return changed(found, metrics={"plt_s": plt_s[spec.workload.http] + spec.seed % 2 / 100})

    bentpipe("run", scenario_file, "--out", tmp_path / "a", "--set", "repetitions=4")
    engine.behave = changed_load
    bentpipe("run", scenario_file, "--out", tmp_path / "b", "--set", "repetitions=4")
    monkeypatch.setattr(import_module("bentpipe.cli.compare"), "MOST_ROWS", 2)
    lines = bentpipe("compare", tmp_path / "a", tmp_path / "b").stdout.splitlines()
    assert [line.split()[0] for line in lines[4:6]] == ["h1", "h3"]
    assert "… 1 more that differ less: --json has all of them" in lines
    assert len(bentpipe.json("compare", tmp_path / "a", tmp_path / "b", "--json")) == 3


def test_compare_of_folders_without_a_common_cell_is_bad_input(bentpipe, scenario_file, tmp_path):
    written = scenario_file.read_text()
    for name, http in (("a", '["h1", "h2"]'), ("b", '["h1s", "h3"]')):
        scenario_file.write_text(written.replace('["h1", "h3"]', http))
        bentpipe("run", scenario_file, "--out", tmp_path / name)
    result = bentpipe("compare", tmp_path / "a", tmp_path / "b", expect=2)
    assert "expected cells with succeeded runs" in result.stderr


@pytest.mark.parametrize("kind", ["csv", "har"])
def test_export_does_not_write_into_a_folder_of_results(bentpipe, results, tmp_path, kind):
    bentpipe("export", results, "--format", "csv", "--out", tmp_path / "tables")
    before = contents(results)
    said = bentpipe("export", results, "--format", kind, "--out", results, expect=2).stderr
    assert f"--out: expected a folder that has no results, found {results}" in said
    assert contents(results) == before


def test_show_says_of_a_place_that_may_not_be_looked_at_what_is_wrong(bentpipe, tmp_path, monkeypatch):
    exists = Path.exists

    def refuse(path):
        # As Linux does below a folder without the right to search it.
        if path.name == "ledger.sqlite":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return exists(path)

    monkeypatch.setattr(Path, "exists", refuse)
    said = bentpipe("show", tmp_path / "closed" / "0123", expect=2).stderr
    assert "THING: expected something that may be read" in said
    assert said.rstrip().endswith("Permission denied")


@pytest.mark.parametrize("thing", ["x" * 300, "x" * 300 + ".toml", "x/" * 3000, "x" * 300 + "/0123"])
def test_show_says_of_a_name_that_is_too_long_what_is_wrong(bentpipe, thing):
    # 255 bytes of a name, 4096 of a path: NAME_MAX and PATH_MAX of limits.h.
    assert "expected" in bentpipe("show", thing, expect=2).stderr
