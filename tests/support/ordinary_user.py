"""An ordinary user of this machine, for tests that root starts too: a view of it that Debian's users have.

Root becomes a user who has no account and no capability. Where this Python is closed to others, such as below
/root, and where there is no udev, which lets everybody open /dev/net/tun, a mount namespace has it otherwise.
"""

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bentpipe.engine.testbed.etc_overlay import EtcOverlay

UID = 60_481
"""Beyond those that Debian gives to people and to services (Debian Policy, section 9.2.2)."""

TUN = Path("/dev/net/tun")
_AS_UDEV_HAS_IT = 0o666
_OTHERS_ENTER = 0o001
_STARTED = "started"


@dataclass(frozen=True, kw_only=True)
class OrdinaryUser:
    """A user.

    Attributes
    ----------
    uid : int
        The user's number.
    home : Path
        A folder of theirs.
    prefix : tuple of str
        Goes before a command that they start.
    """

    uid: int
    home: Path
    prefix: tuple[str, ...]

    def lacks(self) -> list[str]:
        """Name what this user lacks for emulation, by `bentpipe doctor`."""
        command = [*self.prefix, sys.executable, "-m", "bentpipe.cli", "doctor", "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return [f"cannot start this Python: {done.stderr.strip()}"]
        return [
            f"{check['name']}: {check['found']}"
            for check in json.loads(done.stdout)
            if check["finding"] == "missing"
        ]


@contextmanager
def an_ordinary_user() -> Iterator[OrdinaryUser]:
    """Find an ordinary user: who runs the tests, or one that root becomes."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if os.geteuid() != 0:
            yield OrdinaryUser(uid=os.geteuid(), home=home, prefix=())
            return
        os.chown(home, UID, UID)
        holder = stack.enter_context(_view())
        yield OrdinaryUser(
            uid=UID,
            home=home,
            prefix=(
                *("nsenter", f"--mount=/proc/{holder}/ns/mnt", f"--wd={home}", "--"),
                *("env", f"HOME={home}", f"TMPDIR={home}"),
                *("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"),
                *("--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--"),
            ),
        )


@contextmanager
def _view() -> Iterator[int]:
    """Start a process that has a mount namespace as described above; its number."""
    needed = [Path(sys.base_prefix), Path(sys.prefix), Path(__file__).parents[2]]
    closed = {place for path in needed if (place := _closed(path)) is not None}
    with tempfile.TemporaryDirectory() as folder:
        device = Path(folder) / "tun"
        if TUN.exists():
            os.mknod(device, stat.S_IFCHR, TUN.stat().st_rdev)
            device.chmod(_AS_UDEV_HAS_IT)
        view = EtcOverlay(
            command=["sh", "-c", f"echo {_STARTED}; exec sleep infinity"],
            memory={str(place): "mode=0755,size=16m" for place in closed},
            kept=[str(path) for path in needed],
            shown={str(TUN): str(device)} if TUN.exists() else {},
            # It ends with the tests, however these end.
            parent=os.getpid(),
        )
        # By its environment a test knows what it has started itself.
        environment = {"PATH": os.environ["PATH"]}
        with subprocess.Popen(view.arguments(), stdout=subprocess.PIPE, text=True, env=environment) as holder:
            try:
                assert holder.stdout is not None
                assert holder.stdout.readline().strip() == _STARTED
                yield holder.pid
            finally:
                holder.kill()


def _closed(path: Path) -> Path | None:
    """Return the outermost folder on the way to a path that is closed to others."""
    outermost_first = [*reversed(path.resolve().parents), path.resolve()]
    return next((one for one in outermost_first if not one.stat().st_mode & _OTHERS_ENTER), None)
