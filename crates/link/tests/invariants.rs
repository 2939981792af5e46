//! What holds on every path for every traffic.

use crate::common::*;
use bentpipe_link::{CapacitySpec, DirectionSpec, JitterSpec, LossSpec, QueueSpec};
use bentpipe_link::{Direction, DropCause, Event, Path};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

proptest! {
    #[test]
    fn packets_in_are_packets_out_plus_dropped_plus_held_at_any_time(
        forward in any_direction(), return_ in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let mut path = Path::new(&link(forward, return_), seed, Time::ZERO);
        holds_what_went_in_and_did_not_come_out(&mut path, &offers)?;
    }

    #[test]
    fn the_counters_agree_with_what_the_driver_saw(
        forward in any_direction(), return_ in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let mut path = Path::new(&link(forward, return_), seed, Time::ZERO);
        let outcome = punctually(&mut path, &offers);
        let end = outcome.events.last().map_or(Time::ZERO, Event::at).max(offers[offers.len() - 1].at);
        let report = path.report(end);
        for (direction, counted) in [(Direction::Forward, &report.forward), (Direction::Return, &report.return_)] {
            let offered: Vec<_> = offers.iter().filter(|offer| offer.direction == direction).collect();
            let delivered = deliveries(&outcome, direction);
            let bytes: u64 = delivered.iter().map(|(number, _)| u64::from(offers[*number].len)).sum();
            prop_assert_eq!(counted.offered_packets, offered.len() as u64);
            prop_assert_eq!(counted.offered_bytes.get(), offered.iter().map(|o| u64::from(o.len)).sum::<u64>());
            prop_assert_eq!(counted.delivered_packets, delivered.len() as u64);
            prop_assert_eq!(counted.delivered_bytes.get(), bytes);
            prop_assert_eq!(counted.offered_packets, counted.delivered_packets + counted.drops.total());
            let oversize = offered.iter().filter(|offer| offer.len > MTU).count();
            prop_assert_eq!(counted.drops.oversize, oversize as u64);
        }
    }

    #[test]
    fn packets_of_one_direction_keep_their_order(
        forward in any_direction(), return_ in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let outcome = punctually(&mut Path::new(&link(forward, return_), seed, Time::ZERO), &offers);
        for direction in Direction::BOTH {
            let delivered = deliveries(&outcome, direction);
            prop_assert!(delivered.is_sorted(), "numbers and instants both ascend: {:?}", delivered);
        }
    }

    #[test]
    fn events_come_in_order_of_time_over_both_directions(
        forward in any_direction(), return_ in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let outcome = punctually(&mut Path::new(&link(forward, return_), seed, Time::ZERO), &offers);
        prop_assert!(outcome.events.iter().map(Event::at).is_sorted());
    }

    #[test]
    fn no_packet_is_faster_than_serialization_and_propagation(
        direction in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let outcome = punctually(&mut Path::new(&symmetric(direction.clone()), seed, Time::ZERO), &offers);
        for event in outcome.events {
            let at = event.at();
            let offer = offers[match &event {
                Event::Lost { packet, .. } | Event::Delivered { packet, .. } => packet.number,
            }];
            let serialization = serialization(&direction, offer.len);
            let least = match (&event, &direction.jitter) {
                (Event::Lost { cause: DropCause::Queue, .. }, _) => Duration::ZERO,
                (Event::Delivered { .. }, JitterSpec::None) => serialization + direction.delay_ns,
                _ => serialization,
            };
            prop_assert!(at >= offer.at + least);
        }
    }

    #[test]
    fn polling_late_changes_no_event(
        forward in any_direction(), return_ in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let spec = link(forward, return_);
        let punctual = punctually(&mut Path::new(&spec, seed, Time::ZERO), &offers);
        let belated = belatedly(&mut Path::new(&spec, seed, Time::ZERO), &offers);
        prop_assert_eq!(punctual, belated);
    }

    #[test]
    fn nothing_happens_before_next_event(
        forward in any_direction(), return_ in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let keeps = |direction: &DirectionSpec| {
            direction.loss == LossSpec::None
                && !matches!(direction.queue, QueueSpec::Codel { .. } | QueueSpec::Dualpi2(_))
        };
        let lossless = keeps(&forward) && keeps(&return_);
        let mut path = Path::new(&link(forward, return_), seed, Time::ZERO);
        nothing_happens_but_at_next_event(&mut path, &offers, lossless)?;
    }
}

#[test]
fn an_instant_that_goes_backwards_is_taken_for_the_latest_one_seen() {
    let spec = symmetric(pipe(12_000_000, Duration::ZERO));
    let mut path = Path::new(&spec, 0, Time::from_nanos(5_000_000));
    path.enqueue(Time::from_nanos(4_000_000), Direction::Forward, Numbered { number: 0, len: 1500 }).unwrap();
    // 1500 bytes at 12 Mbit/s take 1 ms, from the path's start.
    assert_eq!(path.next_event(), Some(Time::from_nanos(6_000_000)));
}

#[test]
fn a_rate_of_zero_holds_its_packets_for_ever() {
    let mut path = Path::new(&symmetric(pipe(0, Duration::ZERO)), 0, Time::ZERO);
    for number in 0..2 {
        path.enqueue(Time::ZERO, Direction::Forward, Numbered { number, len: 1500 }).unwrap();
    }
    assert_eq!(path.next_event(), None);
    assert_eq!(path.poll(Time::from_nanos(1 << 62)), None);
    assert_eq!(path.held_packets(Direction::Forward), 2);
}

#[test]
fn the_mtu_itself_passes_and_one_byte_more_does_not() {
    let mut path = Path::new(&symmetric(pipe(1_000_000, Duration::ZERO)), 0, Time::ZERO);
    assert_eq!(path.enqueue(Time::ZERO, Direction::Forward, vec![0u8; 1500]), Ok(()));
    let refused = path.enqueue(Time::ZERO, Direction::Forward, vec![0u8; 1501]);
    assert_eq!(refused, Err((DropCause::Oversize, vec![0u8; 1501])));
}

fn serialization(direction: &DirectionSpec, len: u32) -> Duration {
    let CapacitySpec::Constant { rate_bps } = direction.capacity else { panic!("a constant rate") };
    let bit_nanos = u128::from(len) * 8 * 1_000_000_000;
    Duration::from_nanos(u64::try_from(bit_nanos.div_ceil(u128::from(rate_bps.as_bps()))).unwrap())
}
