"""What a folder holds, to the byte, so that it can be compared with what it held before."""

import os
import stat
from pathlib import Path


def contents(folder):
    """Return type, mode, owner, times and content of everything below a folder; links are not followed."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            status = path.lstat()
            content = None
            if stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
            elif stat.S_ISLNK(status.st_mode):
                content = str(path.readlink())
            found[str(path.relative_to(folder))] = (
                status.st_mode,
                status.st_uid,
                status.st_gid,
                status.st_mtime_ns,
                status.st_rdev,
                content,
            )
    return found
