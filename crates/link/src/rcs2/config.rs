//! The spec of a return link (EN 301 545-2): superframe, bursts, encapsulation, terminals, and what it comes to.

use bentpipe_units::{Bytes, Decibel, Duration, Rate};

use super::dama::{
    BackgroundConfig, ClassConfig, Mix, Phase, RateCapacity, ReturnConfig, SlotRate, Timing, refused,
};
use super::layout::MOST_SLOTS;
use super::{Encapsulation, Goodput, ProtectionSpec, ProtocolField, Waveform};
use crate::checks::{check_classes, check_es_n0, check_finite, check_limit};
use crate::error::require;
use crate::mpeg_ts::TS_PACKET_BYTES;
use crate::{
    BackgroundSpec, ClassSpec, EsN0Spec, FreeSpec, LayoutSpec, MixSpec, PlacementSpec, QueueSpec,
    SignallingSpec, SlotRateSpec, SpecError, VolumeOrderSpec,
};

/// A DVB-RCS2 return link (ETSI EN 301 545-2) with assignment on demand.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
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
    /// From the controller's plan of a superframe to its start at the terminal.
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

/// What one burst of a traffic slot carries.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
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

/// A class of service of the terminal, with capacity of its own.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DemandClassSpec {
    /// Which packets belong to it, and where they wait.
    pub class: ClassSpec,
    /// What it may have.
    pub mix: MixSpec,
}

/// A hop takes less than a second; so that no product of times overflows.
const LONGEST_DELAY: Duration = Duration::from_secs(60);
const MOST_PERIOD: u32 = 1_000_000;
/// Of any linear modulation of the return link.
const MOST_BITS_PER_SYMBOL: u64 = 4;
/// The denominator of a rate in slots per superframe.
const MOST_SUPERFRAMES: u64 = 1 << 40;

/// What one burst of a traffic slot carries.
pub(crate) struct Burst {
    pub(crate) payload: Bytes,
    pub(crate) threshold: Decibel,
}

/// What the spec asks for, with `queue` as the queue of packets of no class.
pub(crate) fn return_config(
    spec: &Rcs2Spec,
    queue: &QueueSpec,
    mtu: Bytes,
) -> Result<ReturnConfig, SpecError> {
    check_classes(spec.classes.iter().map(|class| &class.class), mtu)?;
    check_es_n0(&spec.es_n0)?;
    let Burst { payload, threshold } = burst(&spec.burst, &spec.layout)?;
    let signalling = signalling(spec.signalling)?;
    spec.layout.check()?;
    let config = ReturnConfig {
        layout: spec.layout,
        phase: Phase::Random,
        burst_payload: payload,
        encapsulation: encapsulation(spec)?,
        mtu,
        threshold,
        es_n0: spec.es_n0.clone(),
        timing: timing(spec)?,
        signalling,
        placement: spec.placement,
        order: spec.order,
        classes: classes(spec, queue, signalling.period())?,
        background: background(spec, signalling.period())?,
    };
    match config.controller() {
        Ok(_) => Ok(config),
        Err(error) => Err(refused(error, &config)),
    }
}

/// The rate of full packets in the most slots that packets of no class are ever given.
pub(crate) fn nominal_rate(spec: &Rcs2Spec, mtu: Bytes) -> Result<Rate, SpecError> {
    spec.layout.check()?;
    let encapsulation = encapsulation(spec)?;
    let payload = burst(&spec.burst, &spec.layout)?.payload;
    let period = signalling(spec.signalling)?.period();
    let mix = mix(&spec.mix, period).map_err(|error| error.within("mix"))?;
    let [burst, packet] = [payload, mtu].map(|bytes| u32::try_from(bytes.get()).unwrap_or(u32::MAX));
    require(encapsulation.least_burst_bytes(burst) > 0, "burst", "room for a fragment of a packet", burst)?;
    let slots = mix.most_slots(spec.layout.columns());
    Ok(slots.bit_rate(&spec.layout, Goodput::of(encapsulation, burst, packet)))
}

/// The longest packet that its encapsulation takes.
pub(crate) fn largest_packet(spec: &Rcs2Spec) -> Result<u32, SpecError> {
    Ok(encapsulation(spec)?.max_sdu_bytes())
}

pub(crate) fn burst(spec: &BurstSpec, layout: &LayoutSpec) -> Result<Burst, SpecError> {
    match *spec {
        BurstSpec::Waveform { id } => {
            let waveform = Waveform::by_id(id)
                .ok_or_else(|| SpecError::new("burst.id", "a linear-modulation waveform, 3 to 22", id))?;
            let symbols = waveform.length().symbols();
            let found = layout.burst_symbols;
            let expected = format!("{symbols}, the length of waveform {id}");
            require(found == symbols, "layout.burst_symbols", &expected, found)?;
            Ok(Burst { payload: waveform.payload(), threshold: waveform.threshold() })
        }
        BurstSpec::Mpeg { packets, threshold_db } => {
            require((1..=1_000).contains(&packets), "burst.packets", "1 to 1000", packets)?;
            check_finite("burst.threshold_db", threshold_db)?;
            let payload = Bytes::new(u64::from(packets) * u64::from(TS_PACKET_BYTES));
            let (least, found) = (payload.bits().div_ceil(MOST_BITS_PER_SYMBOL), layout.burst_symbols);
            let expected = format!("{least} at least, for {packets} MPEG packets at four bits a symbol");
            require(u64::from(found) >= least, "layout.burst_symbols", &expected, found)?;
            Ok(Burst { payload, threshold: Decibel::new(threshold_db) })
        }
    }
}

