"""Started as a program: start another one that sees the machine's files otherwise than they are.

    python -I etc_overlay.py VIEW

VIEW is an `EtcOverlay` as JSON. A process of its own instead of a function called between fork and exec:
measurements have threads, and then only what the kernel itself offers is safe between the two. It needs
nothing but the standard library.
"""

import ctypes
import json
import os
import signal
import stat
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

CANNOT_PREPARE = 2
"""Exit status when the files cannot be shown."""
PREPARED = b"prepared\n"
"""What it says on standard output before it waits for a line on standard input, where it is to wait."""

_CLONE_NEWNS = 0x00020000
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_MNT_DETACH = 2
_PR_SET_PDEATHSIG = 1
_SYS_MOUNT_SETATTR = 442
"""On all architectures (Linux 5.12, asm-generic/unistd.h)."""
_AT_FDCWD, _AT_RECURSIVE, _MOUNT_ATTR_RDONLY = -100, 0x8000, 1


@dataclass(frozen=True, kw_only=True)
class EtcOverlay:
    """What a program is to see, in a mount namespace of its own.

    Attributes
    ----------
    command : sequence of str
        The program and its arguments.
    parent : int or None
        The process that starts it, with which it ends; None where another process sees to that.
    death_signal : str
        What it is sent then, such as `KILL`.
    has_own_mounts : bool
        Whether it is started in a mount namespace of its own already.
    is_read_only : bool
        Whether the machine's files cannot be written to, whoever may otherwise.
    memory : mapping of str to str
        Folders that are empty file systems in memory there, with their mount options (tmpfs(5)).
    kept : sequence of str
        Folders, files and devices in these that are to be seen all the same.
    written : mapping of str to str
        Files that are made there, with their text.
    shown : mapping of str to str
        Files and folders in whose place others are seen.
    covered : sequence of str
        Files that nothing can be had from, such as sockets.
    waits : bool
        Whether it says `PREPARED`, and starts when it is sent a line.
    """

    command: Sequence[str]
    parent: int | None = None
    death_signal: str = "KILL"
    has_own_mounts: bool = False
    is_read_only: bool = False
    memory: Mapping[str, str] = field(default_factory=dict)
    kept: Sequence[str] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    covered: Sequence[str] = ()
    waits: bool = False

    def arguments(self) -> list[str]:
        """Return the command that starts this program with this view. Starting it needs root.

        When there is no such program as it is to start, it says so and ends with the status that shells give.
        """
        return [sys.executable, "-I", __file__, json.dumps(asdict(self))]


class MountAttributes(ctypes.Structure):
    """struct mount_attr (mount_setattr(2))."""

    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


