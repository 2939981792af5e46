//! Return links that the tests share.

use bentpipe_link::dama::{
    ClassConfig, Departure, Mix, Placement, RateCapacity, ReturnConfig, ReturnLink, Signalling, SlotRate,
    Timing, VolumeCapacity, VolumeKind, VolumeOrder,
};
use bentpipe_link::rcs2::{Encapsulation, Layout, Protection, ProtocolField, Waveform};
use bentpipe_units::{Bytes, Duration, Time};

pub use crate::numbered::Numbered;

pub const RLE: Encapsulation =
    Encapsulation { protocol: ProtocolField::Compressed, label_bytes: 0, protection: Protection::Sequence };

/// One hop of the GEO links, and the time that a terminal has to prepare.
pub const GEO: Timing =
    Timing { request_delay: Duration::from_millis(260), lead: Duration::from_millis(260 + 10) };

/// 1 Msym/s, two frames of a request slot and 20 bursts of 536 symbols.
pub fn layout() -> Layout {
    Layout {
        symbol_rate: 1_000_000,
        carriers: 1,
        frames: 2,
        request_slots: 1,
        traffic_slots: 20,
        request_symbols: 536,
        burst_symbols: 536,
        guard_symbols: 4,
        idle_symbols: 0,
    }
}

/// A terminal alone on that, with one class.
pub fn alone(mix: Mix) -> ReturnConfig {
    ReturnConfig {
        layout: layout(),
        burst_payload: Waveform::by_id(6).expect("a waveform").payload(),
        encapsulation: RLE,
        timing: GEO,
        signalling: Signalling::RequestSlot { period: 1 },
        placement: Placement::Spread,
        order: VolumeOrder::OldestFirst,
        classes: vec![ClassConfig { mix, limit: Bytes::new(1_000_000) }],
        background: Vec::new(),
    }
}

pub fn cra(slots: u32) -> Mix {
    Mix::constant(SlotRate::slots(slots))
}

pub fn vbdc(max_slots: u32) -> Mix {
    Mix { volume: Some(VolumeCapacity { kind: VolumeKind::Added, max_slots }), ..cra(0) }
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
