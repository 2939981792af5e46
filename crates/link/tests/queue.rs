//! Drop-tail by bytes, packets and time.

use crate::common::*;
use bentpipe_link::{Direction, DropCause, Path};
use bentpipe_link::{DirectionSpec, LinkSpec, QueueSpec};
use bentpipe_units::{Bytes, Duration, Time};
use proptest::prelude::*;

/// 12 Mbit/s: a packet of 1500 bytes takes 1 ms.
fn one_packet_per_ms(queue: QueueSpec) -> LinkSpec {
    symmetric(DirectionSpec { queue, ..pipe(12_000_000, Duration::ZERO) })
}

fn bytes(limit: u64) -> QueueSpec {
    QueueSpec::Bytes { limit_bytes: Bytes::new(limit) }
}

/// How many of 10 full packets that come at once are admitted.
fn admitted_of_a_burst(queue: QueueSpec) -> usize {
    let mut path = Path::new(&one_packet_per_ms(queue), 0, Time::ZERO);
    punctually(&mut path, &forward_offers([0; 10], 1500)).events.len()
}

#[test]
fn the_packet_in_transmission_does_not_count_as_waiting() {
    assert_eq!(admitted_of_a_burst(bytes(4500)), 1 + 3);
    assert_eq!(admitted_of_a_burst(QueueSpec::Packets { limit_packets: 3 }), 1 + 3);
}

#[test]
fn one_byte_short_of_a_packet_is_too_little_room() {
    assert_eq!(admitted_of_a_burst(bytes(4499)), 1 + 2);
}

#[test]
fn an_idle_transmitter_takes_a_packet_even_when_there_is_no_queue() {
    assert_eq!(admitted_of_a_burst(bytes(0)), 1);
    assert_eq!(admitted_of_a_burst(QueueSpec::Packets { limit_packets: 0 }), 1);
    assert_eq!(admitted_of_a_burst(QueueSpec::Time { limit_ns: Duration::ZERO }), 1);
}

#[test]
fn a_packet_may_wait_as_long_as_the_limit_and_no_longer() {
    // The second packet waits 1 ms, the third 2 ms, ...
    assert_eq!(admitted_of_a_burst(QueueSpec::Time { limit_ns: Duration::from_millis(3) }), 1 + 3);
    assert_eq!(admitted_of_a_burst(QueueSpec::Time { limit_ns: Duration::from_nanos(2_999_999) }), 1 + 2);
}

#[test]
fn a_refused_packet_comes_back_with_its_cause() {
    let mut path = Path::new(&one_packet_per_ms(bytes(0)), 0, Time::ZERO);
    assert_eq!(path.enqueue(Time::ZERO, Direction::Forward, vec![1u8; 1500]), Ok(()));
    let refused = path.enqueue(Time::ZERO, Direction::Forward, vec![2u8; 1500]);
    assert_eq!(refused, Err((DropCause::Queue, vec![2u8; 1500])));
    assert_eq!(path.report(Time::ZERO).forward.drops.queue, 1);
}

#[test]
fn a_short_packet_may_fit_where_a_long_one_did_not() {
    let mut path = Path::new(&one_packet_per_ms(bytes(2000)), 0, Time::ZERO);
    let offers = [(1500, true), (1500, true), (501, false), (500, true), (1, false)];
    for (len, fits) in offers {
        let accepted = path.enqueue(Time::ZERO, Direction::Forward, vec![0u8; len]).is_ok();
        assert_eq!(accepted, fits, "{len} bytes");
    }
}

#[test]
fn a_packet_that_comes_as_a_transmission_starts_finds_the_transmitted_packet_waiting() {
    // Room for one packet: the second waits until 1 ms, when the third comes, or 10 ns after that.
    let admits = |ns: u64| {
        let mut path = Path::new(&one_packet_per_ms(bytes(1500)), 0, Time::ZERO);
        let at = [0, 0, 1_000_000 + ns].map(|ns| Time::ZERO + Duration::from_nanos(ns));
        at.map(|at| path.enqueue(at, Direction::Forward, vec![0u8; 1500]).is_ok())[2]
    };
    assert_eq!([0, 9, 10].map(admits), [false, false, true]);
}

/// The drop-tail rule written out over the whole history: exact finish times in units of 1/rate ns, and for
/// each arrival the packets that have not started 10 ns before.
fn refused_by_rule(offers: &[Offer], rate_bps: u64, queue: &QueueSpec) -> Vec<usize> {
    let rate = u128::from(rate_bps);
    let mut accepted: Vec<(u64, u64)> = Vec::new(); // start in ns or, without a wait, 0; bytes
    let mut finish = 0u128;
    let mut refused = Vec::new();
    for (number, offer) in offers.iter().enumerate() {
        let now = offer.at.as_nanos();
        let start = u64::try_from(finish.div_ceil(rate)).unwrap().max(now);
        let waiting = accepted.iter().filter(|(start, _)| *start > 0 && start + 10 > now);
        let (packets, bytes) = waiting.fold((0, 0), |(n, sum), (_, bytes)| (n + 1, sum + bytes));
        let fits = match queue {
            QueueSpec::Bytes { limit_bytes } => bytes + u64::from(offer.len) <= limit_bytes.get(),
            QueueSpec::Packets { limit_packets } => packets < *limit_packets,
            QueueSpec::Time { limit_ns } => start - now <= limit_ns.as_nanos(),
            QueueSpec::RandomEarlyDrop { .. } | QueueSpec::Codel { .. } | QueueSpec::Dualpi2(_) => {
                unreachable!("not drop-tail")
            }
        };
        if start == now || fits {
            let arrival = u128::from(now) * rate;
            finish = arrival.max(finish) + u128::from(offer.len) * 8_000_000_000;
            accepted.push((if start > now { start } else { 0 }, u64::from(offer.len)));
        } else {
            refused.push(number);
        }
    }
    refused
}

proptest! {
    #[test]
    fn exactly_those_packets_are_refused_that_the_rule_refuses(
        offers in any_offers(), queue in any_drop_tail(), rate_bps in 10_000..100_000_000u64,
    ) {
        let offers: Vec<Offer> = offers
            .into_iter()
            .map(|offer| Offer { direction: Direction::Forward, len: offer.len.clamp(1, MTU), ..offer })
            .collect();
        let spec = symmetric(DirectionSpec { queue: queue.clone(), ..pipe(rate_bps, Duration::ZERO) });
        let outcome = punctually(&mut Path::new(&spec, 0, Time::ZERO), &offers);
        prop_assert_eq!(outcome.refused, refused_by_rule(&offers, rate_bps, &queue));
    }
}
