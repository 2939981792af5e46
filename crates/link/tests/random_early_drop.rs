//! Random early drop against its line. Bounds are five standard errors of a binomial share; the seeds are fixed.

use crate::common::*;
use bentpipe_link::{Direction, Event, Path};
use bentpipe_link::{DirectionSpec, LinkSpec, LossSpec, QueueSpec};
use bentpipe_units::{Bytes, Duration, Time};
use proptest::prelude::*;

const START: u64 = 18_000;
const LIMIT: u64 = 36_000;
const SIGMAS: f64 = 5.0;

fn early(start: u64, limit: u64, p: f64) -> QueueSpec {
    QueueSpec::RandomEarlyDrop { limit_bytes: Bytes::new(limit), start_bytes: Bytes::new(start), p }
}

/// A link that transmits nothing: what waits stays.
fn standing(queue: QueueSpec) -> LinkSpec {
    symmetric(DirectionSpec { queue, ..pipe(0, Duration::ZERO) })
}

fn offer(path: &mut Path<Numbered>, len: u32) -> bool {
    path.enqueue(Time::ZERO, Direction::Forward, Numbered { number: 0, len }).is_ok()
}

/// The share of empty packets, which leave the queue as it is, that a queue of `waiting` bytes drops.
fn dropped_share(waiting: u64, p: f64, packets: u32) -> f64 {
    let mut path = Path::new(&standing(early(START, LIMIT, p)), 1, Time::ZERO);
    assert!(offer(&mut path, 1500), "the packet in transmission");
    let mut left = waiting;
    while left > 0 {
        let len = left.min(1500);
        // Above the start a drop is only a matter of trying again.
        left -= if offer(&mut path, len as u32) { len } else { 0 };
    }
    let dropped = (0..packets).filter(|_| !offer(&mut path, 0)).count();
    dropped as f64 / f64::from(packets)
}

#[test]
fn the_share_of_drops_rises_on_a_line_from_start_to_limit() {
    let (p, packets) = (0.1, 200_000);
    for waiting in [18_180, 19_800, 22_500, 27_000, 31_500, 35_820] {
        let expected = p * (waiting - START) as f64 / (LIMIT - START) as f64;
        let bound = SIGMAS * (expected * (1.0 - expected) / f64::from(packets)).sqrt();
        let found = dropped_share(waiting, p, packets);
        assert!((found - expected).abs() <= bound, "{waiting} B: {found}, expected {expected} +- {bound}");
    }
}

#[test]
fn nothing_is_dropped_while_no_more_than_the_start_waits() {
    for waiting in [0, 1, 9_000, START - 1, START] {
        assert_eq!(dropped_share(waiting, 1.0, 10_000), 0.0, "{waiting} B");
    }
}

#[test]
fn a_full_queue_drops_what_comes_with_the_probability_at_the_limit() {
    let (p, packets) = (0.3, 200_000);
    let bound = SIGMAS * (p * (1.0 - p) / f64::from(packets)).sqrt();
    let found = dropped_share(LIMIT, p, packets);
    assert!((found - p).abs() <= bound, "{found}, expected {p} +- {bound}");
}

#[test]
fn changing_the_drops_leaves_the_losses_of_the_channel_as_they_are() {
    let lost = |p| {
        let direction = DirectionSpec {
            queue: early(0, 1_000_000, p),
            loss: LossSpec::Bernoulli { p: 0.5 },
            ..pipe(12_000_000, Duration::ZERO)
        };
        let mut path = Path::new(&symmetric(direction), 7, Time::ZERO);
        let outcome = punctually(&mut path, &forward_offers((0..1000).map(|i| i * 500_000), 1500));
        let fates = outcome.events.iter().map(|event| matches!(event, Event::Lost { .. }));
        fates.take(400).collect::<Vec<bool>>()
    };
    assert_eq!(lost(0.0), lost(0.5));
}

proptest! {
    #[test]
    fn at_probability_zero_it_is_drop_tail_by_bytes(
        offers in any_offers(), start in 0..50_000u64, limit in 0..50_000u64, rate in 10_000..10_000_000u64,
    ) {
        let refused = |queue| {
            let spec = symmetric(DirectionSpec { queue, ..pipe(rate, Duration::ZERO) });
            punctually(&mut Path::new(&spec, 3, Time::ZERO), &offers).refused
        };
        let tail = refused(QueueSpec::Bytes { limit_bytes: Bytes::new(limit) });
        prop_assert_eq!(refused(early(start, limit, 0.0)), tail);
    }

    #[test]
    fn the_queue_never_exceeds_its_limit(
        offers in any_offers(), start in 0..50_000u64, limit in 0..50_000u64, seed: u64,
    ) {
        let queue = early(start, limit, 1.0);
        let spec = symmetric(DirectionSpec { queue, ..pipe(1_000_000, Duration::ZERO) });
        let mut path = Path::new(&spec, seed, Time::ZERO);
        let outcome = punctually(&mut path, &offers);
        let report = path.report(Time::from_nanos(100_000_000_000));
        prop_assert!(report.forward.queue_max_bytes <= Bytes::new(limit));
        prop_assert_eq!(outcome.refused.len() + outcome.events.len(), offers.len());
    }
}
