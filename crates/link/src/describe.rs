//! What a link comes to, for whoever shows or sizes it: rates in clear sky, frames and superframes, MODCODs that are
//! sent, and how long a packet waits on an idle link. All of it is asked of the models themselves.

use bentpipe_units::{Bytes, Decibel, Duration, Rate, Time};

use crate::Direction;
use crate::config::{CapacitySpec, DirectionSpec, LinkSpec, check, nominal_rate};
use crate::dvbs2::acm::ladder;
use crate::dvbs2::config::{carrier, in_clear_sky};
use crate::dvbs2::{Dvbs2Spec, FecFrameSpec, Modcod, ModulationSpec, PilotsSpec, PlFrame};
use crate::error::SpecError;
use crate::rcs2::config::burst;
use crate::rcs2::dama::{MixSpec, PlacementSpec, longest_gap};
use crate::rcs2::{BurstSpec, LayoutSpec, Modulation, Rcs2Spec, Waveform};
use crate::signal::EsN0;

/// PLFRAMEs that a packet waits for at most: the one in progress when it comes, its own, and the next where it is cut.
const FRAMES: u64 = 3;
/// Superframes likewise: the one of the request, the one in progress when it arrives, and the one that has the slots.
const SUPERFRAMES: u64 = 3;

/// What both directions of a link come to.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct LinkDescription {
    /// From server to client.
    pub forward: DirectionDescription,
    /// From client to server.
    #[cfg_attr(feature = "serde", serde(rename = "return"))]
    pub return_: DirectionDescription,
}

/// What one direction comes to.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct DirectionDescription {
    /// Rate of full IP packets in clear sky.
    pub nominal_bps: Rate,
    /// How long a packet may wait and be sent for when the direction is idle, a generous bound; nothing at a constant
    /// rate, at which it waits for nobody and is sent soon.
    pub longest_wait_ns: Duration,
    /// Mean rate of a schedule that starts again and says it throughout; none of others.
    pub mean_bps: Option<Rate>,
    /// Shortest propagation delay by the schedule, without jitter; the delay itself where there is none.
    pub shortest_delay_ns: Duration,
    /// Longest propagation delay likewise.
    pub longest_delay_ns: Duration,
    /// Of a DVB-S2 carrier.
    pub dvbs2: Option<Dvbs2Description>,
    /// Of a DVB-RCS2 return link.
    pub rcs2: Option<Rcs2Description>,
}

/// What a DVB-S2 carrier comes to.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Dvbs2Description {
    /// Es/N0 at the receiver without attenuation, of both legs.
    pub clear_sky_db: Decibel,
    /// What frames of this kind can have, in the order of the numbers.
    pub modcods: Vec<ModcodDescription>,
    /// The numbers of those that ACM ever takes, from the most robust to the most efficient.
    pub ladder: Vec<u8>,
    /// The number in clear sky of each class in their order, then that of all other packets.
    pub in_use: Vec<u8>,
}

/// A MODCOD with frames of one kind.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ModcodDescription {
    /// In EN 302 307-1, table 12.
    pub number: u8,
    /// Such as `8PSK 3/4`.
    pub name: String,
    /// Es/N0 at which reception is quasi-error-free.
    pub threshold_db: Decibel,
    /// Bits of the data field per symbol on air.
    pub spectral_efficiency: f64,
    /// Of the data field.
    pub bits: u64,
    /// Length of a PLFRAME.
    pub symbols: u32,
}

/// What a DVB-RCS2 return link comes to.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Rcs2Description {
    /// Es/N0 at the hub without attenuation, of both legs.
    pub clear_sky_db: Decibel,
    /// Its slots.
    pub slots: SlotsDescription,
    /// In superframes, how long a slot of the constant rate of packets of no class is away at most, where the terminal
    /// is alone; none without such a rate.
    pub longest_gap: Option<f64>,
}

/// What the slots of a superframe come to.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct SlotsDescription {
    /// Traffic slots of one carrier in a superframe: as many as one terminal can use.
    pub columns: u32,
    /// Length of a frame in symbols.
    pub frame_symbols: u64,
    /// Length of a superframe in symbols.
    pub superframe_symbols: u64,
    /// Length of a superframe, rounded up.
    pub superframe_ns: Duration,
    /// What a traffic slot carries.
    pub burst: BurstDescription,
}

