//! The capacity of a satellite carrier, both ways: what DVB-S2 and DVB-RCS2 need to be told.

use bentpipe_units::{Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Dscp, QueueSpec};

/// A DVB-S2 carrier (ETSI EN 302 307-1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dvbs2Spec {
    /// Rate of full IP packets in clear sky, by which the utilisation is reckoned.
    pub nominal_bps: Rate,
    /// Symbols per second.
    pub symbols_per_s: u64,
    /// Size of the coded blocks.
    pub fecframe: FecFrameSpec,
    /// Known symbols between the others.
    pub pilots: PilotsSpec,
    /// What is sent when no frame is due.
    pub idle: IdleSpec,
    /// How long a packet waits for others to fill its frame.
    pub closing_timeout_ns: Duration,
    /// How packets get into frames.
    pub encapsulation: Dvbs2EncapsulationSpec,
    /// Which MODCOD a frame has.
    pub modulation: ModulationSpec,
    /// What the receiver gets of the signal.
    pub es_n0: EsN0Spec,
    /// Classes that go before all other packets, the most urgent first.
    pub classes: Vec<ClassSpec>,
}

/// Size of the coded blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FecFrameSpec {
    /// 64 800 bits.
    Normal,
    /// 16 200 bits.
    Short,
}

/// Known symbols that help a receiver to keep track of the carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PilotsSpec {
    /// None.
    Off,
    /// 36 after every 16 slots.
    On,
}

/// What a carrier sends when no frame is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleSpec {
    /// Nothing: the next frame starts when it is due.
    Silence,
    /// Dummy frames: the next frame starts when the dummy in progress has ended.
    DummyFrames,
}

/// How packets get into the frames of a DVB-S2 carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Dvbs2EncapsulationSpec {
    /// Generic stream encapsulation (ETSI TS 102 606-1).
    Gse {
        /// Address of the receiver in each packet: 0, 3 or 6 bytes.
        label_bytes: u8,
    },
    /// Multi-protocol encapsulation (ETSI EN 301 192) over an MPEG transport stream.
    Mpe,
    /// Unidirectional lightweight encapsulation (RFC 4326) over an MPEG transport stream.
    Ule,
}

/// Which MODCOD a frame has; MODCODs by their names in EN 302 307-1, such as `8PSK 3/4`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ModulationSpec {
    /// Always the same (CCM).
    Constant {
        /// Its name.
        modcod: String,
    },
    /// That of its class (VCM).
    ByClass {
        /// One for each class, then one for all other packets.
        modcods: Vec<String>,
    },
    /// The most efficient that the receiver can decode as far as the gateway knows (ACM).
    Adaptive(AcmSpec),
}

/// The control loop of adaptive coding and modulation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcmSpec {
    /// How far the reported Es/N0 must be above a threshold.
    pub margin_db: f64,
    /// How much further before a more efficient MODCOD is taken.
    pub hysteresis_db: f64,
    /// From one report of the terminal to the next.
    pub report_period_ns: Duration,
    /// From the measurement until the gateway has the report.
    pub report_delay_ns: Duration,
}

/// Es/N0 at a receiver over time: 1/(C/N) = 1/(C/N)_up + 1/(C/N)_down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EsN0Spec {
    /// From the sender to the satellite.
    pub up: LegSpec,
    /// From the satellite to the receiver.
    pub down: LegSpec,
}

/// One leg of the path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LegSpec {
    /// Es/N0 of the leg without attenuation.
    pub clear_sky_db: f64,
    /// What the atmosphere takes off it.
    pub attenuation: AttenuationSpec,
}

/// Attenuation over the time since the start of the workload: linear between points, constant beyond them.
///
/// Two points at one instant are a step. No points: none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttenuationSpec {
    /// In order of time.
    pub points: Vec<AttenuationPoint>,
    /// After so long all begins again; at least up to the last point.
    pub period_ns: Option<Duration>,
}

/// A point of an attenuation series.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttenuationPoint {
    /// Since the start of the workload.
    pub at_ns: Duration,
    /// Attenuation.
    pub db: f64,
}

/// A class of service: packets that go before others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassSpec {
    /// Its name in series and figures.
    pub name: String,
    /// Packets with one of these code points (RFC 2474) belong to it.
    pub dscp: Vec<Dscp>,
    /// Its waiting room.
    pub queue: QueueSpec,
}

/// A DVB-RCS2 return link (ETSI EN 301 545-2) with assignment on demand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rcs2Spec {
    /// Most that the terminal can get, in full IP packets, by which the utilisation is reckoned.
    pub nominal_bps: Rate,
    /// How a superframe is divided.
    pub layout: LayoutSpec,
    /// What one burst of a traffic slot carries.
    pub burst: BurstSpec,
    /// How packets get into bursts.
    pub encapsulation: Rcs2EncapsulationSpec,
    /// From the end of a request's burst until the controller has it.
    pub request_delay_ns: Duration,
    /// From the controller's plan of a superframe to its begin at the terminal.
    pub lead_ns: Duration,
    /// How requests get to the controller.
    pub signalling: SignallingSpec,
    /// Where in the superframe a terminal's slots are.
    pub placement: PlacementSpec,
    /// Which request for volume is served first.
    pub order: VolumeOrderSpec,
    /// What the hub gets of the signal.
    pub es_n0: EsN0Spec,
    /// What packets of no class may have.
    pub mix: MixSpec,
    /// Classes that go before all other packets, the most urgent first.
    pub classes: Vec<DemandClassSpec>,
    /// The other terminals.
    pub background: Vec<BackgroundSpec>,
}

