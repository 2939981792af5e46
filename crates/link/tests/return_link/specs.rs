//! Return links that the tests share, as specs.

use bentpipe_link::{
    AttenuationPoint, AttenuationSpec, BackgroundSpec, BurstSpec, CapacitySpec, DirectionSpec, EsN0Spec,
    FreeSpec, LegSpec, LinkSpec, LoadSpec, MixSpec, PlacementSpec, ProtectionSpec, RbdcSpec,
    Rcs2EncapsulationSpec, Rcs2Spec, SignallingSpec, SlotRateSpec, VolumeKindSpec, VolumeOrderSpec,
    VolumeSpec,
};
use bentpipe_link::{Direction, Packet, Path};
use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::common::*;

/// One hop of the GEO links.
pub const HOP: Duration = Duration::from_millis(260);
/// A hop and the time that a terminal has to prepare.
pub const LEAD: Duration = Duration::from_millis(270);
/// At 1 Msym/s a symbol is a microsecond, and every instant a whole number of them after the first superframe.
pub const PITCH: Duration = Duration::from_micros(540);
pub const BURST: Duration = Duration::from_micros(536);
pub const SUPERFRAME: Duration = Duration::from_micros(2 * 21 * 540);
/// Slots of a superframe.
pub const SLOTS: u32 = 40;

/// A terminal alone on a carrier with bursts of waveform 6, 96 bytes each.
pub fn alone(mix: MixSpec) -> Rcs2Spec {
    Rcs2Spec {
        nominal_bps: Rate::from_bps(1_300_000),
        layout: layout(),
        burst: BurstSpec::Waveform { id: 6 },
        encapsulation: Rcs2EncapsulationSpec::Rle {
            protocol_bytes: 1,
            label_bytes: 0,
            protection: ProtectionSpec::Sequence,
        },
        request_delay_ns: HOP,
        lead_ns: LEAD,
        signalling: SignallingSpec::RequestSlot { period: 1 },
        placement: PlacementSpec::Spread,
        order: VolumeOrderSpec::OldestFirst,
        es_n0: es_n0(20.0, &[]),
        mix,
        classes: Vec::new(),
        background: Vec::new(),
    }
}

pub fn cra(slots: u64) -> MixSpec {
    MixSpec { cra: SlotRateSpec { slots, superframes: 1 }, rbdc: None, volume: None, free: FreeSpec::None }
}

pub fn rbdc(slots: u64) -> MixSpec {
    let max = SlotRateSpec { slots, superframes: 1 };
    MixSpec { rbdc: Some(RbdcSpec { max, timeout_superframes: 16 }), ..cra(0) }
}

pub fn vbdc(max_slots: u32) -> MixSpec {
    MixSpec { volume: Some(VolumeSpec { kind: VolumeKindSpec::Vbdc, max_slots }), ..cra(0) }
}

/// Uplink with this Es/N0 in clear sky and attenuation as (seconds, dB); no noise to speak of on the downlink.
pub fn es_n0(clear_sky_db: f64, points: &[(u64, f64)]) -> EsN0Spec {
    let leg = |clear_sky_db, points: &[(u64, f64)]| {
        let point = |&(s, db)| AttenuationPoint { at_ns: Duration::from_secs(s), db };
        let attenuation = AttenuationSpec { points: points.iter().map(point).collect(), period_ns: None };
        LegSpec { clear_sky_db, attenuation }
    };
    EsN0Spec { up: leg(clear_sky_db, points), down: leg(1_000.0, &[]) }
}

pub fn neighbour(mix: MixSpec, rate_bps: u64) -> BackgroundSpec {
    let load = LoadSpec::Poisson { rate_bps: Rate::from_bps(rate_bps), packet_bytes: Bytes::new(1400) };
    BackgroundSpec { mix, limit_bytes: Bytes::new(100_000), load }
}

/// A direction one hop long.
pub fn terminal(spec: Rcs2Spec) -> DirectionSpec {
    DirectionSpec { capacity: CapacitySpec::Rcs2(Box::new(spec)), ..pipe(1, HOP) }
}

/// The other direction is a pipe of 10 Mbit/s.
pub fn geo(spec: Rcs2Spec) -> LinkSpec {
    link(pipe(10_000_000, HOP), terminal(spec))
}

pub fn path<P: Packet>(spec: &LinkSpec, seed: u64) -> Path<P> {
    bentpipe_link::check(spec).expect("a link");
    Path::new(spec, seed, Time::ZERO)
}

pub fn offer(at: Time, len: u32) -> Offer {
    Offer { at, direction: Direction::Return, len }
}

/// When superframe 1 of a path that starts at zero starts: superframe 0 started before the start.
pub fn first_start(spec: &LinkSpec, seed: u64) -> Time {
    let mut path = path::<Numbered>(spec, seed);
    let report = path.report(Time::ZERO + SUPERFRAME * 3);
    let starts = report.probes["dama"].column("time_s");
    Time::ZERO + Duration::from_secs_f64(starts[1])
}

pub fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}
