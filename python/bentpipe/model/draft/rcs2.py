"""A DVB-RCS2 return link: superframes, requests, assignment and other terminals.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from .dvbs2 import ClassSpec, EsN0Spec, LoadSpec


class LayoutSpec(TypedDict):
    """How a superframe is divided; lengths in symbols."""

    symbols_per_s: int
    """Symbols per second of each carrier."""
    carriers: int
    """Carriers side by side."""
    frames: int
    """Frames of a superframe, one after the other."""
    request_slots: int
    """Request slots at the beginning of each frame, on each carrier."""
    traffic_slots: int
    """Traffic slots after them."""
    request_symbols: int
    """Length of a burst in a request slot."""
    burst_symbols: int
    """Length of a burst in a traffic slot."""
    guard_symbols: int
    """Guard time after each burst."""
    idle_symbols: int
    """What remains of a frame after its last slot."""


class WaveformBurstSpec(TypedDict):
    """A linear-modulation waveform of EN 301 545-2, Annex A."""

    kind: Literal["waveform"]
    id: int
    """3 to 22."""


class MpegBurstSpec(TypedDict):
    """MPEG packets of a transport stream, as in DVB-RCS (ETSI EN 301 790)."""

    kind: Literal["mpeg"]
    packets: int
    """Of 188 bytes each."""
    threshold_db: float
    """Es/N0 at a burst error rate of 1e-5."""


BurstSpec: TypeAlias = WaveformBurstSpec | MpegBurstSpec
"""What one burst of a traffic slot carries."""


class MpeRcs2EncapsulationSpec(TypedDict):
    """Multi-protocol encapsulation (ETSI EN 301 192), in bursts of MPEG packets."""

    kind: Literal["mpe"]


class UleRcs2EncapsulationSpec(TypedDict):
    """Unidirectional lightweight encapsulation (RFC 4326), in bursts of MPEG packets."""

    kind: Literal["ule"]


ProtectionSpec: TypeAlias = Literal["sequence", "crc"]
"""The trailer of a packet that is sent in fragments."""


class RequestSlotSignallingSpec(TypedDict):
    """In a request slot of the terminal's own."""

    kind: Literal["request-slot"]
    period: int
    """Superframes from one to the next."""


class PiggybackSignallingSpec(TypedDict):
    """In front of the data of a burst."""

    kind: Literal["piggyback"]
    period: int
    """Superframes from one to the next."""
    bytes: int
    """Payload that a request takes."""


SignallingSpec: TypeAlias = RequestSlotSignallingSpec | PiggybackSignallingSpec
"""How requests get to the controller."""


PlacementSpec: TypeAlias = Literal["contiguous", "spread"]
"""Where in the superframe the slots of one terminal are."""


VolumeOrderSpec: TypeAlias = Literal["oldest-first", "largest-first"]
"""Which request for volume is served first."""


class SlotRateSpec(TypedDict):
    """Traffic slots per superframe, as a fraction."""

    slots: int
    """So many slots ..."""
    superframes: int
    """... in so many superframes; at least one."""


class RbdcSpec(TypedDict):
    """Rate-based dynamic capacity."""

    max: SlotRateSpec
    """Most that is given on top of the constant rate."""
    timeout_superframes: int
    """Superframes for which a request counts when no other replaces it."""


VolumeKindSpec: TypeAlias = Literal["vbdc", "avbdc"]
"""What a request for volume does to those before it."""


FreeSpec: TypeAlias = Literal["none", "fca"]
"""Whether a class shares what nobody asked for."""


class RleRcs2EncapsulationSpec(TypedDict):
    """Return link encapsulation (ETSI TS 103 179), in bursts of a waveform."""

    kind: Literal["rle"]
    protocol_bytes: int
    """Bytes of the protocol type: 0, 1 or 2."""
    label_bytes: int
    """Bytes of the address: 0, 3 or 6."""
    protection: ProtectionSpec
    """What guards the reassembly."""


Rcs2EncapsulationSpec: TypeAlias = (
    RleRcs2EncapsulationSpec | MpeRcs2EncapsulationSpec | UleRcs2EncapsulationSpec
)
"""How packets get into bursts."""


class VolumeSpec(TypedDict):
    """Volume-based dynamic capacity."""

    kind: VolumeKindSpec
    """What a request does to those before it."""
    max_slots: int
    """Most slots of one superframe."""


class MixSpec(TypedDict):
    """Capacity of a class, in any mix."""

    cra: SlotRateSpec
    """Constant rate assignment (CRA)."""
    rbdc: NotRequired[RbdcSpec | None]
    """Rate-based dynamic capacity (RBDC)."""
    volume: NotRequired[VolumeSpec | None]
    """Volume-based dynamic capacity (VBDC or AVBDC)."""
    free: FreeSpec
    """Free capacity assignment (FCA)."""


DemandClassSpec = TypedDict(
    "DemandClassSpec",
    {
        "class": ClassSpec,
        "mix": MixSpec,
    },
)


class BackgroundSpec(TypedDict):
    """A terminal that sends packets of its own."""

    mix: MixSpec
    """What it may have."""
    limit_bytes: int
    """Bytes of packets that may wait."""
    load: LoadSpec
    """Its packets."""


class Rcs2CapacitySpec(TypedDict):
    """Timeslots of a DVB-RCS2 return link, assigned on demand."""

    kind: Literal["rcs2"]
    nominal_bps: int
    """Most that the terminal can get, in full IP packets, by which the utilisation is reckoned."""
    layout: LayoutSpec
    """How a superframe is divided."""
    burst: BurstSpec
    """What one burst of a traffic slot carries."""
    encapsulation: Rcs2EncapsulationSpec
    """How packets get into bursts."""
    request_delay_ns: int
    """From the end of a request's burst until the controller has it."""
    lead_ns: int
    """From the controller's plan of a superframe to its start at the terminal."""
    signalling: SignallingSpec
    """How requests get to the controller."""
    placement: PlacementSpec
    """Where in the superframe a terminal's slots are."""
    order: VolumeOrderSpec
    """Which request for volume is served first."""
    es_n0: EsN0Spec
    """What the hub gets of the signal."""
    mix: MixSpec
    """What packets of no class may have."""
    classes: list[DemandClassSpec]
    """Classes that go before all other packets, the most urgent first."""
    background: list[BackgroundSpec]
    """The other terminals."""
