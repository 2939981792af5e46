"""CLOCK_MONOTONIC, which all processes of this machine share."""

import time

from bentpipe.scenario.written.quantity import SECOND_NS


def sleep_until(due_ns: int) -> None:
    """Return at an instant, in nanoseconds, or at once when it has passed."""
    time.sleep(max(0, due_ns - time.monotonic_ns()) / SECOND_NS)
