"""Emulation as an ordinary user: the whole command in user, mount and network namespaces of its own.

In its user namespace a process has every capability over the namespaces that it makes there, and none over
the machine (user_namespaces(7)). Its user stays who it is, so that files are theirs; what it may do it has as
ambient capabilities (capabilities(7)), which `privilege.dropped` takes from programs of others. A network
namespace comes with it, for a thread that leaves one of the machine's may not return.
"""

import fcntl
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from bentpipe.engine.process.maker import Maker
from bentpipe.errors import AbilityError
from bentpipe.invoking_user import ROOT

COMMAND = ("unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "--net", "--")
"""By unshare(1) of util-linux: a process that may have threads cannot enter a user namespace itself."""

RUN_NETNS = Path("/run/netns")
"""Where iproute2 keeps named namespaces."""

_NEEDED = {"NET_ADMIN": 12, "SYS_ADMIN": 21}
"""Capabilities (linux/capability.h): of network namespaces, and of mounts and namespaces."""

_NS_GET_USERNS = 0xB701
"""Of ioctl: the user namespace that owns a namespace (ioctl_nsfs(2), linux/nsfs.h)."""
_FIRST_PROCESS = 1
_UID_MAP = Path("/proc/self/uid_map")

_LEFT = "BENTPIPE_LEFT_MOUNTS"
"""Says by `Maker.name` which process entered such namespaces, and the inode of the mounts that it left."""

_TRIAL = (sys.executable, "-I", "-S", "-c", "open('/proc/sys/net/ipv4/ip_forward', 'w').write('0')")
"""Succeeds for who may administer a network: AppArmor may grant a user namespace without any capability.

And for who may start this Python: capabilities that read everything are not there inside.
"""
_ANSWER_WITHIN_S = 10.0

_FORBIDDING = (
    ("user/max_user_namespaces", "0", "10000"),
    ("user/max_mnt_namespaces", "0", "10000"),
    ("user/max_net_namespaces", "0", "10000"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
)
"""Sysctls by which a machine refuses users their namespaces, the value that does, and one that does not.

namespaces(7); of Debian's kernel; of Ubuntu's since 23.10.
"""


def may_emulate() -> bool:
    """Whether this process may make namespaces, configure them and give them names, as it is."""
    return may_administer() and may_name()


def may_name() -> bool:
    """Whether it may have names of namespaces: root, in mounts of its own, or where the machine lets it.

    A service may have all capabilities and no right to write where names are kept.
    """
    return os.geteuid() == ROOT or os.access(RUN_NETNS, os.W_OK) or is_own()


def may_administer() -> bool:
    """Whether this process may make network namespaces and configure them, as root or in a user namespace."""
    return not lacking()


def lacking() -> list[str]:
    """Name the capabilities that this process would need to administer networks, such as `SYS_ADMIN`."""
    effective = _effective_capabilities()
    return [name for name, number in _NEEDED.items() if not effective >> number & 1]


def is_own() -> bool:
    """Whether this process administers namespaces of a user namespace that one user has for themselves.

    Neither who it is nor what it may do says so: a service may be given the capabilities over the machine
    itself, and a container has a user namespace that its processes share.
    """
    try:
        uid_map = _UID_MAP.read_text()
    except FileNotFoundError:
        # A kernel without user namespaces (CONFIG_USER_NS).
        return False
    return may_administer() and has_one_user(uid_map) and _owns_its_mounts()


def has_one_user(uid_map: str) -> bool:
    """Whether a user namespace has one user alone, as `COMMAND` makes it.

    Parameters
    ----------
    uid_map
        /proc/PID/uid_map (user_namespaces(7)): lines of first user inside, first user outside, and how many.
        The machine's own namespace has all 2^32 - 1 of them, a container's has thousands.
    """
    return [line.split()[2:] for line in uid_map.splitlines()] == [["1"]]


def _owns_its_mounts() -> bool:
    """Whether the mounts that this process sees belong to its user namespace, and not to its whole container.

    Those of the machine belong to the machine's: whoever has joined them may not change them either.
    """
    mounts = os.open("/proc/self/ns/mnt", os.O_RDONLY)
    try:
        owner = fcntl.ioctl(mounts, _NS_GET_USERNS)
    except PermissionError:
        # It is beyond the own one (ioctl_nsfs(2), EPERM).
        return False
    finally:
        os.close(mounts)
    try:
        if not os.path.samestat(os.fstat(owner), Path("/proc/self/ns/user").stat()):
            return False
    finally:
        os.close(owner)
    left = _left_mounts()
    if left is not None:
        # The first process may be this one itself, as in a container that starts nothing else.
        return Path("/proc/self/ns/mnt").stat().st_ino != left
    with suppress(OSError):
        # Who may look at the first process is beside it in a container; of the machine's it is refused.
        return not Path("/proc/self/ns/mnt").samefile(f"/proc/{_FIRST_PROCESS}/ns/mnt")
    return True


@cache
def obstacle() -> AbilityError | None:
    """Say why an ordinary user cannot have such namespaces here, and what helps; None where they can."""
    try:
        tried = subprocess.run(
            [*COMMAND, *_TRIAL], capture_output=True, text=True, check=False, timeout=_ANSWER_WITHIN_S
        )
    except FileNotFoundError:
        return AbilityError("the command `unshare` is missing", "install the Debian package util-linux")
    except subprocess.TimeoutExpired:
        return AbilityError(f"no user namespace within {_ANSWER_WITHIN_S:g} s", "run as root")
    if tried.returncode == 0:
        return None
    found = forbidding(Path("/proc/sys"))
    if found is not None:
        return found
    lines = tried.stderr.strip().splitlines()
    return AbilityError(
        f"no user namespace can be entered: {lines[-1] if lines else 'unshare failed'}",
        "run as root; a container's seccomp profile may forbid it, or a policy of the machine",
    )


def forbidding(sysctls: Path) -> AbilityError | None:
    """Name the setting of a machine that refuses its users namespaces; None where none does.

    Parameters
    ----------
    sysctls
        The folder that has them, `/proc/sys`.
    """
    for path, refuses, allows in _FORBIDDING:
        try:
            value = (sysctls / path).read_text().strip()
        except OSError:
            # Another distribution's, or an older kernel's.
            continue
        if value == refuses:
            name = path.replace("/", ".")
            return AbilityError(
                f"this user may have no user namespaces: {name} is {value}",
                f"as root `sysctl -w {name}={allows}`, or run as root",
            )
    return None


def may_enter() -> bool:
    """Whether this process is an ordinary user's that would need a user namespace of its own to emulate.

    And has not been started anew for one: what did not help once does not help again.
    """
    return os.geteuid() != ROOT and _left_mounts() is None and not may_emulate()


def enter(program: Sequence[str]) -> None:
    """Start this process anew as `program` in namespaces of its own, where it needs them and can have them.

    It keeps its number, its parent and its terminal. Returns where there is nothing to gain, and for root,
    who lacks capabilities because somebody has taken them: a container says which it gives.
    """
    if not may_enter() or obstacle() is not None:
        return
    sys.stdout.flush()
    sys.stderr.flush()
    mounts = Path("/proc/self/ns/mnt").stat().st_ino
    environment = {**os.environ, _LEFT: Maker.this_process().name(str(mounts))}
    os.execvpe(COMMAND[0], [*COMMAND, *program], environment)


def _left_mounts() -> int | None:
    """Return the inode of the mount namespace that this very process was in before `enter`; None without.

    What it starts inherits the environment, and may be in mounts of others: it is another process.
    """
    value = os.environ.get(_LEFT, "")
    maker, inode = Maker.of(value), value.rpartition("-")[2]
    if maker is None or maker != Maker.this_process() or not inode.isdecimal():
        return None
    return int(inode)


def _effective_capabilities() -> int:
    # Of the thread: capabilities are a thread's.
    for line in Path("/proc/thread-self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0
