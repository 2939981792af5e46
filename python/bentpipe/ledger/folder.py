"""A folder of results: which names in it are ours, who may write to it, and how files become durable.

Nothing is removed but what a process of ours left unfinished, which its name tells: it ends in `.writing`,
and what this process has made of a folder that it found empty, if nothing came of it. Series and captures get
their own names when their attempts are in the index.
"""

import ctypes
import fcntl
import itertools
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from bentpipe import invoking_user, output_folder
from bentpipe.errors import InputError

INDEX = "ledger.sqlite"
SCENARIO = "scenario.json"
LOCK = "ledger.lock"
SERIES = "series"
ARTIFACTS = "artifacts"
UNINDEXED = "unindexed"
"""Where the series and artifacts of attempts are moved that the index does not have."""

WRITING = ".writing"
TABLE = ".parquet"

_JOURNAL = f"{INDEX}-journal"
_FILES = (INDEX, _JOURNAL, SCENARIO, LOCK)
_FOLDERS = (SERIES, ARTIFACTS, UNINDEXED)
_ATTEMPT = re.compile(r"[0-9a-f]{16}-[1-9][0-9]*")
"""RUN_ID-ATTEMPT (campaign/plan.py)."""


class Folder:
    """An open folder of results.

    Attributes
    ----------
    path : Path
        As the user named it.
    root : Path
        By which it is reached: for root by its descriptor, so that nobody who may rename the folders above
        can lead elsewhere. Not so the index: SQLite looks up the folder's path at that moment, and opens it
        by that.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._lock: int | None = None
        self._was_empty = False
        self._made: list[Path] = []
        is_root = os.geteuid() == invoking_user.ROOT
        self.root = output_folder.by_descriptor(descriptor) if is_root else path

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a folder for reading; nothing in it changes, and no right to write is needed.

        Raises
        ------
        InputError
            When it is no folder of results, or one of our names in it is a link or no file.
        """
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            found = "no such folder" if isinstance(error, FileNotFoundError) else str(error.strerror)
            raise InputError(
                file=str(path), field=INDEX, expected="a folder of results", found=found
            ) from None
        folder = cls(path, descriptor)
        try:
            folder._refuse_links()
            if not (folder.root / INDEX).exists():
                raise InputError(file=str(path), field=INDEX, expected="a folder of results", found="none")
        except BaseException:
            folder.close()
            raise
        return folder

    @classmethod
    def claim(cls, path: Path, *, is_resumed: bool) -> Self:
        """Open a folder for writing; make it when there is none. `lock` comes next.

        Parameters
        ----------
        path
            The folder.
        is_resumed
            Whether it may have results already.

        Raises
        ------
        InputError
            When it has things in it that are not ours, is not to be trusted, or cannot be made.
        """
        missing = output_folder.missing(path)
        folder = cls(path, output_folder.make(path))
        folder._made = missing
        try:
            names = {entry.name for entry in folder.root.iterdir()}
            left = folder._left_at_the_start()
            if not is_resumed and (kept := names - left):
                found = f"{path}, which has {_first(kept)}"
                raise InputError(
                    file="command line", field="--no-resume", expected="an empty folder", found=found
                )
            folder._refuse_links()
            folder._was_empty = not names - left
            # Whether it is this scenario is asked next.
            if not folder.has_index and (others := names - left - {SCENARIO, INDEX}):
                raise InputError(
                    file=str(path),
                    field="--out",
                    expected="a folder of its own, empty or of results",
                    found=f"{_first(others)}, and no {INDEX}",
                )
        except BaseException:
            folder.close()
            raise
        return folder

    def lock(self) -> None:
        """Keep all other writers out until the folder is closed.

        Raises
        ------
        InputError
            When another process is writing to it, or this one may not.
        """
        try:
            lock = _opened(self.root / LOCK)
        except OSError as error:
            raise InputError(
                file=str(self.path),
                field="--out",
                expected="a folder to write to",
                found=str(error.strerror),
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = _is_named(lock, self.root / LOCK)
        except BlockingIOError:
            is_ours = False
        if not is_ours:
            os.close(lock)
            found = "another process that is writing to it"
            raise InputError(
                file=str(self.path), field=LOCK, expected="a folder of this process", found=found
            )
        self._lock = lock

    @property
    def has_index(self) -> bool:
        """Whether there is an index, or at least something of its name."""
        return self._has(INDEX)

    @property
    def has_scenario(self) -> bool:
        """Whether there is a scenario, or at least something of its name."""
        return self._has(SCENARIO)

    @property
    def is_locked(self) -> bool:
        """Whether this process writes to it."""
        return self._lock is not None

    def series(self, name: str, pack: str) -> Path:
        """Return where a series of a pack is kept; it is called by its first attempt, RUN_ID-ATTEMPT."""
        return self.root / SERIES / name / f"{pack}{TABLE}"

    def artifacts(self, attempt: str) -> Path:
        """Return the folder of an attempt's captures and logs."""
        return self.root / ARTIFACTS / attempt

    def made(self, path: Path) -> Path:
        """Make a folder below this one, with those between, and return it."""
        for missing in reversed([one for one in (path, *path.parents) if not one.exists()]):
            missing.mkdir()
            invoking_user.give(missing)
        return path

    def sync(self) -> None:
        """Have everything that was written so far on the disk (syncfs(2)).

        One call for all files of a batch: an fsync for each would commit the file system's journal as often.
        """
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.syncfs(self._descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(self.path))

    def settle(self, pack: str, series: Iterable[str], *, artifacts: Iterable[str]) -> None:
        """Give what a pack has written its own names; `artifacts` are its attempts that have any."""
        places = [*(self.series(name, pack) for name in series), *map(self.artifacts, artifacts)]
        for place in places:
            with suppress(FileNotFoundError):
                unsettled(place).replace(place)

    def unfinished(self) -> list[Path]:
        """Return what attempts have left that have no row: files and folders that are still to be settled."""
        return [path for path in self._written() if path.name.endswith(WRITING)]

    def settled(self) -> list[Path]:
        """Return the series and artifacts that have their own names."""
        return [path for path in self._written() if not path.name.endswith(WRITING)]

    def is_series(self, path: Path) -> bool:
        """Whether something of `settled` or `unfinished` is a series: a pack's, not an attempt's."""
        return path.parent.parent == self.root / SERIES

    def settle_or_remove(self, path: Path, *, has_row: bool) -> None:
        """Bring something of `unfinished` to its end; what has its name already keeps it."""
        settled = path.with_name(path.name.removesuffix(WRITING))
        if has_row and not os.path.lexists(settled):
            path.replace(settled)
        else:
            self.remove(path)

    def remove(self, path: Path) -> None:
        """Remove something of `unfinished`; links in it are removed, not followed."""
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()

    def set_aside(self, path: Path) -> None:
        """Move something of `settled` to where no reader looks."""
        folder = self.made((self.root / UNINDEXED / path.relative_to(self.root)).parent)
        candidates = (folder / f"{path.name}.{number}" for number in itertools.count(1))
        path.replace(next(place for place in candidates if not os.path.lexists(place)))

    def discard(self) -> None:
        """Remove what this process has made of a folder that was empty, where that is all there is in it."""
        made = (SCENARIO, INDEX, LOCK)
        if not self._was_empty:
            return
        # Where it is gone, or somebody has put something there meanwhile, it stays as it is.
        with suppress(OSError):
            if any(path.name not in made for path in self.root.iterdir()):
                return
            for name in made:
                (self.root / name).unlink(missing_ok=True)
            for path in self._made:
                path.rmdir()

    def close(self) -> None:
        """Give the folder free."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _has(self, name: str) -> bool:
        # Empty it is when the power failed before it was written.
        place = self.root / name
        return place.exists() and place.stat().st_size > 0

    def _written(self) -> Iterator[Path]:
        """Yield the series and artifacts of attempts; nothing that bears no name of ours."""
        for folder in _folders(self.root / SERIES):
            for path in sorted(folder.iterdir()):
                is_table = path.name.removesuffix(WRITING).endswith(TABLE)
                if is_table and _ATTEMPT.fullmatch(attempt_of(path)) and _is_file(path):
                    yield path
        for path in _folders(self.root / ARTIFACTS):
            if _ATTEMPT.fullmatch(path.name.removesuffix(WRITING)):
                yield path

    def _left_at_the_start(self) -> set[str]:
        """Return names of what a start leaves that was killed, beside the scenario and the index."""
        lock = self.root / LOCK
        is_lock = lock.exists() and lock.stat().st_size == 0
        staging = {path.name for path in output_folder.staging_folders(self.root)}
        return staging | ({LOCK} if is_lock else set())

    def _refuse_links(self) -> None:
        """Raise an InputError where one of our names is a link, a device or the like."""
        for names, is_right, expected in (
            (_FILES, stat.S_ISREG, "a file"),
            (_FOLDERS, stat.S_ISDIR, "a folder"),
        ):
            for name in names:
                self._require(self.root / name, is_right, expected)
        series = self.root / SERIES
        if series.exists():
            for path in series.iterdir():
                if path.is_symlink():
                    self._require(path, stat.S_ISDIR, "a folder")

    def _require(self, path: Path, is_right: Callable[[int], bool], expected: str) -> None:
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            return
        if not is_right(mode):
            field = str(path.relative_to(self.root))
            raise InputError(file=str(self.path), field=field, expected=expected, found=_kind(mode))


def attempt_of(path: Path) -> str:
    """Return the attempt, RUN_ID-ATTEMPT, that a file or folder of results is called by."""
    return path.name.removesuffix(WRITING).removesuffix(TABLE)


def unsettled(path: Path) -> Path:
    """Return the name that something of an attempt has until its row is in the index."""
    return path.with_name(f"{path.name}{WRITING}")


def _opened(path: Path) -> int:
    """Open a file for writing as it is, or an empty one."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    with suppress(FileExistsError):
        made = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644)
        # One that is there stays whose it is: it may have a second name elsewhere.
        invoking_user.give(made)
        return made
    return os.open(path, flags)


def _is_named(descriptor: int, path: Path) -> bool:
    """Whether an open file is the one of this name: not one that was removed after it was opened."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _folders(path: Path) -> list[Path]:
    if not path.exists():
        return []
    return sorted(one for one in path.iterdir() if stat.S_ISDIR(one.lstat().st_mode))


def _is_file(path: Path) -> bool:
    return stat.S_ISREG(path.lstat().st_mode)


def _first(names: set[str]) -> str:
    return repr(min(names))


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISREG, "a file"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((name for is_one, name in kinds if is_one(mode)), "a device")
