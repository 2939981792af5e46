"""Started as a program: start another one that sees some files of /etc as they are in a folder.

    python -I enter_view.py FOLDER COMMAND ...

A process of its own instead of a function called between fork and exec: measurements have threads, and then
only what the kernel itself offers is safe between the two. It needs nothing but the standard library.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

CANNOT_PREPARE = 2
"""Exit status when the files cannot be shown."""

_CLONE_NEWNS = 0x00020000
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_PR_SET_PDEATHSIG = 1

_CACHES = (Path("/run/nscd"),)
"""Folders of services that answer for the whole machine, out of its own /etc/hosts."""


def main(folder: Path, command: list[str]) -> int:
    """Show the files, then become the command; return an exit status when that fails."""
    libc = ctypes.CDLL(None, use_errno=True)
    # It ends with whoever started it as with its terminal; behind nohup that signal would be ignored.
    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL if is_ignored else signal.SIGHUP)
    try:
        _show(libc, folder)
    except OSError as error:
        print(f"error: names cannot be resolved behind the link: {error}; run as root", file=sys.stderr)
        return CANNOT_PREPARE
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"error: {command[0]}: {error.strerror}", file=sys.stderr)
        # POSIX.1-2024, Shell Command Language, section 2.8.2.
        return 127 if isinstance(error, FileNotFoundError) else 126


def _show(libc: ctypes.CDLL, folder: Path) -> None:
    _checked(libc.unshare(_CLONE_NEWNS), "unshare")
    # What is mounted on the machine later is seen here, and what is mounted here is not seen there.
    _mount(libc, None, Path("/"), _MS_SLAVE | _MS_REC)
    for file in sorted(folder.iterdir()):
        # A symbolic link is followed, such as that of systemd-resolved.
        place = Path("/etc", file.name).resolve()
        if place.is_file():
            _mount(libc, file, place, _MS_BIND)
    for cache in _CACHES:
        if cache.is_dir():
            _mount(libc, folder, cache, _MS_BIND)


def _mount(libc: ctypes.CDLL, source: Path | None, target: Path, flags: int) -> None:
    named = None if source is None else bytes(source)
    _checked(libc.mount(named, bytes(target), None, ctypes.c_ulong(flags), None), f"mount on {target}")


def _checked(status: int, call: str) -> None:
    if status != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{call}: {os.strerror(error)}")


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2:]))
