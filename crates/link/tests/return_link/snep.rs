//! The link of caviglione2014: 4 Mbit/s forward, 1 Mbit/s return, 520 ms, bandwidth on demand.
//!
//! 228 slots are the whole return link. Not stated there: what a slot carries (so how long the superframe is), how
//! often a terminal may ask, and how far ahead the NCC plans. Here a slot is one MPEG packet, as DVB-RCS (EN 301 790)
//! has it, with MPE; the terminal may ask in each superframe. Nothing is fitted.

use bentpipe_link::{
    BurstSpec, LayoutSpec, LinkSpec, MixSpec, RbdcSpec, Rcs2EncapsulationSpec, Rcs2Spec, SlotRateSpec,
};
use bentpipe_link::{Direction, Event, Path};
use bentpipe_units::{Duration, Time};

use super::specs::*;
use crate::common::*;

const SLOTS: u64 = 228;
/// A request slot of one ATM cell and 228 bursts of 188 bytes, at one symbol for each bit of the 1 Mbit/s.
const LAYOUT: LayoutSpec = LayoutSpec {
    symbols_per_s: 1_000_000,
    carriers: 1,
    frames: 1,
    request_slots: 1,
    traffic_slots: SLOTS as u32,
    request_symbols: 53 * 8,
    burst_symbols: 188 * 8,
    guard_symbols: 0,
    idle_symbols: 0,
};
const SUPERFRAME_S: f64 = ((53 + 228 * 188) * 8) as f64 / 1e6;

fn snep(mix: MixSpec, planned_ahead: u64) -> LinkSpec {
    let superframe = Duration::from_secs_f64(SUPERFRAME_S);
    let return_ = terminal(Rcs2Spec {
        layout: LAYOUT,
        burst: BurstSpec::Mpeg { packets: 1, threshold_db: 5.0 },
        encapsulation: Rcs2EncapsulationSpec::Mpe,
        lead_ns: HOP + superframe * planned_ahead,
        ..alone(mix)
    });
    link(pipe(4_000_000, HOP), return_)
}

/// CRA, RBDC, VBDC, and a mix.
fn schemes() -> [MixSpec; 4] {
    let rate = |slots| {
        let max = SlotRateSpec { slots, superframes: 1 };
        Some(RbdcSpec { max, timeout_superframes: 32 })
    };
    [
        cra(228),
        MixSpec { rbdc: rate(228), ..cra(0) },
        vbdc(228),
        MixSpec { rbdc: rate(105), volume: vbdc(105).volume, ..cra(18) },
    ]
}

/// Mean round trip in seconds of `batch` echo requests of `len` bytes every `gap`, answered at once.
fn mean_rtt(spec: &LinkSpec, gap: Duration, batch: usize, len: u32) -> f64 {
    let mut path: Path<Numbered> = path(spec, 1);
    let mut asked = Vec::new();
    let (mut sum, mut answers) = (0.0, 0u32);
    let mut advance = |path: &mut Path<Numbered>, asked: &[Time], until: Time| {
        while let Some(next) = path.next_event().filter(|next| *next <= until) {
            while let Some(event) = path.poll(next) {
                match event {
                    Event::Delivered { direction: Direction::Return, due, packet } => {
                        path.enqueue(due, Direction::Forward, packet).expect("room");
                    }
                    Event::Delivered { direction: Direction::Forward, due, packet } => {
                        sum += due.since(asked[packet.number]).as_secs_f64();
                        answers += 1;
                    }
                    Event::Lost { .. } => panic!("a clear sky"),
                }
            }
        }
    };
    let mut now = Time::ZERO;
    for _ in 0..300 {
        now += gap;
        advance(&mut path, &asked, now);
        for _ in 0..batch {
            path.enqueue(now, Direction::Return, Numbered { number: asked.len(), len }).expect("room");
            asked.push(now);
        }
    }
    advance(&mut path, &asked, Time::MAX);
    assert_eq!(answers as usize, asked.len());
    sum / f64::from(answers)
}

#[test]
fn round_trips_are_about_1_6_s_under_vbdc_near_0_55_s_under_cra_and_between_under_the_mix() {
    // Gaps that have no common measure with the superframes: every phase is met.
    let (rare, window) = (Duration::from_nanos(3_141_592_653), Duration::from_nanos(4_141_592_653));
    // Published: CRA near 0.55 s, VBDC about 1.6 s, the mix between. The figures are those of docs/models/dama.md.
    for (planned_ahead, lone_figures, burst_figures) in [
        (0, [0.522, 1.380, 1.380, 0.537], [0.655, 1.515, 1.563, 1.417]),
        (1, [0.522, 1.723, 1.723, 0.537], [0.655, 1.862, 1.906, 1.621]),
    ] {
        let lone = schemes().map(|mix| mean_rtt(&snep(mix, planned_ahead), rare, 1, 84));
        let bursts = schemes().map(|mix| mean_rtt(&snep(mix, planned_ahead), window, 20, 1500));
        for (found, figures) in [(lone, lone_figures), (bursts, burst_figures)] {
            let agrees = found.iter().zip(figures).all(|(rtt, printed)| (rtt - printed).abs() <= 0.000_5);
            assert!(agrees, "{found:?}, on the page {figures:?}");
        }
        let [cra, rbdc, vbdc, mixed] = lone;
        let pitch = SUPERFRAME_S / SLOTS as f64;
        assert!(cra > 0.52 && cra < 0.52 + 4.0 * pitch, "CRA {cra}");
        // Two hops of the request and the plan, two of the packet; half a superframe until the request slot, less than
        // one until the plan, and what is planned ahead.
        let least = 4.0 * HOP.as_secs_f64() + (0.5 + planned_ahead as f64) * SUPERFRAME_S;
        assert!(vbdc > least && vbdc < least + 1.1 * SUPERFRAME_S, "VBDC {least} {vbdc}");
        assert!(rbdc > least && rbdc < least + 2.1 * SUPERFRAME_S, "RBDC {least} {rbdc}");
        assert!(mixed > cra && mixed < vbdc, "{lone:?}");
        let [cra, _, vbdc, mixed] = bursts;
        assert!(cra < mixed && mixed < vbdc, "{bursts:?}");
    }
}
