"""Staging in a folder that others may have put something into; 12345 and 12346 are nobody's here."""

import fcntl
import os
import shutil

import pytest

from bentpipe import output_folder
from bentpipe.errors import InputError
from bentpipe.output_folder import staged
from tests.ledger.test_folder import is_root
from tests.support.trees import contents


@pytest.fixture(autouse=True)
def by_root_alone(monkeypatch):
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.delenv("SUDO_GID", raising=False)


def write(folder):
    """Write a file, and one in a folder."""
    with staged(folder) as staging:
        (staging / "a").write_text("ours")
        (staging / "sub").mkdir()
        (staging / "sub" / "b").write_text("ours")


@is_root
@pytest.mark.parametrize("name", ["a", "sub", "sub/b"])
def test_root_replaces_no_file_of_another_user_and_fills_no_folder_of_one(tmp_path, name):
    write(tmp_path)
    os.chown(tmp_path / name, 12345, 12345)
    before = contents(tmp_path)
    with pytest.raises(InputError, match="found one of user 12345"):
        write(tmp_path)
    assert contents(tmp_path) == before


@is_root
def test_root_replaces_what_is_its_own(tmp_path):
    write(tmp_path)
    (tmp_path / "a").write_text("former")
    write(tmp_path)
    assert (tmp_path / "a").read_text() == "ours"


@is_root
def test_root_does_not_write_to_a_folder_that_a_group_may_write_to(tmp_path, monkeypatch):
    os.chown(tmp_path, 0, 12346)
    tmp_path.chmod(0o775)
    with pytest.raises(InputError, match="found one that group 12346 may write to"):
        write(tmp_path)
    # Under sudo it is that of the user who asked, as distributions give each a group of their own.
    monkeypatch.setenv("SUDO_UID", "12345")
    monkeypatch.setenv("SUDO_GID", "12346")
    write(tmp_path)


def test_a_staging_folder_that_another_process_took_for_a_stale_one_is_made_again(tmp_path, monkeypatch):
    flock = fcntl.flock
    taken = []

    def lose_the_first(descriptor, operation):
        if not taken:
            taken.extend(tmp_path.iterdir())
            shutil.rmtree(taken[0])
        flock(descriptor, operation)

    monkeypatch.setattr(output_folder.fcntl, "flock", lose_the_first)
    write(tmp_path)
    assert len(taken) == 1
    assert (tmp_path / "a").read_text() == "ours"


@pytest.mark.parametrize(
    ("name", "mode", "is_removed"),
    [
        # As tempfile.mkdtemp makes them: eight characters, and only the owner may enter.
        (".bentpipe-abcd_123.writing", 0o700, True),
        (".bentpipe-abcd_123.writing", 0o755, False),
        (".bentpipe-thesis.writing", 0o700, False),
        (".bentpipe-my-thesis.writing", 0o700, False),
    ],
)
def test_only_what_is_like_a_staging_folder_is_removed_as_one(tmp_path, name, mode, is_removed):
    (tmp_path / name).mkdir(mode=mode)
    (tmp_path / name / "kept").touch()
    write(tmp_path)
    assert (tmp_path / name).exists() is not is_removed


@is_root
def test_a_staging_folder_of_another_user_is_not_removed(tmp_path):
    (tmp_path / ".bentpipe-abcd_123.writing").mkdir(mode=0o700)
    os.chown(tmp_path / ".bentpipe-abcd_123.writing", 12345, 12345)
    write(tmp_path)
    assert (tmp_path / ".bentpipe-abcd_123.writing").exists()
