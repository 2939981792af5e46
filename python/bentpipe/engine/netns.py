"""Network namespaces: the one file that needs root.

A *world* is two namespaces, a client's and a server's, each with one TUN device whose other end is the link
process. Their names carry the process that made them, so that what an interrupted process left behind is
known by its name and removed at the next start.
"""

import ctypes
import fcntl
import itertools
import os
import re
import struct
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bentpipe.errors import AbilityError

DEVICE = "bp0"
"""The TUN device in either namespace."""

CLIENT_ADDRESS = "198.18.0.1"
SERVER_ADDRESS = "198.18.0.2"
"""The range that RFC 2544 sets aside for benchmarks."""

TX_QUEUE_PACKETS = 100_000
"""Room between the kernel and the link process: a burst must wait in the link's queue, not be lost here."""

RUN_NETNS = Path("/run/netns")
"""Where iproute2 keeps named namespaces."""

_NAME = re.compile(r"bp-(?P<pid>\d+)-(?P<start>\d+)-(?P<number>\d+)-(client|server)")
_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_NO_PI = 0x0001, 0x1000
_CLONE_NEWNET = 0x40000000
_OUT_OF_CTRL_C = 0
"""A process group of its own: an `ip` that Ctrl-C ends leaves half a world."""
_numbers = itertools.count()


@dataclass(frozen=True, kw_only=True)
class World:
    """Two namespaces of one run.

    Attributes
    ----------
    client, server : str
        Names of the namespaces.
    """

    client: str
    server: str

    @classmethod
    def create(cls, *, mtu_bytes: int, route_attributes: str, sysctls: Mapping[str, str]) -> Self:
        """Make both namespaces with their devices, addresses, routes and kernel settings.

        Parameters
        ----------
        mtu_bytes
            MTU of the devices.
        route_attributes
            What `ip route` is told of the route to the other end.
        sysctls
            Further settings below /proc/sys/net, by path.

        Raises
        ------
        AbilityError
            When the process may not make namespaces or devices.
        """
        prefix = f"bp-{os.getpid()}-{_start_time(os.getpid())}-{next(_numbers)}"
        world = cls(client=f"{prefix}-client", server=f"{prefix}-server")
        try:
            _ip(f"netns add {world.client}\nnetns add {world.server}\n")
            for name, own, peer in (
                (world.client, CLIENT_ADDRESS, SERVER_ADDRESS),
                (world.server, SERVER_ADDRESS, CLIENT_ADDRESS),
            ):
                _configure(
                    name,
                    own,
                    peer,
                    mtu_bytes=mtu_bytes,
                    route_attributes=route_attributes,
                    sysctls=sysctls,
                )
        except BaseException:
            world.remove()
            raise
        return world

    def open_devices(self) -> tuple[int, int]:
        """Open the TUN devices of client and server; the caller closes the descriptors."""
        return _open_tun(self.client), _open_tun(self.server)

    def dropped_packets(self) -> int:
        """Packets that the devices lost before the link process could read them."""
        return sum(_dropped(name) for name in (self.client, self.server))

    def remove(self) -> None:
        """Remove both namespaces, and with them their devices."""
        for name in (self.client, self.server):
            _delete(name)


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Move the calling thread into a namespace; processes started meanwhile stay there."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        target = os.open(RUN_NETNS / name, os.O_RDONLY)
        try:
            _setns(target)
        finally:
            os.close(target)
        try:
            yield
        finally:
            _setns(home)
    finally:
        os.close(home)


def clean(*, own: bool = False) -> list[str]:
    """Remove the namespaces of processes that have ended, or of this process where `own` is set.

    Returns
    -------
    list of str
        The names removed.

    Raises
    ------
    AbilityError
        When this process may not remove them.
    """
    names = leftovers(own=own)
    if names and os.geteuid() != 0:
        raise AbilityError(f"the namespace {names[0]} cannot be removed", "run as root")
    for name in names:
        # Fails where another process cleans at the same time, and removes the same.
        _delete(name)
    return names


def leftovers(*, own: bool = False) -> list[str]:
    """Name the namespaces that `clean` would remove."""
    if not RUN_NETNS.is_dir():
        return []
    found = []
    for path in sorted(RUN_NETNS.iterdir()):
        if (match := _NAME.fullmatch(path.name)) is None:
            continue
        pid, start = int(match["pid"]), int(match["start"])
        is_own = pid == os.getpid() and start == _start_time(pid)
        has_ended = _start_time(pid) != start
        if is_own if own else has_ended:
            found.append(path.name)
    return found


def _configure(
    name: str, own: str, peer: str, *, mtu_bytes: int, route_attributes: str, sysctls: Mapping[str, str]
) -> None:
    with inside(name):
        # No router solicitations and no duplicate-address probes on the link.
        _write_sysctl("ipv6/conf/all/disable_ipv6", "1")
        _write_sysctl("ipv6/conf/default/disable_ipv6", "1")
        # Nothing that a connection learns reaches the next one.
        _write_sysctl("ipv4/tcp_no_metrics_save", "1")
        for path, value in sysctls.items():
            _write_sysctl(path, value)
        _ip(
            f"link set lo up\n"
            f"tuntap add dev {DEVICE} mode tun\n"
            f"link set {DEVICE} mtu {mtu_bytes} txqueuelen {TX_QUEUE_PACKETS} up\n"
            f"address add {own} peer {peer} dev {DEVICE}\n"
            f"route replace {peer} dev {DEVICE} {route_attributes}\n"
        )


def _open_tun(name: str) -> int:
    with inside(name):
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        request = struct.pack("16sH22x", DEVICE.encode(), _IFF_TUN | _IFF_NO_PI)
        try:
            fcntl.ioctl(device, _TUNSETIFF, request)
        except OSError:
            os.close(device)
            raise
    return device


def _dropped(name: str) -> int:
    with inside(name):
        lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
    for line in lines:
        interface, _, counters = line.partition(":")
        if interface.strip() == DEVICE:
            # Columns: eight of reception, then transmitted bytes, packets, errors, drops.
            return int(counters.split()[11])
    return 0


def _ip(batch: str) -> None:
    try:
        result = subprocess.run(
            ["ip", "-batch", "-"],
            input=batch,
            text=True,
            capture_output=True,
            check=False,
            process_group=_OUT_OF_CTRL_C,
        )
    except FileNotFoundError:
        raise AbilityError(
            "the command `ip` is not installed", "install the Debian package iproute2"
        ) from None
    if result.returncode != 0:
        message = result.stderr.strip().splitlines()
        raise AbilityError(
            f"network namespaces cannot be made: {message[0] if message else 'ip failed'}",
            "run as root; `bentpipe doctor` says what else is missing",
        )


def _write_sysctl(path: str, value: str) -> None:
    file = Path("/proc/sys/net") / path
    # A kernel built without IPv6 has nothing to switch off.
    if file.exists() or not path.startswith("ipv6/"):
        file.write_text(value)


def _delete(name: str) -> None:
    subprocess.run(
        ["ip", "netns", "delete", name], capture_output=True, check=False, process_group=_OUT_OF_CTRL_C
    )


def _setns(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, _CLONE_NEWNET) != 0:
        error = ctypes.get_errno()
        raise AbilityError(
            f"thread {threading.current_thread().name} may not enter a namespace: {os.strerror(error)}",
            "run as root",
        )


def _start_time(pid: int) -> int | None:
    """When a process started, in clock ticks since boot; None when it has ended (proc(5), field 22)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(stat.rpartition(")")[2].split()[19])