/// What one burst carries.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct BurstDescription {
    /// Such as `waveform 13, 8PSK 3/4` or `8 MPEG packets`.
    pub name: String,
    /// Payload of each.
    pub payload_bytes: Bytes,
    /// Es/N0 at which one in 100 000 is lost.
    pub threshold_db: Decibel,
}

/// Checks a link and says what it comes to. Only the limits of queues change nothing of it.
///
/// # Errors
/// When no path can be made of this spec.
pub fn describe(spec: &LinkSpec) -> Result<LinkDescription, SpecError> {
    check(spec)?;
    let described = |way: Direction| {
        let within = |error: SpecError| error.within(&format!("{}.capacity", way.name()));
        direction(spec.direction(way), spec.mtu_bytes).map_err(within)
    };
    Ok(LinkDescription { forward: described(Direction::Forward)?, return_: described(Direction::Return)? })
}

/// What the slots of a return link come to, for rates that are written in bit/s or in shares of a carrier.
///
/// # Errors
/// When there are no such superframes or bursts.
pub fn describe_slots(layout: &LayoutSpec, burst_spec: &BurstSpec) -> Result<SlotsDescription, SpecError> {
    layout.check()?;
    let carried = burst(burst_spec, layout)?;
    Ok(SlotsDescription {
        columns: layout.columns(),
        frame_symbols: layout.frame_symbols(),
        superframe_symbols: layout.symbols(),
        superframe_ns: layout.duration(),
        burst: BurstDescription {
            name: burst_name(burst_spec),
            payload_bytes: carried.payload,
            threshold_db: carried.threshold,
        },
    })
}

fn direction(spec: &DirectionSpec, mtu: Bytes) -> Result<DirectionDescription, SpecError> {
    let (shortest, longest) = match &spec.schedule {
        Some(schedule) => schedule.delays(spec.delay_ns),
        None => (spec.delay_ns, spec.delay_ns),
    };
    let constant = DirectionDescription {
        nominal_bps: nominal_rate(&spec.capacity, mtu)?,
        longest_wait_ns: Duration::ZERO,
        mean_bps: spec.schedule.as_ref().and_then(|schedule| schedule.mean_rate(schedule.turn()?)),
        shortest_delay_ns: shortest,
        longest_delay_ns: longest,
        dvbs2: None,
        rcs2: None,
    };
    Ok(match &spec.capacity {
        CapacitySpec::Constant { .. } => constant,
        CapacitySpec::Dvbs2(spec) => DirectionDescription {
            longest_wait_ns: longest_frames(spec, mtu)?,
            dvbs2: Some(dvbs2(spec, mtu)?),
            ..constant
        },
        CapacitySpec::Rcs2(spec) => DirectionDescription {
            longest_wait_ns: longest_assignment(spec, spec.layout.duration()),
            rcs2: Some(rcs2(spec)?),
            ..constant
        },
    })
}

fn dvbs2(spec: &Dvbs2Spec, mtu: Bytes) -> Result<Dvbs2Description, SpecError> {
    let Dvbs2Spec { fecframe, pilots, .. } = *spec;
    let in_use = match &spec.modulation {
        ModulationSpec::Adaptive(acm) => {
            vec![in_clear_sky(acm, spec).modcod().number(); spec.classes.len() + 1]
        }
        ModulationSpec::Constant { .. } => {
            vec![carrier(spec, mtu)?.streams[0].modcod().number(); spec.classes.len() + 1]
        }
        ModulationSpec::ByClass { .. } => {
            carrier(spec, mtu)?.streams.iter().map(|plframe| plframe.modcod().number()).collect()
        }
    };
    let plframes = Modcod::all().filter_map(|modcod| PlFrame::new(modcod, fecframe, pilots));
    Ok(Dvbs2Description {
        clear_sky_db: EsN0::in_clear_sky(&spec.es_n0).at(Time::ZERO),
        modcods: plframes.map(described).collect(),
        ladder: ladder(fecframe, pilots).iter().map(|plframe| plframe.modcod().number()).collect(),
        in_use,
    })
}

fn described(plframe: PlFrame) -> ModcodDescription {
    ModcodDescription {
        number: plframe.modcod().number(),
        name: plframe.modcod().to_string(),
        threshold_db: plframe.threshold(),
        spectral_efficiency: plframe.spectral_efficiency(),
        bits: plframe.data_field().bits(),
        symbols: plframe.symbols(),
    }
}

