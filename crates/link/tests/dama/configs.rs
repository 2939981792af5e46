//! Return links that the tests share.

use bentpipe_link::rcs2::dama::{
    ClassConfig, Departure, Mix, Phase, PlacementSpec, RateCapacity, ReturnConfig, ReturnLink,
    SignallingSpec, SlotRate, Timing, VolumeKindSpec, VolumeOrderSpec, VolumeSpec,
};
use bentpipe_link::rcs2::{Encapsulation, ProtectionSpec, ProtocolField, Waveform};
use bentpipe_link::{AttenuationSpec, EsN0Spec, LegSpec, QueueSpec};
use bentpipe_units::{Bytes, Duration, Time};

pub use crate::common::layout::layout;
pub use crate::common::numbered::Numbered;

pub const RLE: Encapsulation = Encapsulation::rle(ProtocolField::Compressed, 0, ProtectionSpec::Sequence);

/// One hop of the GEO links, and the time that a terminal has to prepare.
pub const GEO: Timing =
    Timing { request_delay: Duration::from_millis(260), lead: Duration::from_millis(260 + 10) };

/// A terminal alone on a carrier, with one class.
pub fn alone(mix: Mix) -> ReturnConfig {
    let waveform = Waveform::by_id(6).expect("a waveform");
    ReturnConfig {
        layout: layout(),
        phase: Phase::Start,
        burst_payload: waveform.payload(),
        encapsulation: RLE,
        mtu: Bytes::new(1500),
        threshold: waveform.threshold(),
        es_n0: clear_sky(100.0),
        timing: GEO,
        signalling: SignallingSpec::RequestSlot { period: 1 },
        placement: PlacementSpec::Spread,
        order: VolumeOrderSpec::OldestFirst,
        classes: vec![class(mix, 1_000_000)],
        background: Vec::new(),
    }
}

/// A class in which so many bytes may wait.
pub fn class(mix: Mix, limit_bytes: u64) -> ClassConfig {
    ClassConfig { mix, queue: QueueSpec::Bytes { limit_bytes: Bytes::new(limit_bytes) } }
}

/// A signal with this Es/N0 on one leg, and no noise to speak of on the other.
pub fn clear_sky(es_n0_db: f64) -> EsN0Spec {
    let leg = |clear_sky_db| {
        let attenuation = AttenuationSpec { points: Vec::new(), period_ns: None };
        LegSpec { clear_sky_db, attenuation }
    };
    EsN0Spec { up: leg(es_n0_db), down: leg(1_000.0) }
}

pub fn cra(slots: u32) -> Mix {
    Mix::constant(SlotRate::slots(slots))
}

pub fn vbdc(max_slots: u32) -> Mix {
    Mix { volume: Some(VolumeSpec { kind: VolumeKindSpec::Vbdc, max_slots }), ..cra(0) }
}

pub fn rbdc(max_slots: u32) -> Mix {
    Mix { rbdc: Some(RateCapacity { max: SlotRate::slots(max_slots), timeout: 16 }), ..cra(0) }
}

/// Polls whenever the link wants it, until nothing is held or `end`.
pub fn drain(link: &mut ReturnLink<Numbered>, end: Time) -> Vec<Departure<Numbered>> {
    let mut departures = Vec::new();
    while let Some(next) = link.next_event().filter(|next| *next <= end) {
        while let Some(departure) = link.poll(next) {
            departures.push(departure);
        }
    }
    departures
}

pub fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}
