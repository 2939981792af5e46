"""A DVB-S2 carrier: frames, MODCODs, encapsulation and fading.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen

from .queue import QueueSpec


class FecFrameSpec(StrEnum):
    """Size of the coded blocks."""

    NORMAL = "normal"
    """64 800 bits."""
    SHORT = "short"
    """16 200 bits."""


class PilotsSpec(StrEnum):
    """Known symbols that help a receiver to keep track of the carrier."""

    OFF = "off"
    """None."""
    ON = "on"
    """36 after every 16 slots."""


class IdleSpec(StrEnum):
    """What a carrier sends when no frame is due."""

    SILENCE = "silence"
    """Nothing: the next frame starts when it is due."""
    DUMMY_FRAMES = "dummy-frames"
    """Dummy frames: the next frame starts when the dummy in progress has ended."""


class GseDvbs2EncapsulationSpec(Frozen):
    """Generic stream encapsulation (ETSI TS 102 606-1)."""

    kind: Literal["gse"] = "gse"
    label_bytes: int
    """Address of the receiver in each packet: 0, 3 or 6 bytes."""


class MpeDvbs2EncapsulationSpec(Frozen):
    """Multi-protocol encapsulation (ETSI EN 301 192) over an MPEG transport stream."""

    kind: Literal["mpe"] = "mpe"


class UleDvbs2EncapsulationSpec(Frozen):
    """Unidirectional lightweight encapsulation (RFC 4326) over an MPEG transport stream."""

    kind: Literal["ule"] = "ule"


Dvbs2EncapsulationSpec = TypeAliasType(
    "Dvbs2EncapsulationSpec",
    Annotated[
        GseDvbs2EncapsulationSpec | MpeDvbs2EncapsulationSpec | UleDvbs2EncapsulationSpec,
        Field(discriminator="kind"),
    ],
)
"""How packets get into the frames of a DVB-S2 carrier."""


class ConstantModulationSpec(Frozen):
    """Always the same (CCM)."""

    kind: Literal["constant"] = "constant"
    modcod: str
    """Its name."""


class ByClassModulationSpec(Frozen):
    """That of its class (VCM)."""

    kind: Literal["by-class"] = "by-class"
    modcods: Sequence[str]
    """One for each class, then one for all other packets."""


class AdaptiveModulationSpec(Frozen):
    """The most efficient that the receiver can decode as far as the gateway knows (ACM)."""

    kind: Literal["adaptive"] = "adaptive"
    margin_db: float
    """How far the reported Es/N0 must be above a threshold."""
    hysteresis_db: float
    """How much further before a more efficient MODCOD is taken."""
    report_period_ns: int
    """From one report of the terminal to the next."""
    report_delay_ns: int
    """From the measurement until the gateway has the report."""


ModulationSpec = TypeAliasType(
    "ModulationSpec",
    Annotated[
        ConstantModulationSpec | ByClassModulationSpec | AdaptiveModulationSpec,
        Field(discriminator="kind"),
    ],
)
"""Which MODCOD a frame has; MODCODs by their names in EN 302 307-1, such as `8PSK 3/4`."""


class AttenuationPoint(Frozen):
    """A point of an attenuation series."""

    at_ns: int
    """Since the start of the workload."""
    db: float
    """Attenuation."""


class PoissonLoadSpec(Frozen):
    """A Poisson process."""

    kind: Literal["poisson"] = "poisson"
    rate_bps: int
    """Mean rate."""
    packet_bytes: int
    """Length of each packet."""


class OnOffLoadSpec(Frozen):
    """A Poisson process in periods of random length (exponential), with silence between them."""

    kind: Literal["on-off"] = "on-off"
    rate_bps: int
    """Mean rate in a period."""
    packet_bytes: int
    """Length of each packet."""
    on_ns: int
    """Mean length of a period."""
    off_ns: int
    """Mean length of a silence."""


class TracePacketSpec(Frozen):
    """A packet of a trace."""

    at_ns: int
    """Since the start of the link."""
    bytes: int
    """Its length."""


class AttenuationSpec(Frozen):
    """
    Attenuation over the time since the start of the workload: linear between points, constant beyond them.

    Two points at one instant are a step. No points: none.
    """

    points: Sequence[AttenuationPoint]
    """In order of time."""
    period_ns: int | None = None
    """After so long all begins again; at least up to the last point."""


class TraceLoadSpec(Frozen):
    """Packets as they once came."""

    kind: Literal["trace"] = "trace"
    packets: Sequence[TracePacketSpec]
    """In order of time."""
    period_ns: int | None = None
    """After so long all starts again; more than up to the last packet."""


LoadSpec = TypeAliasType(
    "LoadSpec",
    Annotated[PoissonLoadSpec | OnOffLoadSpec | TraceLoadSpec, Field(discriminator="kind")],
)
"""Packets of another terminal or customer."""


class LegSpec(Frozen):
    """One leg of the path."""

    clear_sky_db: float
    """Es/N0 of the leg without attenuation."""
    attenuation: AttenuationSpec
    """What the atmosphere takes off it."""


class ClassSpec(Frozen):
    """A class of service: packets that go before others."""

    name: str
    """Its name in series and figures."""
    dscp: Sequence[int]
    """Packets with one of these code points (RFC 2474) belong to it."""
    queue: QueueSpec
    """Its queue."""


class CustomerSpec(Frozen):
    """Another customer of a forward carrier."""

    limit_bytes: int
    """Bytes of packets that may wait."""
    load: LoadSpec
    """Its packets."""


class EsN0Spec(Frozen):
    """Es/N0 at a receiver over time: 1/(C/N) = 1/(C/N)_up + 1/(C/N)_down."""

    up: LegSpec
    """From the sender to the satellite."""
    down: LegSpec
    """From the satellite to the receiver."""


class Dvbs2CapacitySpec(Frozen):
    """Frames of a DVB-S2 carrier."""

    kind: Literal["dvbs2"] = "dvbs2"
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
    scheduling_period_ns: int | None = None
    """From one step of a scheduler to the next that fills frames in steps; none where each is filled as it starts."""
    encapsulation: Dvbs2EncapsulationSpec
    """How packets get into frames."""
    modulation: ModulationSpec
    """Which MODCOD a frame has."""
    es_n0: EsN0Spec
    """What the receiver gets of the signal."""
    classes: Sequence[ClassSpec]
    """Classes that go before all other packets, the most urgent first."""
    background: Sequence[CustomerSpec] | None = None
    """Other customers, who share the carrier with the packets of no class."""