class Kernel:
    """System calls that Python has not got; each raises OSError."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)

    def own_mounts(self) -> None:
        """Enter a mount namespace in which the machine's mounts are seen, and none of it by the machine."""
        self._checked(self._libc.unshare(_CLONE_NEWNS), "unshare")
        self.mount(None, Path("/"), flags=_MS_SLAVE | _MS_REC)

    def mount(
        self, source: Path | None, target: Path, *, kind: str | None = None, flags: int = 0, options: str = ""
    ) -> None:
        """Call mount(2)."""
        status = self._libc.mount(
            bytes(source or Path("none")),
            bytes(target),
            None if kind is None else kind.encode(),
            ctypes.c_ulong(flags),
            options.encode(),
        )
        self._checked(status, f"mount on {target}")

    def bind(self, source: Path, target: Path) -> None:
        """Show a file or folder in another place too."""
        self.mount(source, target, flags=_MS_BIND)

    def bind_all(self, source: Path, target: Path) -> None:
        """Show a file or folder in another place too, with all that is mounted in it."""
        self.mount(source, target, flags=_MS_BIND | _MS_REC)

    def unmount(self, target: Path) -> None:
        """Take away what is mounted over a folder, with all that is mounted in it."""
        self._checked(self._libc.umount2(bytes(target), _MNT_DETACH), f"umount2 {target}")

    def set_read_only(self, target: Path, *, is_read_only: bool) -> None:
        """Set whether a mount, and all below it, may be written to."""
        attribute = _MOUNT_ATTR_RDONLY
        how = MountAttributes(
            attr_set=attribute if is_read_only else 0, attr_clr=0 if is_read_only else attribute
        )
        status = self._libc.syscall(
            _SYS_MOUNT_SETATTR,
            _AT_FDCWD,
            bytes(target),
            _AT_RECURSIVE,
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        self._checked(status, f"mount_setattr {target} (Linux 5.12 or later)")

    def die_with_parent(self, death_signal: int, parent: int) -> None:
        """Be sent a signal when the starter ends; end now when it has ended already."""
        self._libc.prctl(_PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:
            raise SystemExit(128 + death_signal)

    def _checked(self, status: int, call: str) -> None:
        if status != 0:
            error = ctypes.get_errno()
            raise OSError(error, f"{call}: {os.strerror(error)}")


def main(view: EtcOverlay) -> int:
    """Show the files, then become the command; return an exit status when that fails."""
    kernel = Kernel()
    if view.parent is not None:
        kernel.die_with_parent(signal.Signals[f"SIG{view.death_signal}"], view.parent)
    # What is made here is for the user as whom the command runs, whatever root keeps to itself.
    umask = os.umask(0o022)
    try:
        _show(kernel, view)
    except OSError as error:
        print(f"error: files cannot be shown otherwise than they are: {error}; run as root", file=sys.stderr)
        return CANNOT_PREPARE
    os.umask(umask)
    if view.waits:
        os.write(1, PREPARED)
        if not os.read(0, 1):
            return CANNOT_PREPARE
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        # What it says is not for whoever waits for answers.
        os.dup2(2, 1)
    try:
        os.execvp(view.command[0], list(view.command))
    except OSError as error:
        print(f"error: {view.command[0]}: {error.strerror}", file=sys.stderr)
        # POSIX.1-2024, Shell Command Language, section 2.8.2.
        return 127 if isinstance(error, FileNotFoundError) else 126


def _show(kernel: Kernel, view: EtcOverlay) -> None:
    if not view.has_own_mounts:
        kernel.own_mounts()
    if view.is_read_only:
        kernel.set_read_only(Path("/"), is_read_only=True)
        # Where processes set themselves up, as a browser's sandbox does.
        kernel.set_read_only(Path("/proc"), is_read_only=False)
    # A symbolic link is followed, such as that of systemd-resolved, while it leads somewhere.
    shown = {Path(target).resolve(): Path(source) for target, source in view.shown.items()}
    _put_in_memory(kernel, view.memory, [Path(path) for path in view.kept if Path(path).exists()])
    for path, text in view.written.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    for place, source in shown.items():
        if any(place.is_relative_to(memory) for memory in view.memory):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        if place.exists():
            kernel.bind(source, place)
    for covered in map(Path, view.covered):
        # Whoever listened there may have gone at this moment.
        with suppress(FileNotFoundError):
            kernel.bind(Path(os.devnull), covered)


def _put_in_memory(kernel: Kernel, memory: Mapping[str, str], kept: Sequence[Path]) -> None:
    """Put file systems in memory over folders, a folder before what is in it, but for some things in them."""
    aside = [os.open(path, os.O_PATH) for path in kept]
    covered: list[str] = []
    for place, options in memory.items():
        within = any(Path(place).is_relative_to(one) for one in covered)
        if within:
            Path(place).mkdir(parents=True, exist_ok=True)
        # Looked at now: /home may lead to /var/home, which is covered already.
        if Path(place).is_dir():
            kernel.mount(Path("bentpipe"), Path(place), kind="tmpfs", options=options)
            covered.append(place)
    for path, descriptor in zip(kept, aside, strict=True):
        if any(path.is_relative_to(place) for place in covered):
            path.parent.mkdir(parents=True, exist_ok=True)
            is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
            path.mkdir(exist_ok=True) if is_folder else path.touch()
            kernel.bind(Path(f"/proc/self/fd/{descriptor}"), path)
        os.close(descriptor)


if __name__ == "__main__":
    raise SystemExit(main(EtcOverlay(**json.loads(sys.argv[1]))))
