"""What a process says on its standard error: a file, as a full pipe that nobody reads would hold it up."""

import os
from typing import IO


def said(errors: IO[bytes]) -> str:
    """Return all that has been written to the file so far; the writer's place in it stays as it is."""
    descriptor = errors.fileno()
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode(errors="replace")


def last_words(errors: IO[bytes], *, lines: int = 1) -> str:
    """Return the last lines of it as one."""
    return " ".join(line.strip() for line in said(errors).strip().splitlines()[-lines:])
