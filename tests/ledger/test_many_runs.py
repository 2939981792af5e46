"""A ledger of many runs: what each adds to it is little, and the same for the first as for the last."""

import sqlite3
import tracemalloc
from contextlib import closing

import numpy as np
import polars
import pytest

from bentpipe.ledger import Entry, Ledger, records
from bentpipe.ledger.index import METRICS
from bentpipe.ledger.records import Records
from bentpipe.model.page import PageLoadWorkload
from bentpipe.stats import metric_values, metrics_of
from tests.support.ledgers import append
from tests.support.models import record_with

SCENARIO = {"name": "example", "cells": []}
CELLS = ({"link": "lan"}, {"link": "geo", "pep": "split"})
COMMIT = 500
MOST_INDEX_BYTES = 500
"""A run of pings takes 211 B of the index (make million); a record in full takes 3 kB."""


def ping(number, *, status="succeeded", attempt=1):
    cell = number % 2
    record = record_with(
        run_id=f"{number:016x}",
        status=status,
        spec={"seed": number, "workload": {"kind": "ping"}},
        provenance={"bentpipe": "0.1.0"},
        metrics={"rtt_mean_s": 0.5 + number / 1e6, "wire_bytes_down": 960 + number, "plt_s": None},
    )
    return Entry.of(
        record, run_id=record.run_id, attempt=attempt, factors=CELLS[cell], repetition=number // 2
    )


def rtts(number):
    return [0.5 + number / 1e6, None]


def series(number):
    columns = {"sequence": [0.0, 1.0], "rtt_s": rtts(number)}
    return {"ping": columns, "link": {"time_s": [0.1]}} if number % 2 else {"ping": columns}


def commit(ledger, numbers):
    for number in numbers:
        ledger.add(ping(number), series(number))
    ledger.commit()


@pytest.fixture
def folder(tmp_path):
    with Ledger.claim(tmp_path / "results", SCENARIO) as ledger:
        for start in range(0, 4 * COMMIT, COMMIT):
            commit(ledger, range(start, start + COMMIT))
    return tmp_path / "results"


def test_a_commit_makes_a_file_for_each_series_however_many_runs_it_has(folder):
    assert len(list((folder / "series" / "ping").iterdir())) == 4
    assert len(list((folder / "series" / "link").iterdir())) == 4
    assert not (folder / "artifacts").exists()


def test_a_run_takes_little_of_the_index_and_the_last_as_little_as_the_first(folder):
    before = (folder / "ledger.sqlite").stat().st_size
    assert before / (4 * COMMIT) < MOST_INDEX_BYTES
    with Ledger.claim(folder, SCENARIO) as ledger:
        commit(ledger, range(4 * COMMIT, 8 * COMMIT))
    assert (folder / "ledger.sqlite").stat().st_size / before == pytest.approx(2, rel=0.1)


def test_what_runs_share_is_kept_once(folder):
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as index:
        texts = {text for (text,) in index.execute("SELECT json FROM shared")}
        count = index.execute("SELECT count(*) FROM shared").fetchone()[0]
    # Two cells' factors, the specification of both, a provenance.
    assert count == len(texts) == 4


