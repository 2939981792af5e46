"""A link and its parts.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from .channel import JitterSpec, LossSpec
from .dvbs2 import Dvbs2CapacitySpec
from .queue import QueueSpec
from .rcs2 import Rcs2CapacitySpec
from .schedule import ScheduleSpec


class ConstantCapacitySpec(TypedDict):
    """A constant rate of IP bytes, exact to the byte."""

    kind: Literal["constant"]
    rate_bps: int
    """Bits of IP packets per second."""


CapacitySpec: TypeAlias = ConstantCapacitySpec | Dvbs2CapacitySpec | Rcs2CapacitySpec
"""The transmitter."""


class DirectionSpec(TypedDict):
    """One direction: queue, capacity, loss, then propagation."""

    capacity: CapacitySpec
    """When the next packet may leave."""
    delay_ns: int
    """Propagation delay, one way."""
    jitter: JitterSpec
    """Delay variation added to the propagation delay; never reorders."""
    queue: QueueSpec
    """Queue before the transmitter."""
    loss: LossSpec
    """Losses on the channel."""
    schedule: NotRequired[ScheduleSpec | None]
    """How capacity and propagation change over time; they stand still where there is none."""


LinkSpec = TypedDict(
    "LinkSpec",
    {
        "name": str,
        "mtu_bytes": int,
        "forward": DirectionSpec,
        "return": DirectionSpec,
    },
)
