"""A DVB-S2 carrier: frames, MODCODs, encapsulation and fading.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from .queue import QueueSpec

FecFrameSpec: TypeAlias = Literal["normal", "short"]
"""Size of the coded blocks."""


PilotsSpec: TypeAlias = Literal["off", "on"]
"""Known symbols that help a receiver to keep track of the carrier."""


IdleSpec: TypeAlias = Literal["silence", "dummy-frames"]
"""What a carrier sends when no frame is due."""


class GseDvbs2EncapsulationSpec(TypedDict):
    """Generic stream encapsulation (ETSI TS 102 606-1)."""

    kind: Literal["gse"]
    label_bytes: int
    """Address of the receiver in each packet: 0, 3 or 6 bytes."""


class MpeDvbs2EncapsulationSpec(TypedDict):
    """Multi-protocol encapsulation (ETSI EN 301 192) over an MPEG transport stream."""

    kind: Literal["mpe"]


class UleDvbs2EncapsulationSpec(TypedDict):
    """Unidirectional lightweight encapsulation (RFC 4326) over an MPEG transport stream."""

    kind: Literal["ule"]


Dvbs2EncapsulationSpec: TypeAlias = (
    GseDvbs2EncapsulationSpec | MpeDvbs2EncapsulationSpec | UleDvbs2EncapsulationSpec
)
"""How packets get into the frames of a DVB-S2 carrier."""


class ConstantModulationSpec(TypedDict):
    """Always the same (CCM)."""

    kind: Literal["constant"]
    modcod: str
    """Its name."""


class ByClassModulationSpec(TypedDict):
    """That of its class (VCM)."""

    kind: Literal["by-class"]
    modcods: list[str]
    """One for each class, then one for all other packets."""


class AdaptiveModulationSpec(TypedDict):
    """The most efficient that the receiver can decode as far as the gateway knows (ACM)."""

    kind: Literal["adaptive"]
    margin_db: float
    """How far the reported Es/N0 must be above a threshold."""
    hysteresis_db: float
    """How much further before a more efficient MODCOD is taken."""
    report_period_ns: int
    """From one report of the terminal to the next."""
    report_delay_ns: int
    """From the measurement until the gateway has the report."""


ModulationSpec: TypeAlias = ConstantModulationSpec | ByClassModulationSpec | AdaptiveModulationSpec
"""Which MODCOD a frame has; MODCODs by their names in EN 302 307-1, such as `8PSK 3/4`."""


class AttenuationPoint(TypedDict):
    """A point of an attenuation series."""

    at_ns: int
    """Since the start of the workload."""
    db: float
    """Attenuation."""


class PoissonLoadSpec(TypedDict):
    """A Poisson process."""

    kind: Literal["poisson"]
    rate_bps: int
    """Mean rate."""
    packet_bytes: int
    """Length of each packet."""


class OnOffLoadSpec(TypedDict):
    """A Poisson process in periods of random length (exponential), with silence between them."""

    kind: Literal["on-off"]
    rate_bps: int
    """Mean rate in a period."""
    packet_bytes: int
    """Length of each packet."""
    on_ns: int
    """Mean length of a period."""
    off_ns: int
    """Mean length of a silence."""


class TracePacketSpec(TypedDict):
    """A packet of a trace."""

    at_ns: int
    """Since the start of the link."""
    bytes: int
    """Its length."""


class AttenuationSpec(TypedDict):
    """
    Attenuation over the time since the start of the workload: linear between points, constant beyond them.

    Two points at one instant are a step. No points: none.
    """

    points: list[AttenuationPoint]
    """In order of time."""
    period_ns: NotRequired[int | None]
    """After so long all begins again; at least up to the last point."""


class TraceLoadSpec(TypedDict):
    """Packets as they once came."""

    kind: Literal["trace"]
    packets: list[TracePacketSpec]
    """In order of time."""
    period_ns: NotRequired[int | None]
    """After so long all starts again; more than up to the last packet."""


LoadSpec: TypeAlias = PoissonLoadSpec | OnOffLoadSpec | TraceLoadSpec
"""Packets of another terminal or customer."""


class LegSpec(TypedDict):
    """One leg of the path."""

    clear_sky_db: float
    """Es/N0 of the leg without attenuation."""
    attenuation: AttenuationSpec
    """What the atmosphere takes off it."""


class ClassSpec(TypedDict):
    """A class of service: packets that go before others."""

    name: str
    """Its name in series and figures."""
    dscp: list[int]
    """Packets with one of these code points (RFC 2474) belong to it."""
    queue: QueueSpec
    """Its queue."""


class CustomerSpec(TypedDict):
    """Another customer of a forward carrier."""

    limit_bytes: int
    """Bytes of packets that may wait."""
    load: LoadSpec
    """Its packets."""


class EsN0Spec(TypedDict):
    """Es/N0 at a receiver over time: 1/(C/N) = 1/(C/N)_up + 1/(C/N)_down."""

    up: LegSpec
    """From the sender to the satellite."""
    down: LegSpec
    """From the satellite to the receiver."""


class Dvbs2CapacitySpec(TypedDict):
    """Frames of a DVB-S2 carrier."""

    kind: Literal["dvbs2"]
    nominal_bps: int
    """Rate of full IP packets in clear sky, by which the utilisation is reckoned."""
    symbols_per_s: int
    """Symbols per second."""
    fecframe: FecFrameSpec
    """Size of the coded blocks."""
    pilots: PilotsSpec
    """Known symbols between the others."""
    idle: IdleSpec
    """What is sent when no frame is due."""
    closing_timeout_ns: int
    """How long a packet waits for others to fill its frame."""
    scheduling_period_ns: NotRequired[int | None]
    """From one step of a scheduler to the next that fills frames in steps; none where each is filled as it starts."""
    encapsulation: Dvbs2EncapsulationSpec
    """How packets get into frames."""
    modulation: ModulationSpec
    """Which MODCOD a frame has."""
    es_n0: EsN0Spec
    """What the receiver gets of the signal."""
    classes: list[ClassSpec]
    """Classes that go before all other packets, the most urgent first."""
    background: NotRequired[list[CustomerSpec] | None]
    """Other customers, who share the carrier with the packets of no class."""
