"""A folder that is not one of results is refused and stays as it is."""

import json
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bentpipe.errors import ClusterError, InputError
from bentpipe.ledger import Entry, Ledger
from tests.support.ledgers import append
from tests.support.models import record_with
from tests.support.trees import contents

SCENARIO = {"name": "example", "cells": []}
RUN = "0123456789abcdef"
NAMES = [
    "artifacts",
    "series",
    "unindexed",
    "ledger.lock",
    "ledger.sqlite",
    "ledger.sqlite-journal",
    "ledger.sqlite-wal",
    "scenario.json",
    "scenario.json.writing",
    "report.html",
    "figures",
    "release",
    "a",
    f"{RUN}-1",
    f"{RUN}-1.writing",
    f"{RUN}-1.parquet",
    f"{RUN}-1.parquet.writing",
    ".hidden",
    "film.mkv",
]
is_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: devices, and files of other owners")


def some_results(folder):
    record = record_with(run_id=RUN, status="succeeded")
    with Ledger.claim(folder, SCENARIO) as ledger:
        append(
            ledger,
            Entry.of(record, run_id=RUN, attempt=1, factors={}, repetition=0),
            {"link": {"time_s": [0.0]}},
        )


def somebodys_database(path):
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE attempts (who TEXT, score INTEGER)")
        database.execute("INSERT INTO attempts VALUES ('ann', 3)")
        database.commit()
        path.write_bytes(database.serialize())


def plant(folder, chance, victim, *, depth=0):
    """Fill a folder with things that have names like ours, of every type that this user may make."""
    for name in chance.sample(NAMES, chance.randint(1 if depth == 0 else 0, 6)):
        place = folder / name
        kinds = ["file", "empty", "json", "link", "dangling", "pipe", "database", "folder", "folder"]
        kinds += ["device", "another's"] if os.geteuid() == 0 else []
        match chance.choice(kinds):
            case "file" | "another's" as kind:
                place.write_bytes(chance.randbytes(chance.randint(1, 3000)))
                if kind == "another's":
                    os.chown(place, 12345, 12345)
            case "empty":
                place.touch()
            case "json":
                place.write_text(json.dumps(chance.choice([SCENARIO, {"name": "other"}, []])))
            case "link":
                place.symlink_to(chance.choice([victim, victim / "kept", victim / "folder"]))
            case "dangling":
                place.symlink_to(victim / "nothing")
            case "pipe":
                os.mkfifo(place)
            case "device":
                os.mknod(place, 0o600 | 0o020000, os.makedev(1, 3))
            case "database":
                somebodys_database(place)
            case _:
                place.mkdir()
                if depth < 3:
                    plant(place, chance, victim, depth=depth + 1)


def is_only_ours(folder):
    """Whether a tree happens to be what a process killed at its start leaves, which is no one else's."""
    names = {path.name for path in folder.iterdir()}
    return names <= {"ledger.lock", "ledger.sqlite", "scenario.json"}


@pytest.mark.parametrize("seed", range(50))
def test_a_random_tree_with_names_like_ours_is_refused_and_not_changed(tmp_path, seed):
    chance = random.Random(seed)
    victim, folder = tmp_path / "victim", tmp_path / "results"
    (victim / "folder").mkdir(parents=True)
    (victim / "kept").write_text("kept")
    (victim / "folder" / "kept").write_text("kept")
    folder.mkdir()
    plant(folder, chance, victim)
    if is_only_ours(folder):
        (folder / "thesis.tex").write_text("somebody's")
    before = contents(tmp_path)
    with pytest.raises(InputError) as refusal:
        Ledger.claim(folder, SCENARIO, is_resumed=chance.random() < 0.5)
    assert contents(tmp_path) == before, refusal.value


def test_a_folder_with_other_things_and_no_index_is_refused_by_the_first_of_them(tmp_path):
    # The case by which this was found: CI systems call their folder `artifacts`.
    (tmp_path / "artifacts" / "release").mkdir(parents=True)
    (tmp_path / "artifacts" / "release" / "f").write_text("x")
    before = contents(tmp_path)
    with pytest.raises(InputError, match=r"--out: expected a folder of its own, .*found 'artifacts', and no"):
        Ledger.claim(tmp_path, SCENARIO)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("found", ["results", "something else"])
def test_not_to_resume_is_to_insist_on_an_empty_folder_before_anything_is_made(tmp_path, found):
    folder = tmp_path / "results"
    if found == "results":
        some_results(folder)
    else:
        folder.mkdir()
        (folder / "f").write_text("x")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="--no-resume: expected an empty folder"):
        Ledger.claim(folder, SCENARIO, is_resumed=False)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "name", ["artifacts", "series", "series/link", "ledger.lock", "ledger.sqlite", "scenario.json"]
)
def test_a_link_in_place_of_something_of_ours_is_refused_and_not_followed(tmp_path, name):
    folder, victim = tmp_path / "results", tmp_path / "victim"
    some_results(folder)
    (folder / "artifacts").mkdir()
    victim.mkdir()
    (victim / "kept").write_text("kept")
    place = folder / name
    place.rename(folder / "away")
    place.symlink_to(victim if (folder / "away").is_dir() else victim / "kept")
    before = contents(tmp_path)
    with pytest.raises(InputError, match=f"{name}: expected a .*found a symbolic link"):
        Ledger.claim(folder, SCENARIO)
    assert contents(tmp_path) == before


