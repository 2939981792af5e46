"""Readers: at any moment, after any accident, without rights, and nothing in the folder changes."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bentpipe.errors import BentpipeError
from bentpipe.ledger import Ledger
from bentpipe.ledger import ledger as module
from tests.ledger.test_folder import RUN, is_root, some_results
from tests.support.trees import contents


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results"
    some_results(folder)
    return folder


def cut_short(folder, aside):
    """Leave the index as a machine without power does: half of a transaction, and its journal."""
    shutil.copy(folder / "ledger.sqlite", aside)
    with closing(sqlite3.connect(aside / "ledger.sqlite", isolation_level=None)) as database:
        # With so small a cache SQLite writes to the file before the commit (PRAGMA cache_spill).
        database.execute("PRAGMA cache_size = 1")
        database.execute("BEGIN")
        database.execute("UPDATE attempts SET status = 'half'")
        packs = [(number, f"{number:016x}-1", "{}", b"x" * 5000) for number in range(2, 22)]
        database.executemany("INSERT INTO packs VALUES (?, ?, ?, ?)", packs)
        others = "attempt, repetition, seed, status, reasons, engine, factors, spec, provenance, pack, series"
        database.executemany(
            f"INSERT INTO attempts (id, run_id, {others}) SELECT ?, ?, {others} FROM attempts WHERE id = 1",
            [(number, f"{number:016x}") for number in range(2, 22)],
        )
        for name in ("ledger.sqlite", "ledger.sqlite-journal"):
            shutil.copyfile(aside / name, folder / name)


def test_a_folder_whose_last_commit_was_cut_short_is_read_without_it_and_not_changed(results, tmp_path):
    (tmp_path / "aside").mkdir()
    cut_short(results, tmp_path / "aside")
    before = contents(results)
    with Ledger(results) as ledger:
        assert ledger.succeeded() == {RUN}
        assert [entry.run_id for entry in ledger.entries()] == [RUN]
    assert contents(results) == before


def test_the_copy_that_was_read_is_gone_afterwards(results, tmp_path, monkeypatch):
    (tmp_path / "aside").mkdir()
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "copies"))
    cut_short(results, tmp_path / "aside")
    with Ledger(results):
        assert len(list((tmp_path / "copies").iterdir())) == 1
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_writer_that_comes_while_the_copy_is_made_does_no_harm_to_it(results, tmp_path, monkeypatch):
    (tmp_path / "aside").mkdir()
    cut_short(results, tmp_path / "aside")
    copy, comes = shutil.copyfile, [True]

    def copy_and_be_overtaken(source, target):
        copy(source, target)
        if comes:
            comes.clear()
            with closing(sqlite3.connect(results / "ledger.sqlite")) as writer:
                writer.execute("UPDATE attempts SET status = 'failed'")
                writer.commit()

    monkeypatch.setattr(shutil, "copyfile", copy_and_be_overtaken)
    with Ledger(results) as ledger:
        assert not comes
        # One row, not the twenty of the commit that was cut short, and as the writer left it.
        assert len(ledger.entries()) == 1
        assert ledger.succeeded() == set()


def test_a_folder_of_an_early_version_is_not_changed_by_reading(results):
    with closing(sqlite3.connect(results / "ledger.sqlite")) as index:
        index.execute("PRAGMA journal_mode = WAL")
    before, in_root = contents(results), results.stat().st_mtime_ns
    with Ledger(results) as ledger:
        assert ledger.succeeded() == {RUN}
        assert contents(results) == before
    assert (contents(results), results.stat().st_mtime_ns) == (before, in_root)


def test_a_series_that_gets_its_name_while_its_length_is_asked_for_is_not_lost(results, monkeypatch):
    settled = results / "series" / "link" / f"{RUN}-1.parquet"
    between = settled.rename(f"{settled}.writing")
    stat = Path.stat

    def and_then_it_is_renamed(path, **named):
        found = stat(path, **named)
        if path.name == between.name:
            path.replace(settled)
        return found

    monkeypatch.setattr(Path, "stat", and_then_it_is_renamed)
    with Ledger(results) as ledger:
        assert ledger.succeeded() == {RUN}


def test_a_series_that_gets_its_name_while_it_is_opened_is_read(results, monkeypatch):
    settled = results / "series" / "link" / f"{RUN}-1.parquet"
    between = settled.rename(f"{settled}.writing")
    read = module.read_series

    def read_too_late(path, *, shown):
        if between.exists():
            between.rename(settled)
        return read(path, shown=shown)

    monkeypatch.setattr(module, "read_series", read_too_late)
    with Ledger(results) as ledger:
        assert list(ledger.series(RUN, "link")["time_s"]) == [0.0]


def said_to_nobody(tmp_path, ask):
    """Return what an error says to a user without rights, in a process of its own."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder == Path("/tmp"):
            break
        folder.chmod(0o755)
    heard, said = os.pipe()
    if os.fork() == 0:
        try:
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            ask()
        except BentpipeError as error:
            os.write(said, str(error).encode())
        finally:
            os._exit(0)
    os.close(said)
    with os.fdopen(heard) as text:
        return text.read()


@is_root
@pytest.mark.parametrize("closed", ["", "ledger.sqlite", "series", "series/link"])
def test_a_reader_without_rights_is_told_so_in_one_line(results, tmp_path, closed):
    (results / closed).chmod(0)

    def ask():
        with Ledger(results) as ledger:
            ledger.best()

    text = said_to_nobody(tmp_path, ask)
    assert text.startswith(str(results)) and text.endswith("Permission denied"), text


@is_root
def test_a_series_that_may_not_be_read_is_told_of_in_one_line(results, tmp_path):
    (results / "series" / "link" / f"{RUN}-1.parquet").chmod(0)

    def ask():
        with Ledger(results) as ledger:
            ledger.series(RUN, "link")

    assert f"{RUN}-1.parquet: Permission denied" in said_to_nobody(tmp_path, ask)
