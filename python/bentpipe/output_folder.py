"""Folders that results are written to, also by root, without harm to what is there.

A folder is opened without following a link in its place, and root writes only to folders of its own and of
whoever called sudo. Files come into being in a staging folder beside their place and are moved there when all
are complete: a full disk leaves what was there before, and a link in a file's place is replaced, not
followed.
"""

import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bentpipe import invoking_user
from bentpipe.errors import InputError, StorageError
from bentpipe.refusal import STAGING, STAGING_PREFIX, STAGING_SUFFIX, refusal

UNTOUCHED = "what was there is as it was"
_OWNERS_ALONE = 0o700


def make(path: Path, *, field: str = "--out") -> int:
    """Make a folder, and those that it is in, as far as there are none; return a descriptor of it.

    Parameters
    ----------
    path
        The folder.
    field
        By which option the user named it, for errors.

    Raises
    ------
    InputError
        When it cannot be made, is a link or no folder, or when this process is root and the folder somebody
        else's.
    """
    try:
        for place in reversed(missing(path)):
            with suppress(FileExistsError):
                place.mkdir()
                invoking_user.give(place)
    except OSError as error:
        raise _unusable(path, field, found=error.strerror or str(error)) from None
    return open_existing(path, field=field)


def missing(path: Path) -> list[Path]:
    """Return the folders that `make` would make for a path, itself first."""
    return [place for place in (path, *path.parents) if not os.path.lexists(place)]


