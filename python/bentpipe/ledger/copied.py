"""A copy of an index whose last commit was cut short, for those who may only read it."""

import errno
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

_MOST_TIMES = 5


def copied(path: Path, helpers: Sequence[Path]) -> TemporaryDirectory[str]:
    """Return a folder of its own with an index and what SQLite needs to undo or end the commit.

    Raises
    ------
    OSError
        When it cannot be read, or the copy not be written, or writers never leave it alone meanwhile.
    """
    for _ in range(_MOST_TIMES):
        folder = TemporaryDirectory(prefix="bentpipe-")
        try:
            before = _states(path, *helpers)
            for file in (path, *helpers):
                with suppress(FileNotFoundError):
                    shutil.copyfile(file, Path(folder.name, file.name))
            # A writer that came meanwhile has undone the commit: an old journal would harm its new rows.
            if _states(path, *helpers) == before:
                return folder
        except BaseException:
            folder.cleanup()
            raise
        folder.cleanup()
    raise OSError(errno.EBUSY, "changes while it is read", str(path))


def _states(*files: Path) -> list[tuple[int, int, int] | None]:
    return [_state(file) for file in files]


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
