"""The channel and the queue of a direction: `crates/link/src/channel` and `crates/link/src/queue`."""

from typing import Literal, TypeAlias, TypedDict


class NoneSpec(TypedDict):
    """Neither jitter nor loss."""

    kind: Literal["none"]


class NormalJitterSpec(TypedDict):
    """A delay that varies as a normal distribution."""

    kind: Literal["normal"]
    sd_ns: int


class QuantileSpec(TypedDict):
    """A point of a quantile function."""

    p: float
    offset_ns: int


class EmpiricalJitterSpec(TypedDict):
    """A delay that varies as quantiles say, each value for a while."""

    kind: Literal["empirical"]
    quantiles: list[QuantileSpec]
    hold_ns: int


JitterSpec: TypeAlias = NoneSpec | NormalJitterSpec | EmpiricalJitterSpec


class BernoulliSpec(TypedDict):
    """Packets lost independently of each other."""

    kind: Literal["bernoulli"]
    p: float


class GilbertElliottSpec(TypedDict):
    """Losses of a good and a bad state (Hasslinger, Hohlfeld 2008)."""

    kind: Literal["gilbert-elliott"]
    p: float
    r: float
    h: float
    k: float


class BitErrorSpec(TypedDict):
    """Independent bit errors, each of which loses its packet."""

    kind: Literal["bit-error"]
    ber: float


class OutageSpec(TypedDict):
    """How long an outage lasts, and how often in relation to the others."""

    weight: int
    duration_ns: int


class OutagesSpec(TypedDict):
    """An outage in every period."""

    kind: Literal["outages"]
    period_ns: int
    durations: list[OutageSpec]


LossSpec: TypeAlias = NoneSpec | BernoulliSpec | GilbertElliottSpec | BitErrorSpec | OutagesSpec


class ByteLimit(TypedDict):
    """What has a limit in bytes, which may follow from a rate."""

    limit_bytes: int


class BytesQueueSpec(ByteLimit):
    """Drop-tail, limited in bytes."""

    kind: Literal["bytes"]


class PacketsQueueSpec(TypedDict):
    """Drop-tail, limited in packets."""

    kind: Literal["packets"]
    limit_packets: int


class TimeQueueSpec(TypedDict):
    """Drop-tail, limited in the time that a packet waits."""

    kind: Literal["time"]
    limit_ns: int


class RandomEarlyDropSpec(ByteLimit):
    """Packets dropped at random from a length of the queue on."""

    kind: Literal["random-early-drop"]
    start_bytes: int
    p: float


class CodelSpec(ByteLimit):
    """CoDel (RFC 8289)."""

    kind: Literal["codel"]
    target_ns: int
    interval_ns: int


QueueSpec: TypeAlias = BytesQueueSpec | PacketsQueueSpec | TimeQueueSpec | RandomEarlyDropSpec | CodelSpec


class ClassSpec(TypedDict):
    """A class of service: its code points and its queue."""

    name: str
    dscp: list[int]
    queue: QueueSpec
