"""How long a link's round trip is, and how much data its ends hold for that."""

from collections.abc import Mapping
from typing import Any

from bentpipe.scenario import defaults
from bentpipe.scenario.link.access import longest_wait_ns
from bentpipe.scenario.link.nominal import nominal_bps
from bentpipe.scenario.link.queue import bdp_bytes
from bentpipe.scenario.written.overlay import DIRECTIONS


def buffer_bytes(link: Mapping[str, Any]) -> int:
    """Return what a buffer or a window holds that shall not limit."""
    rates = [nominal_bps(link[direction]["capacity"]) for direction in DIRECTIONS]
    return max(defaults.BUFFER_BDP * bdp_bytes(max(rates), rtt_ns(link)), defaults.BUFFER_LEAST_BYTES)


def propagation_ns(link: Mapping[str, Any]) -> int:
    """Return the propagation there and back."""
    delays_ns: list[int] = [link[direction]["delay_ns"] for direction in DIRECTIONS]
    return sum(delays_ns)


def rtt_ns(link: Mapping[str, Any]) -> int:
    """Return the longest round trip of an idle link: propagation, and waiting for frames and slots."""
    waits_ns = [longest_wait_ns(link[direction]["capacity"]) for direction in DIRECTIONS]
    return propagation_ns(link) + sum(waits_ns)
