"""Cores that do not fall asleep between two packets."""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LATENCY_REQUEST = Path("/dev/cpu_dma_latency")
"""Takes the longest tolerable wake-up in microseconds while it is open (Linux, `pm_qos_interface.rst`)."""


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
        yield "sleeping"
        return
    try:
        os.write(request, struct.pack("i", 0))
        yield "polling"
    finally:
        os.close(request)