fn encapsulation(spec: &Rcs2Spec) -> Result<Encapsulation, SpecError> {
    let is_mpeg = matches!(spec.burst, BurstSpec::Mpeg { .. });
    let within = |error: SpecError| error.within("encapsulation");
    match spec.encapsulation {
        Rcs2EncapsulationSpec::Rle { protocol_bytes, label_bytes, protection } => {
            require(!is_mpeg, "kind", "mpe or ule in bursts of MPEG packets", "rle").map_err(within)?;
            let protocol = match protocol_bytes {
                0 => ProtocolField::Suppressed,
                1 => ProtocolField::Compressed,
                2 => ProtocolField::Full,
                _ => return Err(within(SpecError::new("protocol_bytes", "0, 1 or 2", protocol_bytes))),
            };
            let is_label = matches!(label_bytes, 0 | 3 | 6);
            require(is_label, "label_bytes", "0, 3 or 6", label_bytes).map_err(within)?;
            Ok(Encapsulation::rle(protocol, u32::from(label_bytes), protection))
        }
        Rcs2EncapsulationSpec::Mpe => {
            require(is_mpeg, "kind", "rle in bursts of a waveform", "mpe").map_err(within)?;
            Ok(Encapsulation::mpe())
        }
        Rcs2EncapsulationSpec::Ule => {
            require(is_mpeg, "kind", "rle in bursts of a waveform", "ule").map_err(within)?;
            Ok(Encapsulation::ule())
        }
    }
}

/// The capacity of a class that may ask once in `period` superframes.
fn mix(spec: &MixSpec, period: u32) -> Result<Mix, SpecError> {
    let rbdc = spec.rbdc.map(|rbdc| {
        let timeout = rbdc.timeout_superframes;
        let expected = format!("{period} at least, since a request has to last until the next");
        require(timeout >= period, "rbdc.timeout_superframes", &expected, timeout)?;
        let max = slot_rate(rbdc.max).map_err(|error| error.within("rbdc.max"))?;
        require(!max.is_zero(), "rbdc.max.slots", "at least 1", 0)?;
        Ok(RateCapacity { max, timeout })
    });
    let volume = spec.volume.map(|volume| {
        require(volume.max_slots > 0, "volume.max_slots", "at least 1", volume.max_slots)?;
        Ok(volume)
    });
    Ok(Mix {
        cra: slot_rate(spec.cra).map_err(|error| error.within("cra"))?,
        rbdc: rbdc.transpose()?,
        volume: volume.transpose()?,
        free: spec.free == FreeSpec::Fca,
    })
}

fn slot_rate(spec: SlotRateSpec) -> Result<SlotRate, SpecError> {
    let SlotRateSpec { slots, superframes } = spec;
    let counts = 1..=MOST_SUPERFRAMES;
    require(counts.contains(&superframes), "superframes", "1 to 2^40", superframes)?;
    let most = u128::from(MOST_SLOTS) * u128::from(superframes);
    require(u128::from(slots) <= most, "slots", "at most a million in each superframe", slots)?;
    Ok(SlotRate::fraction(u128::from(slots), u128::from(superframes)))
}

fn classes(spec: &Rcs2Spec, queue: &QueueSpec, period: u32) -> Result<Vec<ClassConfig>, SpecError> {
    let class = |(number, class): (usize, &DemandClassSpec)| {
        let mix = mix(&class.mix, period).map_err(|error| error.within(&format!("classes[{number}].mix")))?;
        Ok(ClassConfig { mix, queue: class.class.queue.clone() })
    };
    let others = mix(&spec.mix, period)
        .map_err(|error| error.within("mix"))
        .map(|mix| ClassConfig { mix, queue: queue.clone() });
    spec.classes.iter().enumerate().map(class).chain([others]).collect()
}

fn background(spec: &Rcs2Spec, period: u32) -> Result<Vec<BackgroundConfig>, SpecError> {
    let terminal = |(number, own): (usize, &BackgroundSpec)| {
        let within = |error: SpecError| error.within(&format!("background[{number}]"));
        let mix = mix(&own.mix, period).map_err(|error| within(error.within("mix")))?;
        let queue = QueueSpec::Bytes { limit_bytes: own.limit_bytes };
        let load = own.load.clone();
        check_limit("limit_bytes", own.limit_bytes, load.longest()).map_err(within)?;
        Ok(BackgroundConfig { class: ClassConfig { mix, queue }, load })
    };
    spec.background.iter().enumerate().map(terminal).collect()
}

fn timing(spec: &Rcs2Spec) -> Result<Timing, SpecError> {
    for (field, delay) in [("request_delay_ns", spec.request_delay_ns), ("lead_ns", spec.lead_ns)] {
        require(delay <= LONGEST_DELAY, field, "at most 60000000000", delay.as_nanos())?;
    }
    Ok(Timing { request_delay: spec.request_delay_ns, lead: spec.lead_ns })
}

fn signalling(spec: SignallingSpec) -> Result<SignallingSpec, SpecError> {
    let period = spec.period();
    require((1..=MOST_PERIOD).contains(&period), "signalling.period", "1 to 1000000", period)?;
    Ok(spec)
}
