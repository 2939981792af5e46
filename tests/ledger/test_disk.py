"""Disks that are full, read-only or out of order: no traceback, nothing lost that was told as done."""

import errno
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from bentpipe.campaign import executor
from bentpipe.campaign.executor import execute
from bentpipe.campaign.plan import plan
from bentpipe.errors import BentpipeError, StorageError
from bentpipe.ledger import Ledger
from bentpipe.ledger import ledger as module
from bentpipe.ledger.folder import Folder
from bentpipe.ledger.index import Index
from tests.campaign.conftest import a_scenario
from tests.campaign.fake_engine import FakeEngine, QuietProgress

ON_A_SMALL_DISK = """
import sys
from pathlib import Path
from tests.ledger import test_disk
for size_bytes in map(int, sys.argv[2:]):
    test_disk.fill_a_disk_and_go_on(Path(sys.argv[1]), size_bytes)
"""
LEAST_BYTES, MOST_BYTES = 16_000, 290_000
"""From a disk that has no room for the index to one that has room for nearly all runs."""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: file systems of a given size")


def measured(folder, *, engine=None, jobs=2):
    """Run the campaign on a folder, each run a commit of its own; return what was told as judged."""
    scenario, progress = a_scenario(repetitions=20), QuietProgress()
    try:
        with (
            patch.object(executor, "LONGEST_UNCOMMITTED_S", 0.0),
            Ledger.claim(folder, scenario.document()) as ledger,
        ):
            execute(
                plan(scenario), engine=engine or FakeEngine(), ledger=ledger, jobs=jobs, progress=progress
            )
    except BentpipeError as error:
        return sum(told[0] == "judged" for told in progress.told), error
    return sum(told[0] == "judged" for told in progress.told), None


def captured(run):
    spec = {**run.cell.spec, "capture": {"pcapng": True, "qlog": False}}
    return replace(run, cell=replace(run.cell, spec=spec))


def succeeded(folder):
    if not (folder / "ledger.sqlite").exists():
        return set()
    with Ledger(folder) as ledger:
        return ledger.succeeded()


def fill_a_disk_and_go_on(place, size_bytes):
    """In a mount namespace of its own: a campaign on a file system of that size, then with room."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "small", place], check=True)
    folder = place / "results"
    judged, error = measured(folder)
    assert isinstance(error, StorageError), error
    assert "No space left on device" in str(error) or "disk is full" in str(error), error
    kept = succeeded(folder)
    assert len(kept) >= judged, (len(kept), judged)
    subprocess.run(["mount", "-o", "remount,size=100m", place], check=True)
    _, error = measured(folder)
    assert error is None, error
    assert kept <= succeeded(folder)
    assert len(succeeded(folder)) == 60
    with Ledger(folder) as ledger:
        assert all(ledger.series(entry.run_id, "link") for entry in ledger.best())
    # Lazily: a worker of the campaign that has been abandoned may still close what it had open.
    subprocess.run(["umount", "--lazy", place], check=True)


@needs_root
def test_a_campaign_on_disks_of_20_random_sizes_says_that_they_are_full_and_goes_on_with_room(
    tmp_path, request
):
    chance = random.Random(1)
    sizes = [str(chance.randint(LEAST_BYTES, MOST_BYTES)) for _ in range(20)]
    command = ["unshare", "--mount", sys.executable, "-c", ON_A_SMALL_DISK, tmp_path, *sizes]
    ended = subprocess.run(command, cwd=request.config.rootpath, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, (sizes, ended.stderr)


def refusing(number, *, after):
    """Return a function that raises an error of the operating system when it was called so many times."""
    calls = 0

    def refuse():
        nonlocal calls
        calls += 1
        if calls > after:
            raise OSError(number, os.strerror(number), "file")

    return refuse


@pytest.mark.parametrize(("number", "after"), [(errno.EIO, 0), (errno.EROFS, 1), (errno.EDQUOT, 2)])
@pytest.mark.parametrize("where", ["series", "sync", "names", "artifacts"])
def test_an_error_of_the_disk_ends_a_campaign_in_one_line_and_the_next_goes_on(
    tmp_path, monkeypatch, number, after, where
):
    refuse = refusing(number, after=after)
    owner, name = {
        "series": (module, "write_series"),
        "sync": (Folder, "sync"),
        "names": (Folder, "settle"),
        "artifacts": (Folder, "made"),
    }[where]
    original = getattr(owner, name)

    def failing(*arguments, **named):
        refuse()
        return original(*arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, failing)
        judged, error = measured(tmp_path / "results")
    assert isinstance(error, StorageError), error
    assert os.strerror(number) in str(error)
    kept = succeeded(tmp_path / "results")
    assert len(kept) >= judged
    _, error = measured(tmp_path / "results")
    assert error is None
    assert kept <= succeeded(tmp_path / "results")
    assert len(succeeded(tmp_path / "results")) == 60


def test_what_the_index_says_of_a_disk_is_passed_on(tmp_path, monkeypatch):
    # SQLite's own limit stands in for a disk (PRAGMA max_page_count): "database or disk is full".
    claim = Index.claim.__func__

    def small(cls, path, *, shown):
        index = claim(cls, path, shown=shown)
        index._connection.execute("PRAGMA max_page_count = 12")
        return index

    with monkeypatch.context() as patch:
        patch.setattr(Index, "claim", classmethod(small))
        judged, error = measured(tmp_path / "results")
    assert isinstance(error, StorageError)
    assert "database or disk is full (SQLITE_FULL)" in str(error)
    assert len(succeeded(tmp_path / "results")) >= judged > 0
    assert measured(tmp_path / "results")[1] is None


@needs_root
def test_a_folder_on_a_read_only_medium_is_read_and_not_written(tmp_path, request):
    assert measured(tmp_path / "results")[1] is None
    script = f"""