def test_runs_are_listed_judged_and_averaged_without_reading_a_record(folder, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a record was read")

    monkeypatch.setattr(Records, "record", refuse)
    with Ledger(folder) as ledger:
        best = ledger.best()
        assert len(ledger.succeeded()) == len(best) == 4 * COMMIT
        assert metric_values(best, "rtt_mean_s") == [0.5 + number / 1e6 for number in range(4 * COMMIT)]
        assert {entry.workload for entry in best} == {"ping"}
        assert ledger.unsuccessful() == []


def test_counting_runs_takes_no_more_memory_for_many(folder):
    def peak_bytes():
        with Ledger(folder) as ledger:
            tracemalloc.start()
            counted = ledger.tally(["rtt_mean_s"])
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        return sum(cell.values["rtt_mean_s"].count for _, cell in counted.cells), peak

    before, peak_before = peak_bytes()
    with Ledger.claim(folder, SCENARIO) as ledger:
        commit(ledger, range(4 * COMMIT, 12 * COMMIT))
    after, peak_after = peak_bytes()
    assert (before, after) == (4 * COMMIT, 12 * COMMIT)
    assert peak_after == pytest.approx(peak_before, rel=0.2)


def test_the_record_of_any_run_is_as_it_was_written(folder):
    with Ledger(folder) as ledger:
        entries = ledger.entries()
        for number in (0, 1, COMMIT - 1, COMMIT, 4 * COMMIT - 1, 7):
            assert entries[number] == ping(number)
            assert dict(entries[number].metrics) == metrics_of(ping(number).record)


@pytest.mark.parametrize(("most_kept", "unpacked"), [(records.MOST_KEPT_CHARACTERS, 4), (1, 12)])
def test_packs_are_kept_unpacked_within_a_bound(folder, monkeypatch, most_kept, unpacked):
    packs = []
    unpack = Records._unpacked

    def counted(self, pack):
        packs.append(pack)
        return unpack(self, pack)

    monkeypatch.setattr(Records, "_unpacked", counted)
    monkeypatch.setattr(records, "MOST_KEPT_CHARACTERS", most_kept)
    with Ledger(folder) as ledger:
        entries = ledger.entries()
        # As a reader of cells does: a run of each of the four packs, three times over.
        for number in range(3):
            for start in range(0, 4 * COMMIT, COMMIT):
                assert entries[start + number] == ping(start + number)
    assert len(packs) == unpacked


def test_the_series_of_any_run_are_its_own(folder):
    with Ledger(folder) as ledger:
        for number in (0, 1, COMMIT - 1, COMMIT, 4 * COMMIT - 1, 7):
            found = ledger.series(f"{number:016x}", "ping")
            np.testing.assert_array_equal(found["rtt_s"], np.array(rtts(number), dtype=float))
            assert ("time_s" in ledger.series(f"{number:016x}", "link")) is bool(number % 2)


def test_a_series_of_all_runs_is_read_file_by_file(folder):
    with Ledger(folder) as ledger:
        found = [
            (run_id, attempt, columns["rtt_s"][0]) for run_id, attempt, columns in ledger.every_series("ping")
        ]
    assert found == [(f"{number:016x}", 1, rtts(number)[0]) for number in range(4 * COMMIT)]


def test_the_table_of_runs_has_identity_factors_and_metrics(folder):
    with Ledger(folder) as ledger:
        runs = ledger.runs()
    assert runs.columns == [
        *("run_id", "attempt", "repetition", "status", "reasons", "engine"),
        *("factor_link", "factor_pep"),
        *METRICS,
    ]
    assert {runs.schema[name] for name in METRICS} == {polars.Float64}
    row = runs.row(3, named=True)
    assert (row["run_id"], row["repetition"], row["factor_pep"]) == (f"{3:016x}", 1, "split")
    assert (row["rtt_mean_s"], row["wire_bytes_down"], row["plt_s"]) == (0.500003, 963.0, None)
    assert runs["factor_pep"].null_count() == 2 * COMMIT


def test_the_table_of_no_runs_has_its_columns(tmp_path):
    with Ledger.claim(tmp_path / "results", SCENARIO) as ledger:
        assert ledger.runs().shape == (0, 6 + len(METRICS))


def test_what_did_not_succeed_is_found_without_the_others(folder):
    with Ledger.claim(folder, SCENARIO) as ledger:
        for attempt in (1, 2):
            append(ledger, ping(9001, status="invalid", attempt=attempt))
        append(ledger, ping(9002, status="failed"))
        append(ledger, ping(9002, attempt=2))
        found = [(entry.run_id, entry.attempt) for entry in ledger.unsuccessful()]
        assert found == [(f"{9001:016x}", 2)]
        assert found == [(each.run_id, each.attempt) for each in ledger.best() if each.status != "succeeded"]


def test_a_lost_file_costs_the_runs_of_its_commit_that_have_the_series_and_no_other(folder):
    (folder / "series" / "link" / f"{0:016x}-1.parquet").unlink()
    with Ledger(folder) as ledger:
        lost = {entry.run_id for entry in ledger.entries() if entry.status == "invalid"}
        assert lost == {f"{number:016x}" for number in range(1, COMMIT, 2)}
        assert {entry.run_id for entry in ledger.unsuccessful()} == lost
        assert len(ledger.succeeded()) == 4 * COMMIT - len(lost)
        assert len(ledger.series(f"{2:016x}", "ping")["rtt_s"]) == 2
        reasons = set(ledger.runs().filter(polars.col("status") == "invalid")["reasons"])
        assert reasons == {"series-lost"}


def test_tables_of_a_commit_may_have_different_columns(tmp_path):
    with Ledger.claim(tmp_path / "results", SCENARIO) as ledger:
        ledger.add(ping(0), {"classes": {"time_s": [0.1, 0.2], "forward_voice_queue_bytes": [1.0, None]}})
        ledger.add(ping(1), {"classes": {"time_s": [0.1], "forward_data_queue_bytes": [2.0]}})
        ledger.commit()
        voice, data = (ledger.series(f"{number:016x}", "classes") for number in (0, 1))
    assert list(voice) == ["time_s", "forward_voice_queue_bytes"]
    np.testing.assert_array_equal(voice["forward_voice_queue_bytes"], [1.0, np.nan])
    assert {name: list(values) for name, values in data.items()} == {
        "time_s": [0.1],
        "forward_data_queue_bytes": [2.0],
    }


def test_series_are_tables_that_other_programs_read(folder):
    table = polars.read_parquet(folder / "series" / "ping" / "*.parquet")
    assert table.columns == ["run_id", "attempt", "sequence", "rtt_s"]
    assert table.filter(polars.col("run_id") == f"{7:016x}")["rtt_s"][0] == rtts(7)[0]


def test_a_folder_from_before_a_metric_was_there_is_read_and_gone_on_with(folder):
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as index:
        index.execute("ALTER TABLE attempts DROP COLUMN wire_bytes_down")
    with Ledger(folder) as ledger:
        assert ledger.entries()[0].metrics["wire_bytes_down"] is None
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(ledger, ping(9000))
        assert [entry.metrics["wire_bytes_down"] for entry in ledger.entries()[-2:]] == [None, 9960]


def test_a_page_load_says_its_workload_without_its_record(tmp_path):
    record = record_with(status="succeeded", spec={"workload": {"kind": "page-load"}})
    assert isinstance(record.spec.workload, PageLoadWorkload)
    with Ledger.claim(tmp_path / "results", SCENARIO) as ledger:
        append(ledger, Entry.of(record, run_id="a" * 16, attempt=1, factors={}, repetition=0))
        assert [entry.workload for entry in ledger.entries()] == ["page-load"]
