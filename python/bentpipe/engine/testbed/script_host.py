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

from bentpipe.engine.testbed import netns
from bentpipe.errors import AbilityError

DEVICE = "tun0"
"""The name that scripts use in their commands."""

_CLONE_NEWNET = 0x40000000
_TUNSETIFF, _TUNSETOFFLOAD = 0x400454CA, 0x400454D0
_IFF_TUN, _IFF_NO_PI, _IFF_VNET_HDR = 0x0001, 0x1000, 0x4000
_TUN_F_CSUM, _TUN_F_TSO4 = 0x01, 0x02
"""The device takes super-segments whole: a script shows what TCP sends, not the packets."""

_DEFAULTS = ("192.168.0.1", "192.0.2.1", 1500)


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
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        _unshare()
        try:
            netns.quieten()
            device = _open_device()
            netns.configure(
                f"link set lo up\n"
                f"link set {DEVICE} mtu {mtu_bytes} up\n"
                f"address add {local}/16 dev {DEVICE}\n"
                f"route replace default dev {DEVICE}\n"
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


def _open_device() -> int:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    try:
        flags = _IFF_TUN | _IFF_NO_PI | _IFF_VNET_HDR
        fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", DEVICE.encode(), flags))
        fcntl.ioctl(device, _TUNSETOFFLOAD, _TUN_F_CSUM | _TUN_F_TSO4)
    except OSError:
        os.close(device)
        raise
    return device
