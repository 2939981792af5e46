"""Folders that last as long as something runs, such as a browser's profile.

Like namespaces they carry the process that made them in their names, so that what a killed process left
behind is known and removed at the next start.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bentpipe import invoking_user
from bentpipe.engine.process.maker import Maker

SHARED = Path("/tmp")
"""Which everybody reaches (FHS 3.0, section 3.18)."""


@contextmanager
def folder(*, is_for_others: bool = False) -> Iterator[Path]:
    """Make a folder that nobody else can read, and remove it with all that is in it.

    Parameters
    ----------
    is_for_others
        Whether it is to be given to another user, who may not reach this one's temporary folder.
    """
    place = SHARED if is_for_others else Path(tempfile.gettempdir())
    made = Path(tempfile.mkdtemp(prefix=Maker.this_process().name(""), dir=place))
    try:
        yield made
    finally:
        _remove(made)


def clean() -> list[str]:
    """Remove the folders of processes that have ended; return their paths."""
    left = leftovers()
    for path in left:
        _remove(path)
    return [str(path) for path in left]


def leftovers() -> list[Path]:
    """Return the folders that `clean` would remove: those of this user."""
    # Those of a shell belong to the user as whom its program runs.
    owners = {os.geteuid(), invoking_user.unprivileged().uid}
    found = []
    places = {SHARED, Path(tempfile.gettempdir())}
    for path in sorted(path for place in places for path in place.iterdir()):
        maker = Maker.of(path.name)
        if maker is None or not maker.has_ended():
            continue
        try:
            is_own = path.lstat().st_uid in owners
        except FileNotFoundError:
            # Another process cleans at the same time.
            continue
        if is_own:
            found.append(path)
    return found


def _remove(path: Path) -> None:
    # What a browser still writes while it ends must not end us; the next start removes it.
    shutil.rmtree(path, ignore_errors=True)
