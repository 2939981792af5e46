//! Superframes: their slots, their symbols and their instants.

use bentpipe_link::rcs2::{LayoutSpec, Superframes};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

fn any_layout() -> impl Strategy<Value = LayoutSpec> {
    let slots = (1..4u32, 1..5u32, 0..4u32, 1..40u32);
    let symbols = (1..2_000u32, 1..2_000u32, 0..20u32, 0..500u32);
    (64_000..20_000_000u64, slots, symbols).prop_map(|(symbol_rate, slots, symbols)| LayoutSpec {
        symbols_per_s: symbol_rate,
        carriers: slots.0,
        frames: slots.1,
        request_slots: slots.2,
        traffic_slots: slots.3,
        request_symbols: symbols.0,
        burst_symbols: symbols.1,
        guard_symbols: symbols.2,
        idle_symbols: symbols.3,
    })
}

/// Rounded up, in another way than the code's.
fn nanos(symbols: u128, symbol_rate: u64) -> u64 {
    let scaled = symbols * 1_000_000_000 + u128::from(symbol_rate) - 1;
    u64::try_from(scaled / u128::from(symbol_rate)).unwrap()
}

proptest! {
    #[test]
    fn every_superframe_starts_at_its_exact_instant_rounded_up_once(
        layout in any_layout(), superframe in 0..10_000_000u64, zero in 0..1_000_000_000u64,
    ) {
        let starts = Superframes::new(layout, Time::from_nanos(zero)).start(superframe);
        let symbols = u128::from(superframe) * u128::from(layout.symbols());
        prop_assert_eq!(starts.as_nanos(), zero + nanos(symbols, layout.symbols_per_s));
    }

    #[test]
    fn slots_of_a_carrier_follow_each_other_with_their_guard_times_and_fill_all_but_the_idle_end_of_each_frame(
        layout in any_layout(), superframe in 0..1_000u64,
    ) {
        let superframes = Superframes::new(layout, Time::ZERO);
        let requests = (0..layout.request_opportunities()).step_by(layout.carriers as usize);
        let mut spans: Vec<_> = requests.map(|opportunity| superframes.request(superframe, opportunity)).collect();
        spans.extend((0..layout.columns()).map(|column| superframes.traffic(superframe, column)));
        spans.sort_by_key(|span| span.start);
        let next_starts = spans.iter().skip(1).map(|span| span.start).chain([superframes.start(superframe + 1)]);
        let slots_of_frame = (layout.request_slots + layout.traffic_slots) as usize;
        for ((span, next), place) in spans.iter().zip(next_starts).zip(1..) {
            let ends_frame = place % slots_of_frame == 0;
            let silent = layout.guard_symbols + if ends_frame { layout.idle_symbols } else { 0 };
            let silence = Duration::from_nanos(nanos(u128::from(silent), layout.symbols_per_s));
            // Each of the three is rounded up.
            let (gap, nanosecond) = (next.since(span.end), Duration::from_nanos(1));
            prop_assert!(gap <= silence && silence <= gap + nanosecond, "{gap} for {silence}");
        }
        prop_assert_eq!(spans[0].start, superframes.start(superframe));
    }

    #[test]
    fn request_slots_of_different_carriers_are_at_the_same_time(layout in any_layout()) {
        let superframes = Superframes::new(layout, Time::ZERO);
        for opportunity in 0..layout.request_opportunities() {
            let first_carrier = opportunity - opportunity % layout.carriers;
            prop_assert_eq!(superframes.request(7, opportunity), superframes.request(7, first_carrier));
        }
    }
}

#[test]
fn a_thousand_million_superframes_do_not_drift() {
    // 3 symbols at 7 baud: 3/7 s, which no number of nanoseconds is.
    let layout = LayoutSpec {
        symbols_per_s: 7,
        carriers: 1,
        frames: 1,
        request_slots: 0,
        traffic_slots: 3,
        request_symbols: 1,
        burst_symbols: 1,
        guard_symbols: 0,
        idle_symbols: 0,
    };
    let superframes = Superframes::new(layout, Time::ZERO);
    assert_eq!(superframes.start(7), Time::from_nanos(3_000_000_000));
    assert_eq!(superframes.start(7_000_000_000), Time::from_nanos(3_000_000_000_000_000_000));
    assert_eq!(superframes.start(1), Time::from_nanos(428_571_429));
}
