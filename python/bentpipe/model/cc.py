"""Congestion control: the algorithms, and how a sender starts.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from enum import StrEnum

from bentpipe.model.frozen import Frozen

from .switch import Switch


class Algorithm(StrEnum):
    """A congestion control by the name that scenarios use."""

    RENO = "reno"
    """RFC 5681, as in Linux."""
    CUBIC = "cubic"
    """RFC 9438."""
    BBR = "bbr"
    """BBR version 1, as in Linux."""
    BBR3 = "bbr3"
    """BBR version 3 (draft-ietf-ccwg-bbr)."""
    HYBLA = "hybla"
    """TCP Hybla (Caini, Firrincieli 2004), as in Linux."""
    VIVACE = "vivace"
    """PCC Vivace (NSDI'18), latency flavour."""
    PRAGUE = "prague"
    """Prague (draft-briscoe-iccrg-prague-congestion-control), for L4S."""


class SlowStartChoice(StrEnum):
    """A way to end slow start that is not that of today's Linux."""

    HYSTART__ = "hystart++"
    """HyStart++ (RFC 9406), for Reno and CUBIC."""
    LINUX_4_15 = "linux-4.15"
    """HyStart of Linux 4.15, for CUBIC over TCP."""
    LOSS = "loss"
    """Losses alone (RFC 5681 section 3.1), for CUBIC."""
    SEARCH = "search"
    """SEARCH (draft-chung-ccwg-search-09), for Reno and CUBIC."""


class BbrSpec(Frozen):
    """Settings of BBR version 1."""

    extra_acked: Switch
    """
    Whether the window has room for what is acknowledged at once beyond what the bandwidth explains
    (`bbr_update_ack_aggregation`, Linux since 5.1).
    """


class SavedSpec(Frozen):
    """Parameters of a path that were saved before the run."""

    cwnd_bytes: int
    """`saved_cwnd`, the capacity of the path as bytes in a round trip."""
    rtt_ns: int
    """`saved_rtt`."""
    age_ns: int
    """How long ago they were saved."""


class ResumeSpec(Frozen):
    """Careful Resume (RFC 9959) of every sender that can."""

    max_jump_bytes: int | None = None
    """`max_jump`, the longest window that is jumped to; without it half of what is saved."""
    lifetime_ns: int
    """How long saved parameters may be used."""
    saved: SavedSpec | None = None
    """What senders know of the path before the run; without it what a visit before has taught them."""
