"""Folders that last as long as something runs."""

import os
import subprocess
import sys

import pytest

from bentpipe.engine.process import scratch

KILLED = """
import os, signal
from bentpipe.engine.process import scratch
with scratch.folder() as folder:
    (folder / "profile").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "SHARED", tmp_path / "shared")
    scratch.SHARED.mkdir()
    return tmp_path


def test_a_folder_is_removed_with_what_is_in_it(temporary):
    with scratch.folder() as folder:
        (folder / "profile").touch()
        assert folder.parent == temporary
        assert folder.stat().st_mode & 0o077 == 0
    assert list(temporary.iterdir()) == [scratch.SHARED]


def test_a_folder_for_another_user_is_where_that_one_can_go():
    with scratch.folder(is_for_others=True) as folder:
        assert folder.parent == scratch.SHARED
    assert list(scratch.SHARED.iterdir()) == []


def test_the_folder_of_a_killed_process_is_found_and_removed(temporary):
    subprocess.run([sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(temporary)}, check=False)
    (left,) = scratch.leftovers()
    assert (left / "profile").exists()
    assert scratch.clean() == [str(left)]
    assert list(temporary.iterdir()) == [scratch.SHARED]


def test_the_folder_of_a_process_at_work_stays():
    with scratch.folder() as folder:
        assert scratch.clean() == []
        assert folder.exists()


def test_what_has_another_name_stays(temporary):
    (temporary / "bp-notes").mkdir()
    assert scratch.clean() == []
    assert (temporary / "bp-notes").exists()
