"""A link and its parts, as crates/link takes them.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen


class ConstantCapacitySpec(Frozen):
    """A constant rate of IP bytes, exact to the byte."""

    kind: Literal["constant"] = "constant"
    rate_bps: int
    """Bits of IP packets per second."""


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


class BytesQueueSpec(Frozen):
    """At most so many bytes wait."""

    kind: Literal["bytes"] = "bytes"
    limit_bytes: int
    """Sum of the lengths of waiting packets."""


class PacketsQueueSpec(Frozen):
    """At most so many packets wait."""

    kind: Literal["packets"] = "packets"
    limit_packets: int
    """Number of waiting packets."""


class TimeQueueSpec(Frozen):
    """A packet that would wait longer than this is dropped on arrival."""

    kind: Literal["time"] = "time"
    limit_ns: int
    """Wait before transmission starts."""


class RandomEarlyDropQueueSpec(Frozen):
    """Arriving packets are dropped at random once more than `start_bytes` wait."""

    kind: Literal["random-early-drop"] = "random-early-drop"
    limit_bytes: int
    """Sum of the lengths of waiting packets; above it every packet is dropped."""
    start_bytes: int
    """Below it no packet is dropped."""
    p: float
    """Probability of a drop as the queue reaches its limit; it rises in proportion from `start_bytes` on."""


class Dualpi2QueueSpec(Frozen):
    """Two queues, of which that of L4S packets is served first and marked early (RFC 9332)."""

    kind: Literal["dualpi2"] = "dualpi2"
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


class Switch(StrEnum):
    """A setting that is in use or is not. One that a spec does not name is off."""

    OFF = "off"
    """Not in use."""
    ON = "on"
    """In use."""


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


class LayoutSpec(Frozen):
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


class WaveformBurstSpec(Frozen):
    """A linear-modulation waveform of EN 301 545-2, Annex A."""

    kind: Literal["waveform"] = "waveform"
    id: int
    """3 to 22."""


class MpegBurstSpec(Frozen):
    """MPEG packets of a transport stream, as in DVB-RCS (ETSI EN 301 790)."""

    kind: Literal["mpeg"] = "mpeg"
    packets: int
    """Of 188 bytes each."""
    threshold_db: float
    """Es/N0 at a burst error rate of 1e-5."""


BurstSpec = TypeAliasType(
    "BurstSpec",
    Annotated[WaveformBurstSpec | MpegBurstSpec, Field(discriminator="kind")],
)
"""What one burst of a traffic slot carries."""


class MpeRcs2EncapsulationSpec(Frozen):
    """Multi-protocol encapsulation (ETSI EN 301 192), in bursts of MPEG packets."""

    kind: Literal["mpe"] = "mpe"


class UleRcs2EncapsulationSpec(Frozen):
    """Unidirectional lightweight encapsulation (RFC 4326), in bursts of MPEG packets."""

    kind: Literal["ule"] = "ule"


class ProtectionSpec(StrEnum):
    """The trailer of a packet that is sent in fragments."""

    SEQUENCE = "sequence"
    """A sequence number, one byte."""
    CRC = "crc"
    """A CRC-32, four bytes."""


class RequestSlotSignallingSpec(Frozen):
    """In a request slot of the terminal's own."""

    kind: Literal["request-slot"] = "request-slot"
    period: int
    """Superframes from one to the next."""


class PiggybackSignallingSpec(Frozen):
    """In front of the data of a burst."""

    kind: Literal["piggyback"] = "piggyback"
    period: int
    """Superframes from one to the next."""
    bytes: int
    """Payload that a request takes."""


SignallingSpec = TypeAliasType(
    "SignallingSpec",
    Annotated[RequestSlotSignallingSpec | PiggybackSignallingSpec, Field(discriminator="kind")],
)
"""How requests get to the controller."""


class PlacementSpec(StrEnum):
    """Where in the superframe the slots of one terminal are."""

    CONTIGUOUS = "contiguous"
    """One after the other."""
    SPREAD = "spread"
    """Spread over the superframe about evenly."""


class VolumeOrderSpec(StrEnum):
    """Which request for volume is served first."""

    OLDEST_FIRST = "oldest-first"
    """The one that waits longest."""
    LARGEST_FIRST = "largest-first"
    """The one for most."""