def open_existing(path: Path, *, field: str = "--out") -> int:
    """Return a descriptor of a folder that is there; raises as `make`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        if path.is_symlink():
            found = f"a symbolic link to {path.readlink()}"
            raise _unusable(path, field, found=found, expected="a folder itself, not a link to one") from None
        raise _unusable(path, field, found=error.strerror or str(error)) from None
    distrust = _distrust(os.fstat(descriptor))
    if distrust is not None:
        os.close(descriptor)
        expected = "as root a folder that nobody else may write to"
        raise _unusable(path, field, found=distrust, expected=expected)
    return descriptor


@dataclass(frozen=True, kw_only=True)
class Superseded:
    """Files of a folder that go when they are not written anew.

    Attributes
    ----------
    folder : str
        The folder's name.
    names : re.Pattern
        What their names match from first to last letter.
    """

    folder: str
    names: re.Pattern[str]


@contextmanager
def staged(
    folder: Path, *, field: str = "--out", kept: str = UNTOUCHED, superseded: Superseded | None = None
) -> Iterator[Path]:
    """Make a folder as far as there is none, and a staging folder in it; see `staged_in`.

    Parameters
    ----------
    folder
        The folder.
    field
        By which option the user named it, for errors.
    kept
        What an error of the disk leaves as it was, and how to go on.
    superseded
        As of `staged_in`.

    Raises
    ------
    InputError
        As `make` and `staged_in`.
    StorageError
        When the disk does not take what is written, or the folder is gone in the end.
    """
    descriptor = make(folder, field=field)
    try:
        # By its descriptor: whoever may rename the folder's parents cannot lead root elsewhere.
        root = by_descriptor(descriptor) if os.geteuid() == invoking_user.ROOT else folder
        with staged_in(root, shown=folder, superseded=superseded) as staging:
            yield staging
        require_presence(folder, os.fstat(descriptor))
    except OSError as error:
        raise refusal(error, shown=folder, consequence=kept) from None
    finally:
        os.close(descriptor)


@contextmanager
def staged_file(path: Path, *, field: str) -> Iterator[Path]:
    """Yield where to write a file that is moved to its place at the end, all of it or nothing; see `staged`.

    Raises
    ------
    InputError
        When something is in its place that is no file, and as `staged`.
    StorageError
        As `staged`.
    """
    if not path.name or (path.exists() and not path.is_file()):
        raise InputError(file=str(path), field=field, expected="a file to write to", found="something else")
    with staged(path.parent, field=field) as staging:
        yield staging / path.name


def require_presence(folder: Path, opened: os.stat_result) -> None:
    """Raise a StorageError where another folder, or none, has the name of one that was opened.

    What is written to a folder that was removed, or whose file system was unmounted, nobody finds.
    """
    try:
        is_there = os.path.samestat(folder.stat(), opened)
    except OSError:
        is_there = False
    if not is_there:
        raise StorageError(
            str(folder),
            "no longer there: it was removed, renamed or unmounted while it was written to",
            consequence="put it back, and the same command goes on with what it holds",
        )


@contextmanager
def staged_in(root: Path, *, shown: Path, superseded: Superseded | None = None) -> Iterator[Path]:
    """Make a staging folder in a folder; what is in it at the end is moved to the folder.

    Files replace files of the same name, folders are filled up. After an error the staging folder is removed
    and nothing else has changed. So is what a killed process left of one.

    Parameters
    ----------
    root
        The folder, which is trusted.
    shown
        What the user calls it.
    superseded
        Files that are removed unless they are written anew.

    Raises
    ------
    InputError
        When a folder is wanted where a link or a file is, or when this process is root and something of
        somebody else is there.
    """
    remove_stale_staging(root)
    staging, lock = _locked_staging(root)
    try:
        yield staging
        invoking_user.give_all(staging)
        _refuse_others(staging, root, shown=shown)
        gone = [] if superseded is None else _gone(superseded, staging, root, shown=shown)
        _move_into(staging, root)
        for path in gone:
            path.unlink(missing_ok=True)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        os.close(lock)


def by_descriptor(descriptor: int) -> Path:
    """Return a path to an open folder that stays right when folders above it are renamed."""
    return Path(f"/proc/{os.getpid()}/fd/{descriptor}")


def staging_folders(folder: Path) -> list[Path]:
    """Return the staging folders in a folder, as this process or one that it trusts has made them."""
    found = [path for path in folder.iterdir() if STAGING.fullmatch(path.name)]
    return [path for path in found if _is_staging(path)]


def remove_stale_staging(folder: Path) -> None:
    """Remove the staging folders of processes that were killed: those that nobody holds a lock on."""
    for path in staging_folders(folder):
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        except BlockingIOError:
            pass
        finally:
            os.close(lock)


def _is_staging(path: Path) -> bool:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    is_closed = stat.S_IMODE(status.st_mode) & 0o777 == _OWNERS_ALONE
    return stat.S_ISDIR(status.st_mode) and is_closed and status.st_uid in {os.geteuid(), *_trusted()}


def _locked_staging(root: Path) -> tuple[Path, int]:
    """Make a staging folder that this process holds the lock on."""
    while True:
        staging = Path(tempfile.mkdtemp(prefix=STAGING_PREFIX, suffix=STAGING_SUFFIX, dir=root))
        # Another process may take it for a stale one until it is locked.
        with suppress(FileNotFoundError):
            lock = os.open(staging, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(lock), staging.lstat()):
                    return staging, lock
            except BaseException:
                shutil.rmtree(staging, ignore_errors=True)
                os.close(lock)
                raise
            os.close(lock)


def _refuse_others(source: Path, target: Path, *, shown: Path) -> None:
    """Raise an InputError where something stands in the way of what is to be moved to a folder."""
    for path in sorted(source.iterdir()):
        place = target / path.name
        if not os.path.lexists(place):
            continue
        if path.is_dir():
            _refuse_other_folder(place, shown=shown)
            _refuse_others(path, place, shown=shown / path.name)
        else:
            _refuse_distrusted(place, _distrust_owner(place.lstat()), shown=shown)


def _refuse_other_folder(place: Path, *, shown: Path) -> None:
    status = place.lstat()
    if not stat.S_ISDIR(status.st_mode):
        kind = "a symbolic link" if place.is_symlink() else "a file"
        raise InputError(file=str(shown), field=place.name, expected="a folder", found=kind)
    _refuse_distrusted(place, _distrust(status), shown=shown)


def _refuse_distrusted(place: Path, distrust: str | None, *, shown: Path) -> None:
    if distrust is not None:
        expected = "as root nothing that anybody else may write to"
        raise InputError(file=str(shown), field=place.name, expected=expected, found=distrust)


def _move_into(source: Path, target: Path) -> None:
    for path in sorted(source.iterdir()):
        place = target / path.name
        if path.is_dir() and os.path.lexists(place):
            _move_into(path, place)
        else:
            path.replace(place)


def _gone(superseded: Superseded, staging: Path, root: Path, *, shown: Path) -> list[Path]:
    """Return the superseded files that are not to be written anew."""
    folder = root / superseded.folder
    if not os.path.lexists(folder):
        return []
    _refuse_other_folder(folder, shown=shown)
    found = [path for path in folder.iterdir() if superseded.names.fullmatch(path.name)]
    anew = staging / superseded.folder
    return [path for path in found if not path.is_dir() and not (anew / path.name).exists()]


def _trusted() -> set[int]:
    """Return the users in whose folders root writes."""
    user = invoking_user.invoking()
    return {invoking_user.ROOT, user.uid if user else invoking_user.ROOT}


def _distrust(status: os.stat_result) -> str | None:
    """Return why root had better not write to a folder; None when it may, or is not root."""
    distrust = _distrust_owner(status)
    # In a sticky folder such as /tmp nobody renames or removes what is another's.
    if distrust is not None or os.geteuid() != invoking_user.ROOT or status.st_mode & stat.S_ISVTX:
        return distrust
    if status.st_mode & stat.S_IWOTH:
        return "one that everybody may write to"
    user = invoking_user.invoking()
    if status.st_mode & stat.S_IWGRP and status.st_gid not in (invoking_user.ROOT, user and user.gid):
        return f"one that group {status.st_gid} may write to"
    return None


def _distrust_owner(status: os.stat_result) -> str | None:
    if os.geteuid() != invoking_user.ROOT or status.st_uid in _trusted():
        return None
    return f"one of user {status.st_uid}"


def _unusable(path: Path, field: str, *, found: str, expected: str = "a folder to write to") -> InputError:
    return InputError(file=str(path), field=field, expected=expected, found=found)
