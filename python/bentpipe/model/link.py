"""A link and its parts, as crates/link takes them.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen

from .channel import JitterSpec, LossSpec
from .dvbs2 import Dvbs2CapacitySpec
from .queue import QueueSpec
from .rcs2 import Rcs2CapacitySpec
from .schedule import ScheduleSpec


class ConstantCapacitySpec(Frozen):
    """A constant rate of IP bytes, exact to the byte."""

    kind: Literal["constant"] = "constant"
    rate_bps: int
    """Bits of IP packets per second."""


CapacitySpec = TypeAliasType(
    "CapacitySpec",
    Annotated[
        ConstantCapacitySpec | Dvbs2CapacitySpec | Rcs2CapacitySpec,
        Field(discriminator="kind"),
    ],
)
"""The transmitter."""


class DirectionSpec(Frozen):
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
    schedule: ScheduleSpec | None = None
    """How capacity and propagation change over time; they stand still where there is none."""


class LinkSpec(Frozen):
    """A path between client and server: two directions with settings of their own."""

    name: str
    """The preset's name, or `custom`."""
    mtu_bytes: int
    """Largest IP packet."""
    forward: DirectionSpec
    """Gateway, satellite, terminal: from server to client, if these are where they mostly are."""
    return_: Annotated[DirectionSpec, Field(alias="return")]
    """Terminal, satellite, gateway."""
