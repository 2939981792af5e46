"""The index of a folder that somebody else made: what it says is looked at before it becomes a path."""

import os
import sqlite3
from contextlib import closing

import pytest

from bentpipe.errors import InputError
from bentpipe.ledger import Ledger
from bentpipe.ledger.index import RECORD_VERSION, Index
from tests.ledger.test_folder import RUN, some_results
from tests.support.models import record_with

RECORD = record_with(status="succeeded")
WRITTEN = {
    "run_id": RUN,
    "attempt": 1,
    "status": "succeeded",
    "factors": "{}",
    "repetition": 0,
    "record": RECORD.to_json(),
    "series": "{}",
}


def forged(folder, **changed):
    """Write an index with one row by hand; without a strict schema a column takes any type."""
    folder.mkdir()
    values = {**WRITTEN, **changed}
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as database:
        database.execute(f"CREATE TABLE attempts ({', '.join(values)})")
        database.execute("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?)", list(values.values()))
        database.execute(f"PRAGMA user_version = {RECORD_VERSION}")
        database.commit()
    return folder


def test_an_index_written_by_hand_is_read_when_it_is_like_ours(tmp_path):
    with Ledger(forged(tmp_path / "results")) as ledger:
        assert [entry.record for entry in ledger.entries()] == [RECORD]


@pytest.mark.parametrize(
    "changed",
    [
        {"run_id": "../../victim"},
        {"run_id": "/victim"},
        {"run_id": ""},
        {"run_id": "a" * 65},
        {"run_id": 7},
        {"attempt": 0},
        {"attempt": "1"},
        {"status": None},
        {"repetition": "0"},
        {"factors": "[]"},
        {"factors": b"{}"},
        {"series": "[]"},
        {"series": 3},
        {"series": '{"link": "long"}'},
        {"series": '{"../../victim": 3}'},
        {"record": "[]"},
        {"record": '{"reasons": []}'},
        {"record": '{"status": "succeeded", "reasons": "none"}'},
        {"record": "{"},
        # Python reads neither: sys.getrecursionlimit, sys.get_int_max_str_digits.
        {"record": "[" * 100_000},
        {"record": f'{{"status": "succeeded", "reasons": [], "n": {"9" * 5000}}}'},
    ],
    ids=lambda changed: str(changed)[:50],
)
def test_a_row_that_bentpipe_has_not_written_is_bad_input(tmp_path, changed):
    with (
        Ledger(forged(tmp_path / "results", **changed)) as ledger,
        pytest.raises(InputError, match=r"ledger\.sqlite: attempts: expected a ledger of Bentpipe"),
    ):
        ledger.entries()


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
