"""Sockets that are files: they lead out of a network namespace, to services with the machine's network."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_TABLE = Path("/proc/self/net/unix")
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
    for line in _TABLE.read_bytes().split(b"\n")[1:]:
        fields = line.split(maxsplit=7)
        # An abstract one starts with @ and belongs to its network namespace.
        if len(fields) < 8 or not fields[7].startswith(b"/"):
            continue
        with suppress(ValueError):
            if int(fields[3], 16) & _LISTENS:
                yield Path(os.fsdecode(fields[7]))


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
