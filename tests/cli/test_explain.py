"""explain, with runs of the simulator: from a folder of results to its diagnosis and captures."""

import json
import sqlite3

import pytest

from bentpipe.ledger import Ledger
from tests.support.trees import contents

pytestmark = pytest.mark.usefixtures("report")

SCENARIO = """
name = "example"
repetitions = 2
[run]
link = "flat:down=2Mbit/s,up=1Mbit/s,rtt=200ms"
page = "uniform-500k"
http = "h2"
[matrix]
cc = ["cubic", "bbr"]
"""


@pytest.fixture
def folder(bentpipe, tmp_path):
    (tmp_path / "example.toml").write_text(SCENARIO)
    bentpipe("run", tmp_path / "example.toml", "--engine", "simulate", "--out", tmp_path / "results")
    return tmp_path / "results"


def test_a_slow_run_is_repeated_with_captures_and_is_the_same(bentpipe, folder):
    told = bentpipe("explain", folder).stdout
    assert "succeeded (the slowest of 4 against the median of its cell)" in told
    assert "simulated again: the same record, byte by byte" in told
    with Ledger(folder) as ledger:
        run_id = told.split()[1].rstrip(":")
        assert run_id in {entry.run_id for entry in ledger.best()}
    made = folder / "explain" / run_id
    assert {path.name for path in made.iterdir()} == {"packets.pcapng", "page.har"}
    assert len(json.loads((made / "page.har").read_text())["log"]["entries"]) == 9
    assert f"tshark -r {made / 'packets.pcapng'} -Y 'frame.interface_id == 0 && tcp.port == " in told


@pytest.mark.parametrize("bad", ["file", "file/below", "link"])
def test_captures_go_to_no_place_that_is_no_folder(bentpipe, folder, tmp_path, bad):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("results")
    before = contents(folder)
    told = bentpipe("explain", folder, "--out", tmp_path / bad, expect=2).stderr.splitlines()
    assert told[-1].startswith(
        (f"error: {tmp_path / bad}: --out: expected", "Error: Invalid value for '--out'")
    )
    assert str(tmp_path / bad) in told[-1]
    assert contents(folder).keys() == before.keys()


def test_a_run_of_another_version_is_told_to_differ(bentpipe, folder):
    with sqlite3.connect(folder / "ledger.sqlite") as index:
        index.execute("""UPDATE shared SET json = replace(json, '"bentpipe":"', '"bentpipe":"0')""")
    assert "its record differs in provenance" in bentpipe("explain", folder).stdout


def test_the_same_as_one_json_document(bentpipe, folder):
    found = bentpipe.json("explain", folder, "--json")
    assert found["captures"]["differing"] == []
    assert sum(share["time_s"] for share in found["shares"]) == pytest.approx(found["time_s"], abs=0.1)
    assert found["factors"]["http"] == "h2"


@pytest.mark.usefixtures("folder")
def test_a_failed_run_says_how_far_it_came_and_how_to_allow_more(bentpipe, tmp_path):
    out = tmp_path / "short"
    run = ("run", tmp_path / "example.toml", "--engine", "simulate", "--out", out)
    told = bentpipe(*run, "--set", "validity.timeout=1500ms", expect=1).stderr
    # 500 kB at 2 Mbit/s are 2 s, and a round trip.
    assert "warning: cubic takes at least 2.2 s at the link's rate, and is given up after 1.5 s" in told
    assert "4 x failed: such as" not in told
    assert "4 x failed: timed out after 1.5 s; " in told
    explained = bentpipe("explain", out).stdout
    assert "failed (the first of 4 failed by timed-out)" in explained
    assert "allows more" in explained
    assert "simulated again: the same record, byte by byte" in explained


def test_captures_go_elsewhere_where_the_folder_takes_none(bentpipe, folder, tmp_path):
    (folder / "explain").write_text("a file in its place")
    refused = bentpipe("explain", folder, expect=2).stderr
    assert "--out: expected a folder to write to" in refused
    bentpipe("explain", folder, "--out", tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "packets.pcapng").stat().st_size > 0


@pytest.mark.parametrize("content", ["{}", '{"name": 3}', "[]", "nonsense"])
@pytest.mark.parametrize("command", ["explain", "report"])
def test_a_folder_whose_scenario_is_something_else_is_refused(
    bentpipe, folder, content, command, monkeypatch
):
    monkeypatch.undo()  # The report itself, not a double of it.
    (folder / "scenario.json").write_text(content)
    told = bentpipe(command, folder, expect=2).stderr
    assert told.startswith(f"error: {folder / 'scenario.json'}: ")
    assert len(told.splitlines()) == 1


def test_a_run_of_another_engine_without_captures_is_explained_without(
    bentpipe, engine, scenario_file, tmp_path
):
    del engine
    bentpipe("run", scenario_file, "--out", tmp_path / "results")
    told = bentpipe("explain", tmp_path / "results").stdout
    assert "the slowest of 4" in told
    assert told.endswith("no captures\n")