class SlotRateSpec(Frozen):
    """Traffic slots per superframe, as a fraction."""

    slots: int
    """So many slots ..."""
    superframes: int
    """... in so many superframes; at least one."""


class RbdcSpec(Frozen):
    """Rate-based dynamic capacity."""

    max: SlotRateSpec
    """Most that is given on top of the constant rate."""
    timeout_superframes: int
    """Superframes for which a request counts when no other replaces it."""


class VolumeKindSpec(StrEnum):
    """What a request for volume does to those before it."""

    VBDC = "vbdc"
    """It adds to them."""
    AVBDC = "avbdc"
    """It replaces them."""


class FreeSpec(StrEnum):
    """Whether a class shares what nobody asked for."""

    NONE = "none"
    """It does not."""
    FCA = "fca"
    """It does."""


class NoneJitterSpec(Frozen):
    """The delay is constant."""

    kind: Literal["none"] = "none"


class NormalJitterSpec(Frozen):
    """Normally distributed around the delay, cut off where the delay would be negative."""

    kind: Literal["normal"] = "normal"
    sd_ns: int
    """Standard deviation."""


class QuantileSpec(Frozen):
    """A point of a quantile function."""

    p: float
    """Probability of a smaller value."""
    offset_ns: int
    """What is added to the delay."""


class NoneLossSpec(Frozen):
    """None."""

    kind: Literal["none"] = "none"


class BernoulliLossSpec(Frozen):
    """Each packet is lost independently."""

    kind: Literal["bernoulli"] = "bernoulli"
    p: float
    """Probability of loss."""


class GilbertElliottLossSpec(Frozen):
    """Two-state Markov chain stepped once per packet (Gilbert 1960, Elliott 1963)."""

    kind: Literal["gilbert-elliott"] = "gilbert-elliott"
    p: float
    """Probability of going from the good to the bad state."""
    r: float
    """Probability of going from the bad to the good state."""
    h: float
    """Probability that a packet survives in the bad state."""
    k: float
    """Probability that a packet survives in the good state."""


class BitErrorLossSpec(Frozen):
    """Independent bit errors: a packet of n bits survives with (1 - BER)^n."""

    kind: Literal["bit-error"] = "bit-error"
    ber: float
    """Bit error ratio."""


class OutageSpec(Frozen):
    """A duration of outages."""

    weight: int
    """How many of so many outages as all weights together last this long."""
    duration_ns: int
    """From the first instant at which nothing gets through to the first at which something does."""


class OpportunitiesScheduleSpec(Frozen):
    """
    Chances to send, counted per millisecond, as Mahimahi and LeoReplayer record them. It starts again after its
    last millisecond.
    """

    kind: Literal["opportunities"] = "opportunities"
    per_ms: Sequence[int]
    """How many packets of 1504 bytes may leave until the end of each millisecond, at an even rate within it."""
    delays_ns: Sequence[int]
    """One-way delay in each 10 ms, the last value until the end; none where the direction's own holds."""
    offset_ns: int
    """What of it has passed when the workload starts."""


class StateSpec(StrEnum):
    """Whether anything leaves and arrives."""

    OPEN = "open"
    """As ever."""
    SILENCE = "silence"
    """Nothing is sent, and the queue is kept."""
    OUTAGE = "outage"
    """Packets are sent, and all of them are lost."""


class SilenceKindSpec(StrEnum):
    """What becomes of packets while the path is silent."""

    HOLD = "hold"
    """They wait in the queue."""
    LOSE = "lose"
    """They are sent and lost."""


class CapacityVariationSpec(Frozen):
    """Factors on the mean rate: one for each epoch, lognormal, and within it a first-order autoregressive process."""

    between_cv: float
    """Standard deviation of the factor of epochs, whose mean is one."""
    within_cv: float
    """Standard deviation of the factor within an epoch, whose mean is one."""
    within_step_ns: int
    """How long a value within an epoch holds."""
    within_correlation: float
    """Correlation of a value within an epoch with the one before."""


class NoneEpochDelaySpec(Frozen):
    """Nothing."""

    kind: Literal["none"] = "none"


