"""The host of a script: a network namespace without a name, and a TUN device as all that it reaches.

The namespace is that of one thread, and of the processes that this starts: it is gone with them, and nothing
has to be removed.
"""

import ctypes
import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

from bentpipe.engine.testbed import netns
from bentpipe.errors import AbilityError

DEVICE = "tun0"
"""The name that scripts use in their commands."""

_CLONE_NEWNET = 0x40000000
_TUNSETIFF, _TUNSETOFFLOAD = 0x400454CA, 0x400454D0
_IFF_TUN, _IFF_NO_PI, _IFF_VNET_HDR = 0x0001, 0x1000, 0x4000
_TUN_F_CSUM, _TUN_F_TSO4, _TUN_F_TSO6 = 0x01, 0x02, 0x04
"""The device takes super-segments whole: a script shows what TCP sends, not the packets."""

_DEFAULTS = ("192.168.0.1", "192.0.2.1", 1500)
_PREFIX = {4: 16, 6: 48}
_EVERYWHERE = {4: "0.0.0.0/0", 6: "::/0"}
_QUIET_IPV6 = {"accept_dad": "0", "router_solicitations": "0", "addr_gen_mode": "1"}
"""No probes for duplicates, no solicitations, no address but the script's (ip-sysctl.rst of the kernel)."""


@contextmanager
def opened(addresses: tuple[str, str, int] | None) -> Iterator[int]:
    """Put this thread into a namespace of its own, with a device; at its end it is where it was.

    Parameters
    ----------
    addresses
        Address of the host, of its peer, and the MTU in bytes; packetdrill's own where there are none.

    Yields
    ------
    int
        A descriptor of the device, which who takes it closes.

    Raises
    ------
    AbilityError
        When the process may not make namespaces or devices.
    """
    local, _, mtu_bytes = addresses or _DEFAULTS
    version = ip_address(local).version
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        _unshare()
        try:
            _quieten(version)
            device = _open_device()
            netns.configure(
                f"link set lo up\n"
                f"link set {DEVICE} mtu {mtu_bytes} up\n"
                f"address add {local}/{_PREFIX[version]} dev {DEVICE}\n"
                f"route replace {_EVERYWHERE[version]} dev {DEVICE}\n"
            )
            yield device
        finally:
            netns.enter(home)
    finally:
        os.close(home)


def _unshare() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0:
        raise AbilityError(
            f"no network namespace can be made: {os.strerror(ctypes.get_errno())}", "run as root"
        )


def _quieten(version: int) -> None:
    if version == 4:
        netns.quieten()
        return
    for of in ("all", "default"):
        for name, value in _QUIET_IPV6.items():
            netns.write_sysctl(f"ipv6/conf/{of}/{name}", value)


def _open_device() -> int:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    try:
        flags = _IFF_TUN | _IFF_NO_PI | _IFF_VNET_HDR
        fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), flags))
        fcntl.ioctl(device, _TUNSETOFFLOAD, _TUN_F_CSUM | _TUN_F_TSO4 | _TUN_F_TSO6)
    except OSError:
        os.close(device)
        raise
    return device
