import math
import os
import sqlite3
from contextlib import closing

import pytest

from bentpipe.errors import InputError
from bentpipe.ledger import Entry, Ledger
from tests.support.ledgers import append
from tests.support.models import record_with

SCENARIO = {"name": "example", "cells": []}


RUN, OTHER_RUN = "a" * 16, "b" * 16


def entry(run_id=RUN, attempt=1, status="succeeded", **metrics):
    record = record_with(run_id=run_id, status=status, metrics=metrics)
    return Entry.of(record, run_id=run_id, attempt=attempt, factors={"http": "h3"}, repetition=0)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "results"


def test_what_is_appended_is_read_back(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(plt_s=3.25), {"link": {"time_s": [0.0, 0.1]}})
    with Ledger(folder) as ledger:
        assert ledger.entries() == [entry(plt_s=3.25)]
        assert list(ledger.series(RUN, "link")["time_s"]) == [0.0, 0.1]
        assert ledger.scenario() == SCENARIO


def test_a_missing_value_of_a_series_is_nan(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(), {"ping": {"rtt_s": [0.53, None]}})
        values = ledger.series(RUN, "ping")["rtt_s"]
    assert values[0] == 0.53
    assert math.isnan(values[1])


def test_a_series_without_rows_has_no_columns(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(), {"progress": {}})
        assert ledger.series(RUN, "progress") == {}


def test_a_series_or_run_that_there_is_not_has_no_columns(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry())
        assert ledger.series(RUN, "link") == {}
        assert ledger.series(OTHER_RUN, "link") == {}


def test_an_attempt_is_written_once(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(plt_s=1.0))
        with pytest.raises(sqlite3.IntegrityError):
            append(ledger, entry(plt_s=2.0))
        assert ledger.entries() == [entry(plt_s=1.0)]


def test_all_attempts_are_kept_and_counted(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(status="invalid"))
        append(ledger, entry(attempt=2))
        assert [one.attempt for one in ledger.entries()] == [1, 2]
        assert (ledger.attempts(RUN), ledger.attempts(OTHER_RUN)) == (2, 0)
        assert ledger.succeeded() == {RUN}


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
            append(ledger, entry(attempt=attempt, status=status), {"link": {"time_s": [float(attempt)]}})
        assert [one.attempt for one in ledger.best()] == [judged]
        assert list(ledger.series(RUN, "link")["time_s"]) == [float(judged)]


def test_a_reader_sees_a_run_as_soon_as_it_is_committed(folder):
    with Ledger.claim(folder, SCENARIO) as writer, Ledger(folder) as reader:
        assert reader.entries() == []
        append(writer, entry())
        assert len(reader.entries()) == 1


def test_a_reader_leaves_alone_what_the_writer_is_writing(folder):
    with Ledger.claim(folder, SCENARIO):
        unfinished = folder / "series" / "link" / f"{OTHER_RUN}-1.parquet.writing"
        unfinished.parent.mkdir(parents=True)
        unfinished.write_bytes(b"half")
        Ledger(folder).close()
        assert unfinished.exists()


def test_an_attempt_that_is_added_is_visible_when_it_is_committed(folder):
    with Ledger.claim(folder, SCENARIO) as writer, Ledger(folder) as reader:
        writer.add(entry(), {"link": {"time_s": [0.5]}})
        assert reader.entries() == []
        assert writer.commit() == [entry()]
        assert reader.entries() == [entry()]
        assert list(reader.series(RUN, "link")["time_s"]) == [0.5]


def test_the_next_writer_removes_what_was_left_unfinished_and_nothing_else(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(), {"link": {"time_s": [0.0]}})
    series, artifacts = folder / "series" / "link", folder / "artifacts"
    (series / f"{OTHER_RUN}-1.parquet.writing").write_bytes(b"half")
    (artifacts / f"{OTHER_RUN}-1.writing").mkdir(parents=True)
    (artifacts / f"{OTHER_RUN}-1.writing" / "client.pcapng").write_bytes(b"half")
    others = [
        series / "film.mkv",
        series / "notes.writing",
        artifacts / ".DS_Store",
        artifacts / "release",
        folder / "draft.tex",
    ]
    for path in others:
        path.write_text("somebody's")
    with Ledger.claim(folder, SCENARIO):
        assert {path.name for path in series.iterdir()} == {f"{RUN}-1.parquet", "film.mkv", "notes.writing"}
        assert {path.name for path in artifacts.iterdir()} == {".DS_Store", "release"}
        assert all(path.read_text() == "somebody's" for path in others)


