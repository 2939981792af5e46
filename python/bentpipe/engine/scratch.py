"""Folders that last as long as something runs, such as a browser's profile.

Like namespaces they carry the process that made them in their names, so that what a killed process left
behind is known and removed at the next start.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bentpipe.engine.netns import start_time

_NAME = re.compile(r"bp-(?P<pid>\d+)-(?P<start>\d+)-[^/]+")


@contextmanager
def folder() -> Iterator[Path]:
    """Make a folder that nobody else can read, and remove it with all that is in it."""
    made = Path(tempfile.mkdtemp(prefix=f"bp-{os.getpid()}-{start_time(os.getpid())}-"))
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
    found = []
    for path in sorted(Path(tempfile.gettempdir()).iterdir()):
        match = _NAME.fullmatch(path.name)
        if match is None or start_time(int(match["pid"])) == int(match["start"]):
            continue
        try:
            is_own = path.lstat().st_uid == os.geteuid()
        except FileNotFoundError:
            # Another process cleans at the same time.
            continue
        if is_own:
            found.append(path)
    return found


def _remove(path: Path) -> None:
    # What a browser still writes while it ends must not end us; the next start removes it.
    shutil.rmtree(path, ignore_errors=True)
