"""What the operating system refuses a file or folder, in one line and by the names that the user knows."""

import errno
import os
from pathlib import Path

from bentpipe.errors import StorageError

_HINTS = {
    errno.EMFILE: "`ulimit -n 4096` allows more",
    errno.ENFILE: "of all processes of this machine: sysctl fs.file-max",
    errno.EFBIG: "`ulimit -f unlimited` allows larger ones",
    errno.ESTALE: "is its server's export gone? Mount it again",
    errno.ENOTCONN: "is the file system's server gone? Mount it again",
    errno.EIO: "is the medium in order? See dmesg",
}
"""What helps, where the system's words do not say it."""

_REFUSALS = frozenset({
    *_HINTS,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.ENODEV,
    errno.ENXIO,
    errno.EHOSTDOWN,
    errno.ETIMEDOUT,
    errno.ELOOP,
    errno.ENAMETOOLONG,
})  # fmt: skip
"""What is no defect wherever it happens to a file."""


def is_refusal(error: OSError) -> bool:
    """Whether it is the disk's or the system's doing, and none of ours."""
    return error.errno in _REFUSALS


def said(error: OSError) -> str:
    """Return what the system said, and what helps."""
    words = error.strerror or (str(error).splitlines() or [type(error).__name__])[0]
    hint = None if error.errno is None else _HINTS.get(error.errno)
    return f"{words} ({hint})" if hint else words


def refusal(error: OSError, *, root: Path, shown: Path, consequence: str = "") -> StorageError:
    """Return the error for what was refused below a folder.

    Parameters
    ----------
    error
        What the system said; its file is named by the folder's path where it is below it.
    root
        The folder by which files were opened, such as a staging folder by its descriptor.
    shown
        The folder that it stands for, as the user named it.
    consequence
        As in `StorageError`.
    """
    return StorageError(_name(error, root, shown), said(error), consequence=consequence)


def _name(error: OSError, root: Path, shown: Path) -> str:
    if not isinstance(error.filename, str | bytes) or not error.filename:
        return str(shown)
    path = Path(os.fsdecode(error.filename))
    for folder in (root, shown):
        if path.is_relative_to(folder):
            return str(shown / path.relative_to(folder))
    return str(path)