/// How a superframe is divided; lengths in symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayoutSpec {
    /// Symbols per second of each carrier.
    pub symbols_per_s: u64,
    /// Carriers side by side.
    pub carriers: u32,
    /// Frames of a superframe, one after the other.
    pub frames: u32,
    /// Request slots at the beginning of each frame, on each carrier.
    pub request_slots: u32,
    /// Traffic slots after them.
    pub traffic_slots: u32,
    /// Length of a burst in a request slot.
    pub request_symbols: u32,
    /// Length of a burst in a traffic slot.
    pub burst_symbols: u32,
    /// Guard time after each burst.
    pub guard_symbols: u32,
    /// What remains of a frame after its last slot.
    pub idle_symbols: u32,
}

/// What one burst of a traffic slot carries.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum BurstSpec {
    /// A linear-modulation waveform of EN 301 545-2, Annex A.
    Waveform {
        /// 3 to 22.
        id: u8,
    },
    /// MPEG packets of a transport stream, as in DVB-RCS (ETSI EN 301 790).
    Mpeg {
        /// Of 188 bytes each.
        packets: u32,
        /// Es/N0 at a burst error rate of 1e-5.
        threshold_db: f64,
    },
}

/// How packets get into bursts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Rcs2EncapsulationSpec {
    /// Return link encapsulation (ETSI TS 103 179), in bursts of a waveform.
    Rle {
        /// Bytes of the protocol type: 0, 1 or 2.
        protocol_bytes: u8,
        /// Bytes of the address: 0, 3 or 6.
        label_bytes: u8,
        /// What guards the reassembly.
        protection: ProtectionSpec,
    },
    /// Multi-protocol encapsulation (ETSI EN 301 192), in bursts of MPEG packets.
    Mpe,
    /// Unidirectional lightweight encapsulation (RFC 4326), in bursts of MPEG packets.
    Ule,
}

/// The trailer of a packet that is sent in fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProtectionSpec {
    /// A sequence number, one byte.
    Sequence,
    /// A CRC-32, four bytes.
    Crc,
}

/// How requests get to the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SignallingSpec {
    /// In a request slot of the terminal's own.
    RequestSlot {
        /// Superframes from one to the next.
        period: u32,
    },
    /// In front of the data of a burst.
    Piggyback {
        /// Superframes from one to the next.
        period: u32,
        /// Payload that a request takes.
        bytes: u32,
    },
}

/// Where in the superframe the slots of one terminal are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlacementSpec {
    /// One after the other.
    Contiguous,
    /// Spread over the superframe about evenly.
    Spread,
}

/// Which request for volume is served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VolumeOrderSpec {
    /// The one that waits longest.
    OldestFirst,
    /// The one for most.
    LargestFirst,
}

/// A class of service of the terminal, with capacity of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DemandClassSpec {
    /// Which packets belong to it, and where they wait.
    pub class: ClassSpec,
    /// What it may have.
    pub mix: MixSpec,
}

/// Capacity of a class, in any mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MixSpec {
    /// Constant rate assignment (CRA).
    pub cra: SlotRateSpec,
    /// Rate-based dynamic capacity (RBDC).
    pub rbdc: Option<RbdcSpec>,
    /// Volume-based dynamic capacity (VBDC or AVBDC).
    pub volume: Option<VolumeSpec>,
    /// Free capacity assignment (FCA).
    pub free: FreeSpec,
}

/// Traffic slots per superframe, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlotRateSpec {
    /// So many slots ...
    pub slots: u64,
    /// ... in so many superframes; at least one.
    pub superframes: u64,
}

/// Rate-based dynamic capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RbdcSpec {
    /// Most that is given on top of the constant rate.
    pub max: SlotRateSpec,
    /// Superframes for which a request counts when no other replaces it.
    pub timeout_superframes: u32,
}

/// Volume-based dynamic capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeSpec {
    /// What a request does to those before it.
    pub kind: VolumeKindSpec,
    /// Most slots of one superframe.
    pub max_slots: u32,
}

/// What a request for volume does to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VolumeKindSpec {
    /// It adds to them.
    Vbdc,
    /// It replaces them.
    Avbdc,
}

/// Whether a class shares what nobody asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FreeSpec {
    /// It does not.
    None,
    /// It does.
    Fca,
}

/// A terminal that sends packets of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackgroundSpec {
    /// What it may have.
    pub mix: MixSpec,
    /// Bytes of packets that may wait.
    pub limit_bytes: Bytes,
    /// Its packets.
    pub load: LoadSpec,
}

/// Packets of a background terminal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LoadSpec {
    /// A Poisson process.
    Poisson {
        /// Mean rate.
        rate_bps: Rate,
        /// Length of each packet.
        packet_bytes: Bytes,
    },
    /// Packets as they once came.
    Trace {
        /// In order of time.
        packets: Vec<TracePacketSpec>,
        /// After so long all begins again; more than up to the last packet.
        period_ns: Option<Duration>,
    },
}

/// A packet of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TracePacketSpec {
    /// Since the start of the link.
    pub at_ns: Duration,
    /// Its length.
    pub bytes: Bytes,
}