def test_what_was_committed_but_not_renamed_gets_its_name(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        (ledger.start(RUN, 1) / "packets.pcapng").write_bytes(b"packets")
        append(ledger, entry(), {"link": {"time_s": [0.25]}})
    # As a process leaves it that is killed between the row and the names.
    series, artifacts = folder / "series" / "link" / f"{RUN}-1.parquet", folder / "artifacts" / f"{RUN}-1"
    series.rename(f"{series}.writing")
    artifacts.rename(f"{artifacts}.writing")
    with Ledger(folder) as reader:
        assert list(reader.series(RUN, "link")["time_s"]) == [0.25]
        assert (reader.artifacts(RUN, 1) / "packets.pcapng").read_bytes() == b"packets"
    with Ledger.claim(folder, SCENARIO) as ledger:
        assert series.exists() and (artifacts / "packets.pcapng").exists()
        assert ledger.succeeded() == {RUN}


def test_attempts_that_the_index_does_not_have_are_moved_out_of_the_way_and_counted(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(), {"link": {"time_s": [0.0]}})
    for _ in range(2):
        stray = folder / "series" / "link" / f"{OTHER_RUN}-1.parquet"
        stray.write_bytes(b"of an older index")
        with Ledger.claim(folder, SCENARIO) as ledger:
            assert ledger.set_aside == 1
        assert not stray.exists()
    kept = folder / "unindexed" / "series" / "link"
    assert [path.read_bytes() for path in kept.iterdir()] == [b"of an older index"] * 2


def test_an_index_without_attempts_beside_some_is_refused_and_they_stay(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(), {"link": {"time_s": [0.0]}})
    (folder / "ledger.sqlite").unlink()
    with pytest.raises(InputError, match="expected a folder of its own"):
        Ledger.claim(folder, SCENARIO)
    Ledger.claim(folder.parent / "empty", SCENARIO).close()
    (folder.parent / "empty" / "ledger.sqlite").replace(folder / "ledger.sqlite")
    with pytest.raises(InputError, match=f"1 such as {RUN}-1"):
        Ledger.claim(folder, SCENARIO)
    assert (folder / "series" / "link" / f"{RUN}-1.parquet").exists()


@pytest.mark.parametrize("harm", ["gone", "cut off", "empty"])
def test_a_run_whose_series_is_lost_is_invalid_and_measured_again(folder, harm):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(), {"link": {"time_s": [0.0]}, "ping": {"rtt_s": [0.5]}})
    file = folder / "series" / "link" / f"{RUN}-1.parquet"
    if harm == "gone":
        file.unlink()
    else:
        os.truncate(file, 0 if harm == "empty" else file.stat().st_size - 1)
    with Ledger.claim(folder, SCENARIO) as ledger:
        assert ledger.succeeded() == set()
        (lost,) = ledger.entries()
        assert lost.status == "invalid"
        (reason,) = lost.record.reasons
        assert (reason.code, reason.series, reason.attempt) == ("series-lost", "link", 1)
        append(ledger, entry(attempt=2), {"link": {"time_s": [0.5]}})
        assert ledger.succeeded() == {RUN}
        assert [one.attempt for one in ledger.best()] == [2]
        assert list(ledger.series(RUN, "link")["time_s"]) == [0.5]


def test_a_series_that_is_no_table_is_bad_input(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(), {"link": {"time_s": [0.0]}})
    file = folder / "series" / "link" / f"{RUN}-1.parquet"
    file.write_bytes(b"x" * file.stat().st_size)
    with Ledger(folder) as ledger, pytest.raises(InputError, match=f"{RUN}-1.parquet: .*series as Parquet"):
        ledger.series(RUN, "link")


OF_VERSION_2 = [
    "DROP TABLE attempts",
    "CREATE TABLE attempts (run_id TEXT, attempt INTEGER, status TEXT, factors TEXT, repetition INTEGER, "
    "record TEXT, series TEXT, PRIMARY KEY (run_id, attempt)) STRICT",
    "INSERT INTO attempts VALUES ('aaaaaaaaaaaaaaaa', 1, 'succeeded', '{}', 0, '{}', '{}')",
]
"""An index whose rows have the whole record, as it was before version 3."""


@pytest.mark.parametrize(
    "statements",
    [
        [*OF_VERSION_2, "PRAGMA user_version = 2"],
        [*OF_VERSION_2, "PRAGMA user_version = 0", "PRAGMA journal_mode = WAL"],
        ["PRAGMA user_version = 4"],
    ],
    ids=["earlier", "early", "later"],
)
def test_records_of_another_version_are_refused_by_name_and_left_as_they_are(folder, statements):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(), {"link": {"time_s": [0.0]}})
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as index:
        for statement in statements:
            index.execute(statement)
            index.commit()
    before = (folder / "ledger.sqlite").read_bytes()
    said = (
        r"ledger\.sqlite: attempts: expected records of version 3, found version [024], of another Bentpipe"
    )
    with pytest.raises(InputError, match=said):
        Ledger(folder)
    with pytest.raises(InputError, match=said):
        Ledger.claim(folder, SCENARIO)
    assert (folder / "ledger.sqlite").read_bytes() == before


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


def test_nan_in_a_record_is_written_as_null_which_json_has(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, entry(plt_s=math.nan))
    with Ledger(folder) as ledger:
        assert ledger.entries()[0].record.metrics.plt_s is None