import subprocess
from pathlib import Path
from tests.ledger.test_disk import measured, succeeded
place = Path({str(tmp_path)!r})
subprocess.run(["mount", "--bind", place, place], check=True)
subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True)
assert len(succeeded(place / "results")) == 60
_, error = measured(place / "results")
assert "Read-only file system" in str(error), error
_, error = measured(place / "other")
assert "Read-only file system" in str(error), error
"""
    command = ["unshare", "--mount", sys.executable, "-c", script]
    ended = subprocess.run(command, cwd=request.config.rootpath, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_captures_are_not_started_on_a_disk_that_is_nearly_full(tmp_path, monkeypatch):
    import shutil
    from types import SimpleNamespace

    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    scenario = a_scenario()
    runs = [captured(run) for run in plan(scenario)]
    with (
        pytest.raises(StorageError, match="1 MB free, and captures need 64 MB"),
        Ledger.claim(tmp_path / "results", scenario.document()) as ledger,
    ):
        execute(runs, engine=FakeEngine(), ledger=ledger, jobs=1, progress=QuietProgress())


def test_a_disk_that_does_not_say_how_full_it_is_ends_a_campaign_in_one_line(tmp_path, monkeypatch):
    import shutil

    def refuse(_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(shutil, "disk_usage", refuse)
    scenario = a_scenario()
    runs = [captured(run) for run in plan(scenario)]
    with (
        pytest.raises(StorageError, match=os.strerror(errno.EIO)),
        Ledger.claim(tmp_path / "results", scenario.document()) as ledger,
    ):
        execute(runs, engine=FakeEngine(), ledger=ledger, jobs=1, progress=QuietProgress())


def test_after_a_power_failure_no_run_counts_without_its_series(tmp_path):
    """Whatever files of the last seconds are cut off or gone, but for what had been synced."""
    folder = tmp_path / "results"
    assert measured(folder)[1] is None
    everything = sorted((folder / "series").glob("*/*.parquet"))
    chance = random.Random(2)
    harmed = chance.sample(everything, 25)
    for path in harmed:
        if chance.random() < 0.5:
            path.unlink()
        else:
            os.truncate(path, chance.randrange(path.stat().st_size))
    assert len(succeeded(folder)) == 60 - len({path.stem for path in harmed})
    _, error = measured(folder)
    assert error is None
    with Ledger(folder) as ledger:
        assert len(ledger.succeeded()) == 60
        assert all(len(ledger.series(entry.run_id, "link")["time_s"]) == 2 for entry in ledger.best())
        assert len(ledger.entries()) == 85


def test_the_series_are_on_the_disk_before_their_row_is_in_the_index(tmp_path, monkeypatch):
    order = []
    sync, add = Folder.sync, Index.add

    def noting_sync(folder):
        order.append("sync")
        sync(folder)

    def noting_add(index, rows, *, series_bytes):
        written = {path.name for path in Path(tmp_path / "results" / "series" / "link").iterdir()}
        assert f"{rows[0].name}.parquet.writing" in written
        order.append("row")
        add(index, rows, series_bytes=series_bytes)

    scenario = a_scenario()
    with Ledger.claim(tmp_path / "results", scenario.document()) as ledger:
        monkeypatch.setattr(Folder, "sync", noting_sync)
        monkeypatch.setattr(Index, "add", noting_add)
        execute(plan(scenario), engine=FakeEngine(), ledger=ledger, jobs=1, progress=QuietProgress())
    assert order and order == ["sync", "row"] * (len(order) // 2)