def test_a_link_to_a_folder_is_no_folder_of_results(tmp_path):
    (tmp_path / "victim").mkdir()
    (tmp_path / "results").symlink_to(tmp_path / "victim")
    with pytest.raises(InputError, match="expected a folder itself, not a link to one"):
        Ledger.claim(tmp_path / "results", SCENARIO)
    assert list((tmp_path / "victim").iterdir()) == []


def test_a_database_of_others_by_the_name_of_the_index_is_refused(tmp_path):
    somebodys_database(tmp_path / "ledger.sqlite")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="expected a ledger of Bentpipe"):
        Ledger.claim(tmp_path, SCENARIO)
    assert contents(tmp_path) == before


def test_what_a_process_killed_at_its_start_left_is_gone_on_with(tmp_path):
    (tmp_path / "ledger.lock").touch()
    (tmp_path / ".bentpipe-abcd_123.writing").mkdir(mode=0o700)
    (tmp_path / ".bentpipe-abcd_123.writing" / "scenario.json").write_text('{"na')
    some_results(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "ledger.lock",
        "ledger.sqlite",
        "scenario.json",
        "series",
    }


def no_scheduler(folder):
    """Claim a folder and fail as a campaign does whose cluster is not there."""
    with pytest.raises(ClusterError), Ledger.claim(folder, SCENARIO):
        raise ClusterError("tcp://127.0.0.1:1", "no scheduler answers")


def test_a_failure_before_the_first_attempt_leaves_no_folder(tmp_path):
    no_scheduler(tmp_path / "results" / "example")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_before_the_first_attempt_leaves_an_empty_folder_empty(tmp_path):
    (tmp_path / "results").mkdir()
    no_scheduler(tmp_path / "results" / "example")
    (tmp_path / "results" / "example").mkdir()
    no_scheduler(tmp_path / "results" / "example")
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["example"]
    assert list((tmp_path / "results" / "example").iterdir()) == []


def test_a_failure_leaves_attempts_and_what_others_put_there(tmp_path):
    some_results(tmp_path / "results")
    before = contents(tmp_path / "results")
    no_scheduler(tmp_path / "results")
    assert contents(tmp_path / "results") == before
    with pytest.raises(ClusterError), Ledger.claim(tmp_path / "noted", SCENARIO):
        (tmp_path / "noted" / "notes.txt").write_text("somebody's")
        raise ClusterError("tcp://127.0.0.1:1", "no scheduler answers")
    assert (tmp_path / "noted" / "ledger.sqlite").exists()


def test_a_lock_that_is_removed_while_it_is_taken_locks_nothing(tmp_path, monkeypatch):
    def flock_after_removal(*_):
        (tmp_path / "ledger.lock").unlink(missing_ok=True)

    monkeypatch.setattr("bentpipe.ledger.folder.fcntl.flock", flock_after_removal)
    with pytest.raises(InputError, match=r"ledger\.lock: expected a folder of this process"):
        Ledger.claim(tmp_path, SCENARIO)


@is_root
def test_root_does_not_write_to_a_folder_of_another_user(tmp_path, monkeypatch):
    monkeypatch.delenv("SUDO_UID", raising=False)
    folder = tmp_path / "results"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    before = contents(tmp_path)
    with pytest.raises(InputError, match="found one of user 12345"):
        Ledger.claim(folder, SCENARIO)
    assert contents(tmp_path) == before


@is_root
def test_root_does_not_write_to_a_folder_that_everybody_may_write_to(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(InputError, match="found one that everybody may write to"):
        Ledger.claim(folder, SCENARIO)


@is_root
def test_under_sudo_all_that_is_made_belongs_to_the_user_who_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("SUDO_UID", "12345")
    monkeypatch.setenv("SUDO_GID", "12346")
    os.chown(tmp_path, 12345, 12346)
    folder = tmp_path / "deep" / "results"
    record = record_with(run_id=RUN, status="succeeded")
    with Ledger.claim(folder, SCENARIO) as ledger:
        (ledger.start(RUN, 1) / "packets.pcapng").write_bytes(b"packets")
        append(
            ledger,
            Entry.of(record, run_id=RUN, attempt=1, factors={}, repetition=0),
            {"link": {"time_s": [0.0]}},
        )
    owners = {name: status[1:3] for name, status in contents(tmp_path).items()}
    assert set(owners.values()) == {(12345, 12346)}, owners
    assert f"deep/results/artifacts/{RUN}-1/packets.pcapng" in owners


@is_root
def test_results_of_root_are_read_by_another_user_without_the_right_to_write(tmp_path):
    some_results(tmp_path / "results")
    for folder in (tmp_path, *tmp_path.parents):
        if folder == Path("/tmp"):
            break
        folder.chmod(0o755)
    before = contents(tmp_path)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            with Ledger(tmp_path / "results") as ledger:
                is_read = len(ledger.entries()) == 1 and len(ledger.series(RUN, "link")["time_s"]) == 1
            status = 0 if is_read else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert contents(tmp_path) == before
