"""What a network device does for the stack: packets shall pass one by one, as over a wire."""

import ctypes
import fcntl
import socket
import struct

_SIOCETHTOOL = 0x8946
_COMMANDS = {"TSO": 0x1F, "GSO": 0x24, "GRO": 0x2C}
"""ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO (linux/ethtool.h)."""


def switch_off(device: str) -> None:
    """Have a device of this namespace neither split packets after the stack nor merge them before it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command in _COMMANDS.values():
            # struct ethtool_value: command, data.
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            # struct ifreq: name, pointer.
            request = struct.pack("16sP16x", device.encode(), ctypes.addressof(value))
            fcntl.ioctl(control, _SIOCETHTOOL, request)