class StepsEpochDelaySpec(Frozen):
    """A value for each epoch."""

    kind: Literal["steps"] = "steps"
    quantiles: Sequence[QuantileSpec]
    """Its quantile function, linear between the points: at least two, from p = 0 to p = 1, both columns ascending."""


class TleConstellationSpec(Frozen):
    """Two-line element sets, moved by SGP4."""

    kind: Literal["tle"] = "tle"
    text: str
    """A file's text: for each satellite two lines of 69 characters, with or without its name in a line before them."""


class GeostationaryConstellationSpec(Frozen):
    """One satellite that stands still over the equator."""

    kind: Literal["geostationary"] = "geostationary"
    longitude_deg: float
    """East of Greenwich, -180 to 360 degrees."""


class ShellSpec(Frozen):
    """A Walker constellation: planes around the axis of the earth, and in each as many satellites."""

    planes: int
    """Orbital planes."""
    satellites_per_plane: int
    """Satellites of each plane, evenly spaced."""
    altitude_m: float
    """Of the orbit above the equator: its radius less 6378.137 km. 100 km to 100 000 km."""
    inclination_deg: float
    """Of the orbit to the equator, 0 to 180 degrees."""
    phasing: int
    """
    Walker's F, below the number of planes: a satellite is F turns over the number of satellites ahead of its
    neighbour in the plane to the west.
    """
    raan_spread_deg: float
    """Right ascensions that the planes are spread over: 360 degrees (delta) or 180 (star)."""
    raan_deg: float
    """Right ascension of the first plane's ascending node at the epoch, -360 to 360 degrees."""
    argument_of_latitude_deg: float
    """From its ascending node to the first plane's first satellite at the epoch, along the orbit; -360 to 360 degrees."""
    epoch_unix_ns: int
    """When satellites are where this says; nanoseconds of Unix time."""


class SiteSpec(Frozen):
    """A place on the earth (WGS 84)."""

    latitude_deg: float
    """Geodetic, north of the equator; -90 to 90 degrees."""
    longitude_deg: float
    """East of Greenwich, -180 to 360 degrees."""
    altitude_m: float
    """Above the ellipsoid, -1 km to 50 km."""


class ChoiceSpec(StrEnum):
    """Which of the satellites that the dish sees it takes."""

    HIGHEST = "highest"
    """The one with the highest elevation."""
    WEIGHTED = "weighted"
    """Any, with a probability proportional to its elevation above the minimum."""


class IslSpec(Frozen):
    """Links between satellites."""

    stretch: float
    """Length of the path between the satellites over dish and gateway, over that of the great circle; 1 to 10."""


class AttenuationSpec(Frozen):
    """
    Attenuation over the time since the start of the workload: linear between points, constant beyond them.

    Two points at one instant are a step. No points: none.
    """

    points: Sequence[AttenuationPoint]
    """In order of time."""
    period_ns: int | None = None
    """After so long all begins again; at least up to the last point."""


class CodelQueueSpec(Frozen):
    """Packets that waited too long for too long are dropped as they leave (RFC 8289)."""

    kind: Literal["codel"] = "codel"
    limit_bytes: int
    """Sum of the lengths of waiting packets; above it every packet is dropped on arrival."""
    target_ns: int
    """Acceptable wait."""
    interval_ns: int
    """How long the wait may exceed the target; of the order of the round trip."""
    ecn: Switch | None = None
    """Whether packets of senders that take part in ECN are marked in place of a drop as they leave."""


QueueSpec = TypeAliasType(
    "QueueSpec",
    Annotated[
        BytesQueueSpec
        | PacketsQueueSpec
        | TimeQueueSpec
        | RandomEarlyDropQueueSpec
        | CodelQueueSpec
        | Dualpi2QueueSpec,
        Field(discriminator="kind"),
    ],
)
"""Limit of the queue, and what is dropped below it; the packet in transmission does not count."""


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


class RleRcs2EncapsulationSpec(Frozen):
    """Return link encapsulation (ETSI TS 103 179), in bursts of a waveform."""

    kind: Literal["rle"] = "rle"
    protocol_bytes: int
    """Bytes of the protocol type: 0, 1 or 2."""
    label_bytes: int
    """Bytes of the address: 0, 3 or 6."""
    protection: ProtectionSpec
    """What guards the reassembly."""


