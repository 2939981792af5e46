"""What an interruption or a power failure leaves at a bad moment, and that it is gone on with."""

import os

import pytest

from bentpipe.errors import InputError
from bentpipe.ledger import Entry, Ledger
from bentpipe.ledger.folder import Folder
from bentpipe.ledger.index import Index
from tests.ledger.test_folder import RUN, SCENARIO, some_results
from tests.support.ledgers import append
from tests.support.models import record_with


def test_what_was_committed_when_a_second_ctrl_c_came_is_not_committed_again(tmp_path, monkeypatch):
    add = Index.add

    def add_and_be_interrupted(index, rows, *, series_bytes):
        add(index, rows, series_bytes=series_bytes)
        raise KeyboardInterrupt

    monkeypatch.setattr(Index, "add", add_and_be_interrupted)
    with pytest.raises(KeyboardInterrupt):
        some_results(tmp_path / "results")
    monkeypatch.undo()
    with Ledger.claim(tmp_path / "results", SCENARIO) as ledger:
        assert ledger.succeeded() == {RUN}
        assert list(ledger.series(RUN, "link")["time_s"]) == [0.0]


def test_scenario_and_index_are_on_the_disk_before_they_have_their_names(tmp_path, monkeypatch):
    there = []
    sync = Folder.sync

    def noting_sync(folder):
        names = {path.name for path in folder.path.iterdir()}
        there.append(names & {"scenario.json", "ledger.sqlite"})
        sync(folder)

    monkeypatch.setattr(Folder, "sync", noting_sync)
    Ledger.claim(tmp_path / "results", SCENARIO).close()
    assert there == [set(), {"scenario.json", "ledger.sqlite"}]


@pytest.mark.parametrize(
    "empty", [("scenario.json",), ("ledger.sqlite",), ("scenario.json", "ledger.sqlite")], ids="+".join
)
def test_a_folder_that_a_power_failure_left_without_contents_is_gone_on_with(tmp_path, empty):
    Ledger.claim(tmp_path / "results", SCENARIO).close()
    for name in empty:
        os.truncate(tmp_path / "results" / name, 0)
    some_results(tmp_path / "results")
    with Ledger(tmp_path / "results") as ledger:
        assert (ledger.succeeded(), ledger.scenario()) == ({RUN}, SCENARIO)


@pytest.mark.parametrize("empty", ["scenario.json", "ledger.sqlite"])
def test_beside_results_an_empty_file_is_refused(tmp_path, empty):
    some_results(tmp_path / "results")
    os.truncate(tmp_path / "results" / empty, 0)
    with pytest.raises(InputError, match=empty):
        Ledger.claim(tmp_path / "results", SCENARIO)


def test_not_to_resume_is_no_obstacle_after_a_start_that_failed(tmp_path):
    (tmp_path / "ledger.lock").touch()
    (tmp_path / ".bentpipe-abcd_123.writing").mkdir(mode=0o700)
    Ledger.claim(tmp_path, SCENARIO, is_resumed=False).close()
    with pytest.raises(InputError, match="--no-resume: expected an empty folder"):
        Ledger.claim(tmp_path, SCENARIO, is_resumed=False)


def test_a_link_in_place_of_captures_that_leads_nowhere_is_removed(tmp_path):
    with Ledger.claim(tmp_path / "results", SCENARIO) as ledger:
        place = tmp_path / "results" / "artifacts" / f"{RUN}-1.writing"
        place.parent.mkdir()
        place.symlink_to(tmp_path / "nowhere")
        ledger.start(RUN, 1)
        assert place.is_dir() and not place.is_symlink()
        record = record_with(status="failed")
        append(ledger, Entry.of(record, run_id=RUN, attempt=1, factors={}, repetition=0))
