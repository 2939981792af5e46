"""Cores that do not fall asleep between two packets."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LATENCY_REQUEST = Path("/dev/cpu_dma_latency")
"""Takes the longest tolerable wake-up in microseconds while it is open (Linux, `pm_qos_interface.rst`)."""

CPUIDLE_DRIVER = Path("/sys/devices/system/cpu/cpuidle/current_driver")
"""What puts idle cores to sleep (`admin-guide/pm/cpuidle.rst`). Without it they halt whatever is asked."""

KERNEL_COMMAND_LINE = Path("/proc/cmdline")
NO_DRIVER = "none"
POLLING_KERNEL = "idle=poll"
"""Cores that never halt, and need no driver (`kernel-parameters.txt`)."""


@contextmanager
def awake() -> Iterator[str]:
    """Ask that idle cores poll, which halves what the host adds to a round trip.

    Best effort, for the whole machine, until the last of those who ask has ended.

    Yields
    ------
    str
        What idle cores do, for the record: `polling` or `sleeping`.
    """
    try:
        request = os.open(LATENCY_REQUEST, os.O_WRONLY)
    except OSError:
        yield _state(is_asked=False)
        return
    try:
        os.write(request, struct.pack("i", 0))
        yield _state(is_asked=True)
    finally:
        os.close(request)


def has_driver() -> bool:
    """Whether the kernel heeds what is asked of idle cores; kernels of virtual machines often do not."""
    return _text(CPUIDLE_DRIVER) not in {"", NO_DRIVER}


def never_halt() -> bool:
    """Whether the kernel was started so that idle cores poll anyway."""
    return POLLING_KERNEL in _text(KERNEL_COMMAND_LINE).split()


def _state(*, is_asked: bool) -> str:
    return "polling" if never_halt() or (is_asked and has_driver()) else "sleeping"


def _text(file: Path) -> str:
    with suppress(OSError):
        return file.read_text().strip()
    return ""
