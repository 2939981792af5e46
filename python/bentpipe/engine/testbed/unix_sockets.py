"""Sockets that are files: they lead out of a network namespace, to services with the machine's network."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_INIT = 1
_LISTENS = 0x10000
"""SO_ACCEPTCON in the column of flags (proc_pid_net(5), `unix`)."""


def listening(*, but: Sequence[Path] = ()) -> list[str]:
    """Return the files behind which a process of the machine listens: buses, daemons, shared ssh sessions.

    Parameters
    ----------
    but
        Sockets, and folders of such, that are left out.
    """
    found: set[Path] = set()
    for path in _paths():
        # One that has been renamed since, as ssh does it, is some other one in its folder.
        places = [path] if _is_socket(path) else [one for one in _beside(path) if _is_socket(one)]
        found.update(place for place in places if not any(place.is_relative_to(one) for one in but))
    return sorted(map(str, found))


def _paths() -> Iterator[Path]:
    """Yield what listening sockets were bound to. Names are any bytes, also such as look like lines."""
    for line in _lines():
        fields = line.split(maxsplit=7)
        # An abstract one starts with @ and belongs to its network namespace.
        if len(fields) < 8 or not fields[7].startswith(b"/"):
            continue
        with suppress(ValueError):
            if int(fields[3], 16) & _LISTENS:
                yield Path(os.fsdecode(fields[7]))


def _lines() -> Iterator[bytes]:
    """Yield what the kernel says of each socket of the machine.

    A table is of one network namespace: in one of its own a process finds the machine's with its parent, and
    with the first process.
    """
    tables: set[bytes] = set()
    for pid in (os.getpid(), os.getppid(), _INIT):
        # Out of sight, or ended (proc(5), hidepid).
        with suppress(OSError):
            tables.add(Path(f"/proc/{pid}/net/unix").read_bytes())
    for table in tables:
        yield from table.split(b"\n")[1:]


def _beside(path: Path) -> list[Path]:
    try:
        return list(path.parent.iterdir())
    except OSError:
        return []


def _is_socket(path: Path) -> bool:
    try:
        return path.is_socket()
    except OSError:
        return False
