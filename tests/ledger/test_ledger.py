import math
import sqlite3

import pytest

from bentpipe.errors import InputError
from bentpipe.ledger import Entry, Ledger

SCENARIO = {"name": "example", "cells": []}


def entry(run_id="a", attempt=1, status="succeeded", **metrics):
    record = {"run_id": run_id, "status": status, "reasons": [], "metrics": metrics}
    return Entry(run_id=run_id, attempt=attempt, factors={"http": "h3"}, repetition=0, record=record)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "results"


def test_what_is_appended_is_read_back(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        ledger.append(entry(plt_s=3.25), {"link": {"time_s": [0.0, 0.1]}})
    with Ledger(folder) as ledger:
        assert ledger.entries() == [entry(plt_s=3.25)]
        assert list(ledger.series("a", "link")["time_s"]) == [0.0, 0.1]
        assert ledger.scenario() == SCENARIO


def test_a_missing_value_of_a_series_is_nan(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        ledger.append(entry(), {"ping": {"rtt_s": [0.53, None]}})
        values = ledger.series("a", "ping")["rtt_s"]
    assert values[0] == 0.53
    assert math.isnan(values[1])


def test_a_series_without_rows_has_no_columns(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        ledger.append(entry(), {"progress": {}})
        assert ledger.series("a", "progress") == {}


def test_a_series_or_run_that_there_is_not_has_no_columns(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        ledger.append(entry(), {})
        assert ledger.series("a", "link") == {}
        assert ledger.series("b", "link") == {}


def test_an_attempt_is_written_once(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        ledger.append(entry(plt_s=1.0), {})
        with pytest.raises(sqlite3.IntegrityError):
            ledger.append(entry(plt_s=2.0), {})
        assert ledger.entries() == [entry(plt_s=1.0)]


def test_all_attempts_are_kept_and_counted(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        ledger.append(entry(status="invalid"), {})
        ledger.append(entry(attempt=2), {})
        assert [one.attempt for one in ledger.entries()] == [1, 2]
        assert (ledger.attempts("a"), ledger.attempts("b")) == (2, 0)
        assert ledger.succeeded() == {"a"}


@pytest.mark.parametrize(
    ("statuses", "judged"),
    [
        (["invalid", "succeeded"], 2),
        (["succeeded", "failed"], 1),
        (["succeeded", "succeeded"], 1),
        (["invalid", "failed"], 2),
        (["failed"], 1),
    ],
)
def test_the_first_attempt_that_succeeded_is_judged_or_else_the_last(folder, statuses, judged):
    with Ledger.claim(folder, SCENARIO) as ledger:
        for attempt, status in enumerate(statuses, start=1):
            ledger.append(entry(attempt=attempt, status=status), {"link": {"time_s": [float(attempt)]}})
        assert [one.attempt for one in ledger.best()] == [judged]
        assert list(ledger.series("a", "link")["time_s"]) == [float(judged)]


def test_a_reader_sees_a_run_as_soon_as_it_is_appended(folder):
    with Ledger.claim(folder, SCENARIO) as writer, Ledger(folder) as reader:
        assert reader.entries() == []
        writer.append(entry(), {})
        assert len(reader.entries()) == 1


def test_a_reader_leaves_alone_what_the_writer_is_writing(folder):
    with Ledger.claim(folder, SCENARIO):
        unfinished = folder / "series" / "link" / "b-1.writing"
        unfinished.parent.mkdir(parents=True)
        unfinished.write_bytes(b"half")
        Ledger(folder).close()
        assert unfinished.exists()


def test_the_next_writer_removes_what_has_no_row(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        ledger.append(entry(), {"link": {"time_s": [0.0]}})
    series = folder / "series" / "link"
    (series / "b-1.writing").write_bytes(b"half")
    (series / "b-1.parquet").write_bytes(b"whole, but its row was not committed")
    (folder / "artifacts" / "b-1").mkdir(parents=True)
    (folder / "artifacts" / "b-1" / "client.pcapng").write_bytes(b"half")
    with Ledger.claim(folder, SCENARIO):
        assert [path.name for path in series.iterdir()] == ["a-1.parquet"]
        assert list((folder / "artifacts").iterdir()) == []


def test_a_folder_belongs_to_one_scenario(folder):
    Ledger.claim(folder, SCENARIO).close()
    with pytest.raises(
        InputError, match=r"scenario\.json: expected the scenario 'other', or an empty folder"
    ):
        Ledger.claim(folder, {"name": "other", "cells": []})


def test_two_writers_do_not_share_a_folder(folder):
    with Ledger.claim(folder, SCENARIO), pytest.raises(InputError, match="another process"):
        Ledger.claim(folder, SCENARIO)


def test_a_folder_is_free_again_when_its_writer_is_done(folder):
    Ledger.claim(folder, SCENARIO).close()
    Ledger.claim(folder, SCENARIO).close()


def test_a_folder_without_a_ledger_is_bad_input(tmp_path):
    with pytest.raises(InputError, match="expected a folder of results, found none"):
        Ledger(tmp_path)
    with pytest.raises(InputError, match="found no such folder"):
        Ledger(tmp_path / "missing")


def test_a_file_that_is_no_ledger_is_bad_input(tmp_path):
    (tmp_path / "ledger.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(InputError, match="expected a ledger of Bentpipe"):
        Ledger(tmp_path)
    with pytest.raises(InputError, match="expected a ledger of Bentpipe"):
        Ledger.claim(tmp_path, SCENARIO)


def test_a_place_where_no_folder_can_be_made_is_bad_input(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="expected a folder to write to"):
        Ledger.claim(tmp_path / "file" / "results", SCENARIO)


def test_a_record_with_nan_is_refused_rather_than_written_as_no_json(folder):
    with Ledger.claim(folder, SCENARIO) as ledger, pytest.raises(ValueError, match="not JSON compliant"):
        ledger.append(entry(plt_s=math.nan), {})
