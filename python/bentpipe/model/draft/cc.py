"""Congestion control: the algorithms, and how a sender starts.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from .switch import Switch

Algorithm: TypeAlias = Literal["reno", "cubic", "bbr", "bbr3", "hybla", "vivace", "prague"]
"""A congestion control by the name that scenarios use."""


SlowStartChoice: TypeAlias = Literal["hystart++", "linux-4.15", "loss", "search"]
"""A way to end slow start that is not that of today's Linux."""


class BbrSpec(TypedDict):
    """Settings of BBR version 1."""

    extra_acked: Switch
    """
    Whether the window has room for what is acknowledged at once beyond what the bandwidth explains
    (`bbr_update_ack_aggregation`, Linux since 5.1).
    """


class SavedSpec(TypedDict):
    """Parameters of a path that were saved before the run."""

    cwnd_bytes: int
    """`saved_cwnd`, the capacity of the path as bytes in a round trip."""
    rtt_ns: int
    """`saved_rtt`."""
    age_ns: int
    """How long ago they were saved."""


class ResumeSpec(TypedDict):
    """Careful Resume (RFC 9959) of every sender that can."""

    max_jump_bytes: NotRequired[int | None]
    """`max_jump`, the longest window that is jumped to; without it half of what is saved."""
    lifetime_ns: int
    """How long saved parameters may be used."""
    saved: NotRequired[SavedSpec | None]
    """What senders know of the path before the run; without it what a visit before has taught them."""