fn rcs2(spec: &Rcs2Spec) -> Result<Rcs2Description, SpecError> {
    Ok(Rcs2Description {
        clear_sky_db: EsN0::in_clear_sky(&spec.es_n0).at(Time::ZERO),
        slots: describe_slots(&spec.layout, &spec.burst)?,
        longest_gap: longest_constant_gap(&spec.mix, &spec.layout, spec.placement),
    })
}

/// The longest wait for a slot of the constant rate, in superframes.
fn longest_constant_gap(mix: &MixSpec, layout: &LayoutSpec, placement: PlacementSpec) -> Option<f64> {
    let (rate, columns) = (mix.cra, layout.columns());
    if rate.slots == 0 {
        return None;
    }
    let always = u32::try_from(rate.slots / rate.superframes).unwrap_or(u32::MAX).min(columns);
    match longest_gap(columns, placement, always) {
        Some(gap) => Some(f64::from(gap) / f64::from(columns)),
        None => Some(rate.superframes.div_ceil(rate.slots) as f64),
    }
}

fn longest_frames(spec: &Dvbs2Spec, mtu: Bytes) -> Result<Duration, SpecError> {
    let symbols = FRAMES * u64::from(longest_frame(spec.fecframe));
    let step = spec.scheduling_period_ns.unwrap_or(Duration::ZERO);
    let frames = carrier(spec, mtu)?.symbol_rate.time_for(symbols);
    Ok(spec.closing_timeout_ns.saturating_add(step).saturating_add(frames))
}

/// The longest PLFRAME in symbols, which has pilots.
fn longest_frame(fecframe: FecFrameSpec) -> u32 {
    let plframes = Modcod::all().filter_map(|modcod| PlFrame::new(modcod, fecframe, PilotsSpec::On));
    plframes.map(PlFrame::symbols).max().unwrap_or(0)
}

fn longest_assignment(spec: &Rcs2Spec, superframe: Duration) -> Duration {
    let mixes = || std::iter::once(&spec.mix).chain(spec.classes.iter().map(|class| &class.mix));
    if mixes().all(|mix| mix.rbdc.is_none() && mix.volume.is_none()) {
        // The next slot of a constant rate: one in so many superframes.
        let apart = mixes().map(|MixSpec { cra, .. }| match cra.slots {
            0 => 1,
            slots => cra.superframes.div_ceil(slots),
        });
        return times(superframe, apart.max().unwrap_or(1));
    }
    let period = u64::from(spec.signalling.period());
    let control = spec.request_delay_ns.saturating_add(spec.lead_ns);
    control.saturating_add(times(superframe, SUPERFRAMES + period))
}

fn times(span: Duration, count: u64) -> Duration {
    Duration::from_nanos(span.as_nanos().saturating_mul(count))
}

fn burst_name(spec: &BurstSpec) -> String {
    match *spec {
        BurstSpec::Mpeg { packets: 1, .. } => "1 MPEG packet".to_owned(),
        BurstSpec::Mpeg { packets, .. } => format!("{packets} MPEG packets"),
        BurstSpec::Waveform { id } => Waveform::by_id(id).map_or_else(String::new, |waveform| {
            let modulation = match waveform.modulation() {
                Modulation::Qpsk => "QPSK",
                Modulation::Psk8 => "8PSK",
                Modulation::Qam16 => "16QAM",
            };
            let (information, coded) = waveform.code_rate();
            format!("waveform {id}, {modulation} {information}/{coded}")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_frame_is_that_of_qpsk_with_pilots() {
        // 90 + 90 S + 36 floor((S - 1) / 16) symbols with S = 360 or 90 slots (EN 302 307-1 clause 5.5).
        assert_eq!(longest_frame(FecFrameSpec::Normal), 33_282);
        assert_eq!(longest_frame(FecFrameSpec::Short), 8_370);
    }

    #[test]
    fn bursts_are_called_by_their_waveform_or_their_packets() {
        assert_eq!(burst_name(&BurstSpec::Waveform { id: 13 }), "waveform 13, QPSK 1/3");
        assert_eq!(burst_name(&BurstSpec::Mpeg { packets: 1, threshold_db: 4.5 }), "1 MPEG packet");
        assert_eq!(burst_name(&BurstSpec::Mpeg { packets: 8, threshold_db: 4.5 }), "8 MPEG packets");
    }
}