Rcs2EncapsulationSpec = TypeAliasType(
    "Rcs2EncapsulationSpec",
    Annotated[
        RleRcs2EncapsulationSpec | MpeRcs2EncapsulationSpec | UleRcs2EncapsulationSpec,
        Field(discriminator="kind"),
    ],
)
"""How packets get into bursts."""


class VolumeSpec(Frozen):
    """Volume-based dynamic capacity."""

    kind: VolumeKindSpec
    """What a request does to those before it."""
    max_slots: int
    """Most slots of one superframe."""


class EmpiricalJitterSpec(Frozen):
    """Of any distribution, and constant for a while at a time."""

    kind: Literal["empirical"] = "empirical"
    quantiles: Sequence[QuantileSpec]
    """The quantile function, linear between its points: at least two, from p = 0 to p = 1, both columns ascending."""
    hold_ns: int
    """How long a value holds before the next one is drawn; at least 1 ms."""


JitterSpec = TypeAliasType(
    "JitterSpec",
    Annotated[
        NoneJitterSpec | NormalJitterSpec | EmpiricalJitterSpec,
        Field(discriminator="kind"),
    ],
)
"""Random variation of the propagation delay."""


class OutagesLossSpec(Frozen):
    """The channel is out now and then and loses all that is sent meanwhile."""

    kind: Literal["outages"] = "outages"
    period_ns: int
    """One outage begins in each period, at any instant of it; at least 1 ms."""
    durations: Sequence[OutageSpec]
    """How long outages last; at least one, the weights together from one to a million."""


LossSpec = TypeAliasType(
    "LossSpec",
    Annotated[
        NoneLossSpec | BernoulliLossSpec | GilbertElliottLossSpec | BitErrorLossSpec | OutagesLossSpec,
        Field(discriminator="kind"),
    ],
)
"""Losses on the channel, after transmission."""


class RowSpec(Frozen):
    """What holds from an instant on."""

    at_ns: int
    """From when on, since the start of the schedule."""
    rate_bps: int | None = None
    """Bits of IP packets per second; the rate of the direction's capacity if none."""
    delay_ns: int | None = None
    """One-way propagation delay; that of the direction if none."""
    loss: float
    """Probability that a packet is lost, beside the losses of the direction."""
    state: StateSpec
    """Whether anything leaves and arrives."""


class SilenceSpec(Frozen):
    """A time around the edge of an epoch at which nothing gets through, in both directions."""

    state: SilenceKindSpec
    """What becomes of packets meanwhile."""
    median_ns: int
    """Median of the duration, which is lognormal."""
    p90_ns: int
    """Its 90th percentile."""
    min_ns: int
    """Shorter ones last this long."""
    max_ns: int
    """Longer ones last this long."""
    lead_min_ns: int
    """A silence begins before the edge by a span that is uniform from this one ..."""
    lead_max_ns: int
    """... to this one."""


class WalkerConstellationSpec(Frozen):
    """Circular orbits in evenly spread planes."""

    kind: Literal["walker"] = "walker"
    shells: Sequence[ShellSpec]
    """One at least."""


ConstellationSpec = TypeAliasType(
    "ConstellationSpec",
    Annotated[
        WalkerConstellationSpec | TleConstellationSpec | GeostationaryConstellationSpec,
        Field(discriminator="kind"),
    ],
)
"""The satellites."""


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


class MixSpec(Frozen):
    """Capacity of a class, in any mix."""

    cra: SlotRateSpec
    """Constant rate assignment (CRA)."""
    rbdc: RbdcSpec | None = None
    """Rate-based dynamic capacity (RBDC)."""
    volume: VolumeSpec | None = None
    """Volume-based dynamic capacity (VBDC or AVBDC)."""
    free: FreeSpec
    """Free capacity assignment (FCA)."""


class DemandClassSpec(Frozen):
    """A class of service of the terminal, with capacity of its own."""

    class_: Annotated[ClassSpec, Field(alias="class")]
    """Which packets belong to it, and where they wait."""
    mix: MixSpec
    """What it may have."""


