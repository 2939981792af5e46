"""A DVB-RCS2 return link: `crates/link/src/rcs2`."""

from typing import Literal, TypeAlias, TypedDict

from bentpipe.scenario.spec.channel import ByteLimit, ClassSpec
from bentpipe.scenario.spec.dvbs2 import MpegEncapsulationSpec
from bentpipe.scenario.spec.signal import EsN0Spec
from bentpipe.scenario.written.vocabulary import Placement, RleProtection, VolumeOrder


class LayoutSpec(TypedDict):
    """How a superframe is divided."""

    symbols_per_s: int
    carriers: int
    frames: int
    request_slots: int
    traffic_slots: int
    request_symbols: int
    burst_symbols: int
    guard_symbols: int
    idle_symbols: int


class WaveformSpec(TypedDict):
    """A burst of a reference waveform (EN 301 545-2, Annex A)."""

    kind: Literal["waveform"]
    id: int


class MpegBurstSpec(TypedDict):
    """A burst of MPEG packets, as DVB-RCS has it."""

    kind: Literal["mpeg"]
    packets: int
    threshold_db: float


BurstSpec: TypeAlias = WaveformSpec | MpegBurstSpec


class RleSpec(TypedDict):
    """Return Link Encapsulation (TS 103 179)."""

    kind: Literal["rle"]
    protocol_bytes: int
    label_bytes: int
    protection: RleProtection


Rcs2EncapsulationSpec: TypeAlias = RleSpec | MpegEncapsulationSpec


class RequestSlotSpec(TypedDict):
    """Requests in control timeslots."""

    kind: Literal["request-slot"]
    period: int


class PiggybackSpec(TypedDict):
    """Requests in front of data."""

    kind: Literal["piggyback"]
    period: int
    bytes: int


SignallingSpec: TypeAlias = RequestSlotSpec | PiggybackSpec


class SlotRateSpec(TypedDict):
    """Slots in so many superframes."""

    slots: int
    superframes: int


class RbdcSpec(TypedDict):
    """Rate-based capacity."""

    max: SlotRateSpec
    timeout_superframes: int


class VolumeSpec(TypedDict):
    """Volume-based capacity, of a superframe at most."""

    kind: Literal["vbdc", "avbdc"]
    max_slots: int


class MixSpec(TypedDict):
    """The capacity categories of a class."""

    cra: SlotRateSpec
    rbdc: RbdcSpec | None
    volume: VolumeSpec | None
    free: Literal["fca", "none"]


# `class` is a key of JSON and a word of Python.
DemandClassSpec = TypedDict("DemandClassSpec", {"class": ClassSpec, "mix": MixSpec})
"""A class with capacity of its own."""


class PoissonLoadSpec(TypedDict):
    """Packets at random."""

    kind: Literal["poisson"]
    rate_bps: int
    packet_bytes: int


class TracePacketSpec(TypedDict):
    """A packet of a trace."""

    at_ns: int
    bytes: int


class TraceLoadSpec(TypedDict):
    """Packets as they once were sent."""

    kind: Literal["trace"]
    packets: list[TracePacketSpec]
    period_ns: int | None


LoadSpec: TypeAlias = PoissonLoadSpec | TraceLoadSpec


class BackgroundSpec(ByteLimit):
    """Another terminal."""

    mix: MixSpec
    load: LoadSpec


class Rcs2Spec(TypedDict):
    """The capacity of a return link."""

    kind: Literal["rcs2"]
    nominal_bps: int
    layout: LayoutSpec
    burst: BurstSpec
    encapsulation: Rcs2EncapsulationSpec
    request_delay_ns: int
    lead_ns: int
    signalling: SignallingSpec
    placement: Placement
    order: VolumeOrder
    es_n0: EsN0Spec
    mix: MixSpec
    classes: list[DemandClassSpec]
    background: list[BackgroundSpec]
