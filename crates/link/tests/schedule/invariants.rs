//! What holds on every path that changes, for every traffic.

use crate::common::*;
use crate::schedule::epochs::any_epochs;
use crate::schedule::table::row;
use bentpipe_link::{Direction, DirectionSpec, Event, Path, RowSpec, ScheduleSpec, StateSpec};
use bentpipe_units::{Duration, Rate, Time};
use proptest::prelude::*;

proptest! {
    #[test]
    fn packets_in_are_packets_out_plus_dropped_plus_held_at_any_time(
        forward in any_scheduled(), return_ in any_scheduled(), offers in any_offers(), seed: u64,
    ) {
        let mut path = marked(forward, return_, seed);
        holds_what_went_in_and_did_not_come_out(&mut path, &offers)?;
    }

    #[test]
    fn packets_of_one_direction_keep_their_order(
        forward in any_scheduled(), return_ in any_scheduled(), offers in any_offers(), seed: u64,
    ) {
        let outcome = punctually(&mut marked(forward, return_, seed), &offers);
        for direction in Direction::BOTH {
            prop_assert!(deliveries(&outcome, direction).is_sorted());
        }
        prop_assert!(outcome.events.iter().map(Event::at).is_sorted());
    }

    #[test]
    fn polling_late_changes_no_event(
        forward in any_scheduled(), return_ in any_scheduled(), offers in any_offers(), seed: u64,
    ) {
        let punctual = punctually(&mut marked(forward.clone(), return_.clone(), seed), &offers);
        let belated = belatedly(&mut marked(forward, return_, seed), &offers);
        prop_assert_eq!(punctual, belated);
    }

    #[test]
    fn nothing_happens_before_next_event(
        forward in any_scheduled(), return_ in any_scheduled(), offers in any_offers(), seed: u64,
    ) {
        nothing_happens_but_at_next_event(&mut marked(forward, return_, seed), &offers, false)?;
    }

    #[test]
    fn a_constant_schedule_changes_no_event(
        direction in any_direction(), offers in any_offers(), cuts in any_instants(), seed: u64,
    ) {
        let rows: Vec<_> = cuts.into_iter().map(row).collect();
        let once = ScheduleSpec::Table { rows: rows.clone(), period_ns: None, offset_ns: Duration::ZERO };
        let period_ns = Some(rows[rows.len() - 1].at_ns + Duration::from_millis(1));
        let again = ScheduleSpec::Table { rows, period_ns, offset_ns: Duration::from_micros(77) };
        let plain = punctually(&mut marked(direction.clone(), direction.clone(), seed), &offers);
        for schedule in [once, again] {
            let constant = DirectionSpec { schedule: Some(schedule), ..direction.clone() };
            let outcome = punctually(&mut marked(constant.clone(), constant, seed), &offers);
            prop_assert_eq!(&outcome, &plain);
        }
    }
}

fn marked(forward: DirectionSpec, return_: DirectionSpec, seed: u64) -> Path<Numbered> {
    let mut path = Path::new(&link(forward, return_), seed, Time::ZERO);
    path.mark(Time::ZERO);
    path
}

/// Any direction, following any schedule on which a packet leaves at last.
fn any_scheduled() -> impl Strategy<Value = DirectionSpec> {
    (any_direction(), any_schedule())
        .prop_map(|(direction, schedule)| DirectionSpec { schedule: Some(schedule), ..direction })
}

fn any_schedule() -> impl Strategy<Value = ScheduleSpec> {
    prop_oneof![
        any_table(),
        any_opportunities(),
        any_epochs().prop_map(|spec| ScheduleSpec::Epochs(Box::new(spec)))
    ]
}

/// At least one instant, the first zero, ascending.
fn any_instants() -> impl Strategy<Value = Vec<Duration>> {
    prop::collection::btree_set(1..2_000_000_000u64, 0..12)
        .prop_map(|instants| std::iter::once(0).chain(instants).map(Duration::from_nanos).collect())
}

fn any_table() -> impl Strategy<Value = ScheduleSpec> {
    let rate = prop_oneof![Just(None), Just(Some(0)), (1_000..1_000_000_000u64).prop_map(Some)];
    let delay = prop::option::of(0..300_000_000u64);
    let state = prop::sample::select(vec![StateSpec::Open, StateSpec::Silence, StateSpec::Outage]);
    let values = prop::collection::vec((rate, delay, 0.0..=1.0f64, state), 12);
    let tail = prop::option::of(1..1_000_000_000u64);
    (any_instants(), values, tail, 0..5_000_000_000u64).prop_map(|(instants, values, tail, offset)| {
        let rows = instants.into_iter().zip(values).map(|(at_ns, (rate, delay, loss, state))| RowSpec {
            at_ns,
            rate_bps: rate.map(Rate::from_bps),
            delay_ns: delay.map(Duration::from_nanos),
            loss,
            state,
        });
        let mut rows: Vec<_> = rows.collect();
        let last = rows.len() - 1;
        // At the end, or once in each turn, the path is open.
        rows[last] = row(rows[last].at_ns);
        let period_ns = tail.map(|tail| rows[last].at_ns + Duration::from_nanos(tail));
        ScheduleSpec::Table { rows, period_ns, offset_ns: Duration::from_nanos(offset) }
    })
}

fn any_opportunities() -> impl Strategy<Value = ScheduleSpec> {
    let counts = prop::collection::vec(prop_oneof![3 => Just(0u32), 2 => 1..4u32, 1 => 0..50u32], 1..3_000);
    let delays = prop::collection::vec((0..300u64).prop_map(Duration::from_millis), 0..300);
    (counts, delays, 0..5_000_000_000u64).prop_map(|(mut per_ms, delays_ns, offset)| {
        per_ms[0] += 1;
        ScheduleSpec::Opportunities { per_ms, delays_ns, offset_ns: Duration::from_nanos(offset) }
    })
}
