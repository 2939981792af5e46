"""A link and its directions: `crates/link/src/config.rs`."""

from typing import Literal, TypeAlias, TypedDict

from bentpipe.scenario.spec.channel import JitterSpec, LossSpec, QueueSpec
from bentpipe.scenario.spec.dvbs2 import Dvbs2Spec
from bentpipe.scenario.spec.rcs2 import Rcs2Spec


class ConstantSpec(TypedDict):
    """A constant rate."""

    kind: Literal["constant"]
    rate_bps: int


CapacitySpec: TypeAlias = ConstantSpec | Dvbs2Spec | Rcs2Spec


class DirectionSpec(TypedDict):
    """One direction of a link."""

    capacity: CapacitySpec
    delay_ns: int
    jitter: JitterSpec
    queue: QueueSpec
    loss: LossSpec


# `return` is a key of JSON and a word of Python.
LinkSpec = TypedDict(
    "LinkSpec", {"name": str, "mtu_bytes": int, "forward": DirectionSpec, "return": DirectionSpec}
)
"""Both directions of a link."""
