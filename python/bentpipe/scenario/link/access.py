"""How long a packet may wait for its turn on an idle carrier, by a link's specification: a generous bound."""

from collections.abc import Mapping
from typing import Any

from bentpipe.scenario.link.layout import superframe_ns
from bentpipe.scenario.written.quantity import SECOND_NS

LONGEST_FRAME = {"normal": 33_282, "short": 8_370}
"""Symbols of a QPSK PLFRAME with pilots: 90 + 90 S + 36 floor((S - 1) / 16), S = 360 or 90 slots."""
FRAMES = 3
"""The one in progress when a packet comes, its own, and the next where it is cut."""
SUPERFRAMES = 3
"""The one of the request, the one in progress when it arrives, and the one that has the slots."""


def longest_wait_ns(capacity: Mapping[str, Any]) -> int:
    """Return how long a packet may wait and be sent for on an idle carrier; nothing at a constant rate.

    A packet that is sent at a constant rate waits for nobody, and its transmission is short.
    """
    match capacity["kind"]:
        case "dvbs2":
            symbols = FRAMES * LONGEST_FRAME[capacity["fecframe"]]
            frames_ns = -(-symbols * SECOND_NS // capacity["symbols_per_s"])
            return int(capacity["closing_timeout_ns"] + frames_ns)
        case "rcs2":
            return _assignment_ns(capacity)
        case _:
            return 0


def _assignment_ns(capacity: Mapping[str, Any]) -> int:
    mixes = [capacity["mix"], *(each["mix"] for each in capacity["classes"])]
    length_ns = superframe_ns(capacity["layout"])
    if all(mix["rbdc"] is None and mix["volume"] is None for mix in mixes):
        # The next slot of a constant rate: one in so many superframes.
        return length_ns * max(_superframes_a_slot(mix["cra"]) for mix in mixes)
    superframes = SUPERFRAMES + capacity["signalling"]["period"]
    return int(capacity["request_delay_ns"] + capacity["lead_ns"] + superframes * length_ns)


def _superframes_a_slot(cra: Mapping[str, int]) -> int:
    return int(-(-cra["superframes"] // cra["slots"])) if cra["slots"] else 1
