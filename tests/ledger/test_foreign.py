"""The index of a folder that somebody else made: what it says is looked at before it becomes a path."""

import os
import sqlite3
import zlib
from contextlib import closing

import pytest

from bentpipe.errors import InputError
from bentpipe.ledger import Ledger
from bentpipe.ledger.index import Index
from tests.ledger.test_folder import RUN, some_results
from tests.support.models import record_with

RECORD = record_with(run_id=RUN, status="succeeded")
TABLES = ("attempts", "packs", "shared")


def forged(folder, changed=()):
    """Write an index as it is, then by hand `changed`, values of "table.column", into tables of any type."""
    some_results(folder)
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as database:
        for table in TABLES:
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            database.execute(f"CREATE TABLE copied ({', '.join(columns)})")
            database.execute(f"INSERT INTO copied SELECT * FROM {table}")
            database.execute(f"DROP TABLE {table}")
            database.execute(f"ALTER TABLE copied RENAME TO {table}")
        for place, value in dict(changed).items():
            table, column = place.split(".")
            database.execute(f"UPDATE {table} SET {column} = ?", (value,))
        database.commit()
    return folder


def test_an_index_written_by_hand_is_read_when_it_is_like_ours(tmp_path):
    with Ledger(forged(tmp_path / "results")) as ledger:
        assert [entry.record for entry in ledger.entries()] == [RECORD]


def records(text):
    return zlib.compress(text.encode())


@pytest.mark.parametrize(
    "changed",
    [
        {"attempts.run_id": "../../victim"},
        {"attempts.run_id": "/victim"},
        {"attempts.run_id": ""},
        {"attempts.run_id": "a" * 65},
        {"attempts.run_id": 7},
        {"attempts.attempt": 0},
        {"attempts.attempt": "1"},
        {"attempts.status": None},
        {"attempts.repetition": "0"},
        {"attempts.rtt_mean_s": "long"},
        {"attempts.pack": 9},
        {"attempts.pack": -(2**63)},
        {"attempts.spec": 99},
        {"attempts.factors": 99},
        {"attempts.factors": b"{}"},
        {"shared.json": "[]"},
        {"shared.json": b"{}"},
        {"shared.json": "{}"},
        {"packs.name": "../../victim-1"},
        {"packs.name": None},
        {"packs.id": "one"},
        {"packs.series_bytes": "[]"},
        {"packs.series_bytes": 3},
        {"packs.series_bytes": '{"link": "long"}'},
        {"packs.series_bytes": '{"../../victim": 3}'},
        {"packs.records": None},
        {"packs.records": b"not compressed"},
        {"packs.records": records(RECORD.to_json())[:-8]},
        {"packs.records": records("")},
        {"packs.records": records("[]")},
        {"packs.records": records('{"reasons": []}')},
        {"packs.records": records('{"status": "succeeded", "reasons": "none"}')},
        {"packs.records": records("{")},
        {"packs.records": zlib.compress(b"\xff")},
        # Python reads neither: sys.getrecursionlimit, sys.get_int_max_str_digits.
        {"packs.records": records("[" * 100_000)},
        {"packs.records": records(f'{{"status": "succeeded", "reasons": [], "n": {"9" * 5000}}}')},
    ],
    ids=lambda changed: str(changed)[:50],
)
def test_what_bentpipe_has_not_written_is_bad_input(tmp_path, changed):
    with (
        pytest.raises(InputError, match=r"ledger\.sqlite: attempts: expected a ledger of Bentpipe"),
        Ledger(forged(tmp_path / "results", changed)) as ledger,
    ):
        for entry in ledger.entries():
            assert entry.metrics["rtt_mean_s"] is None
            assert entry.record.status


def test_a_text_that_is_no_utf_8_is_bad_input(tmp_path):
    folder = forged(tmp_path / "results")
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as database:
        database.execute("UPDATE attempts SET status = CAST(x'ff' AS TEXT)")
        database.commit()
    with Ledger(folder) as ledger, pytest.raises(InputError, match="expected a ledger of Bentpipe"):
        ledger.entries()


def test_a_folder_may_have_a_name_that_is_no_utf_8(tmp_path):
    folder = tmp_path / os.fsdecode(b"results-\xff?#%41")
    some_results(folder)
    # Not by Ledger: for root it reaches the folder by another path.
    with closing(Index.open(folder / "ledger.sqlite", shown=folder)) as index:
        assert index.attempts(RUN) == 1