class BackgroundSpec(Frozen):
    """A terminal that sends packets of its own."""

    mix: MixSpec
    """What it may have."""
    limit_bytes: int
    """Bytes of packets that may wait."""
    load: LoadSpec
    """Its packets."""


class TableScheduleSpec(Frozen):
    """Rows, each of which holds until the next."""

    kind: Literal["table"] = "table"
    rows: Sequence[RowSpec]
    """At least one, the first at zero, each later than the one before."""
    period_ns: int | None = None
    """When it starts again; without it the last row holds for ever."""
    offset_ns: int
    """What of it has passed when the workload starts."""


class GeometrySpec(Frozen):
    """Satellites, a dish, its gateways, and which satellite the dish takes."""

    constellation: ConstellationSpec
    """The satellites."""
    site: SiteSpec
    """The dish."""
    gateways: Sequence[SiteSpec]
    """One at least; of those that can be reached the one with the shortest path serves."""
    minimum_elevation_deg: float
    """Least elevation of a satellite over the dish, 0 to 90 degrees."""
    gateway_minimum_elevation_deg: float
    """Least elevation of a satellite over a gateway, 0 to 90 degrees."""
    choice: ChoiceSpec
    """Which of the satellites that the dish sees it takes."""
    isl: IslSpec | None = None
    """Links between satellites; without them one satellite has to see both dish and gateway."""


class EsN0Spec(Frozen):
    """Es/N0 at a receiver over time: 1/(C/N) = 1/(C/N)_up + 1/(C/N)_down."""

    up: LegSpec
    """From the sender to the satellite."""
    down: LegSpec
    """From the satellite to the receiver."""


class GeometryEpochDelaySpec(Frozen):
    """The way over the satellite that serves, chosen for the middle of the epoch. Where none does the path is out."""

    kind: Literal["geometry"] = "geometry"
    geometry: GeometrySpec
    """Satellites, dish and gateways."""
    step_ns: int
    """How long a delay holds while the satellite moves on."""


EpochDelaySpec = TypeAliasType(
    "EpochDelaySpec",
    Annotated[
        NoneEpochDelaySpec | StepsEpochDelaySpec | GeometryEpochDelaySpec,
        Field(discriminator="kind"),
    ],
)
"""What an epoch adds to the delay of the direction."""


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


class Rcs2CapacitySpec(Frozen):
    """Timeslots of a DVB-RCS2 return link, assigned on demand."""

    kind: Literal["rcs2"] = "rcs2"
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
    classes: Sequence[DemandClassSpec]
    """Classes that go before all other packets, the most urgent first."""
    background: Sequence[BackgroundSpec]
    """The other terminals."""


CapacitySpec = TypeAliasType(
    "CapacitySpec",
    Annotated[
        ConstantCapacitySpec | Dvbs2CapacitySpec | Rcs2CapacitySpec,
        Field(discriminator="kind"),
    ],
)
"""The transmitter."""


class EpochsScheduleSpec(Frozen):
    """Epochs of a constellation, in each of which another satellite may serve."""

    kind: Literal["epochs"] = "epochs"
    period_ns: int
    """From one edge to the next."""
    phase_ns: int
    """Edges are at this time of UTC modulo the period."""
    edge_jitter_ns: int
    """Each edge is moved by a span that is uniform on plus and minus this one."""
    start_unix_ns: int
    """The workload starts at this instant of Unix time, or later ..."""
    start_span_ns: int
    """... by a span that is uniform from zero to this one, drawn from the run's seed."""
    silence: SilenceSpec | None = None
    """Silences at the edges."""
    capacity: CapacityVariationSpec | None = None
    """How the rate varies around that of the capacity."""
    delay: EpochDelaySpec
    """What is added to the direction's delay."""


ScheduleSpec = TypeAliasType(
    "ScheduleSpec",
    Annotated[
        TableScheduleSpec | OpportunitiesScheduleSpec | EpochsScheduleSpec,
        Field(discriminator="kind"),
    ],
)
"""
How the capacity and the propagation of a direction change from the mark (the start of the workload) on. Before it
they stand still as they are at time zero, and open.
"""


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
