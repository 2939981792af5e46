"""What the operating system refuses a file or folder, in one line and by the names that the user knows."""

import errno
import os
import re
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

STAGING_PREFIX, STAGING_SUFFIX = ".bentpipe-", ".writing"
"""Of the names of staging folders."""
STAGING = re.compile(rf"{re.escape(STAGING_PREFIX)}[a-z0-9_]{{8}}{re.escape(STAGING_SUFFIX)}")
"""As tempfile.mkdtemp makes them."""
_BY_DESCRIPTOR = re.compile(r"/proc/[0-9]+/fd/[0-9]+/?")
"""How root reaches what is in a folder."""


def is_refusal(error: OSError) -> bool:
    """Whether it is the disk's or the system's doing, and none of ours."""
    return error.errno in _REFUSALS


def said(error: OSError) -> str:
    """Return what the system said, and what helps."""
    words = error.strerror or (str(error).splitlines() or [type(error).__name__])[0]
    hint = None if error.errno is None else _HINTS.get(error.errno)
    return f"{words} ({hint})" if hint else words


def refusal(error: OSError, *, shown: Path, consequence: str = "") -> StorageError:
    """Return the error for what was refused below a folder.

    Parameters
    ----------
    error
        What the system said. Its file may be named by a descriptor of the folder.
    shown
        The folder, as the user named it.
    consequence
        As in `StorageError`.
    """
    return StorageError(_name(error, shown), said(error), consequence=consequence)


def _name(error: OSError, shown: Path) -> str:
    if not isinstance(error.filename, str | bytes) or not error.filename:
        return str(shown)
    name = os.fsdecode(error.filename)
    below = _BY_DESCRIPTOR.match(name)
    path = shown / name[below.end() :] if below else Path(name)
    if not path.is_relative_to(shown):
        return name
    # A file in a staging folder has its place beside that.
    return str(
        shown.joinpath(*(part for part in path.relative_to(shown).parts if not STAGING.fullmatch(part)))
    )
