"""Queues and how they drop or mark, as crates/link takes them.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from .switch import Switch


class BytesQueueSpec(TypedDict):
    """At most so many bytes wait."""

    kind: Literal["bytes"]
    limit_bytes: int
    """Sum of the lengths of waiting packets."""


class PacketsQueueSpec(TypedDict):
    """At most so many packets wait."""

    kind: Literal["packets"]
    limit_packets: int
    """Number of waiting packets."""


class TimeQueueSpec(TypedDict):
    """A packet that would wait longer than this is dropped on arrival."""

    kind: Literal["time"]
    limit_ns: int
    """Wait before transmission starts."""


class RandomEarlyDropQueueSpec(TypedDict):
    """Arriving packets are dropped at random once more than `start_bytes` wait."""

    kind: Literal["random-early-drop"]
    limit_bytes: int
    """Sum of the lengths of waiting packets; above it every packet is dropped."""
    start_bytes: int
    """Below it no packet is dropped."""
    p: float
    """Probability of a drop as the queue reaches its limit; it rises in proportion from `start_bytes` on."""


class Dualpi2QueueSpec(TypedDict):
    """Two queues, of which that of L4S packets is served first and marked early (RFC 9332)."""

    kind: Literal["dualpi2"]
    limit_bytes: int
    """Most bytes that wait in both queues together, the arriving packet taken for one of the MTU."""
    target_ns: int
    """`target`: wait that the controller steers the classic queue to."""
    update_ns: int
    """`Tupdate`: time between two steps of the controller."""
    alpha_hz: float
    """`alpha`: integral gain, in Hz."""
    beta_hz: float
    """`beta`: proportional gain, in Hz."""
    coupling: float
    """`k`: how much more likely an L4S packet is marked than the root of what a classic one is."""
    ramp_start_ns: int
    """`minTh`: L4S packets that waited no longer are not marked for it."""
    ramp_range_ns: int
    """`range`: so much longer a wait marks all."""
    classic_share: float
    """Part of the rate that the classic queue has at least while L4S packets wait too (weighted round robin, section 4.2.2)."""


class CodelQueueSpec(TypedDict):
    """Packets that waited too long for too long are dropped as they leave (RFC 8289)."""

    kind: Literal["codel"]
    limit_bytes: int
    """Sum of the lengths of waiting packets; above it every packet is dropped on arrival."""
    target_ns: int
    """Acceptable wait."""
    interval_ns: int
    """How long the wait may exceed the target; of the order of the round trip."""
    ecn: NotRequired[Switch]
    """Whether packets of senders that take part in ECN are marked in place of a drop as they leave."""


QueueSpec: TypeAlias = (
    BytesQueueSpec
    | PacketsQueueSpec
    | TimeQueueSpec
    | RandomEarlyDropQueueSpec
    | CodelQueueSpec
    | Dualpi2QueueSpec
)
"""Limit of the queue, and what is dropped below it; the packet in transmission does not count."""
