//! CoDel against RFC 8289: its pseudo-code written out over the whole history, and the numbers of its control law.

use std::collections::VecDeque;

use crate::common::*;
use bentpipe_link::{Direction, DropCause, Path};
use bentpipe_link::{DirectionSpec, LinkSpec, QueueSpec};
use bentpipe_units::{Bytes, Duration, Switch, Time};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
/// A packet of 1500 bytes takes 1 ms.
const RATE_BPS: u64 = 12_000_000;
const TARGET: u64 = 5 * MS;
const INTERVAL: u64 = 100 * MS;
const NO_LIMIT: u64 = u64::MAX / 16;

fn codel(target_ns: u64, interval_ns: u64, limit: u64) -> LinkSpec {
    let queue = QueueSpec::Codel {
        limit_bytes: Bytes::new(limit),
        target_ns: Duration::from_nanos(target_ns),
        interval_ns: Duration::from_nanos(interval_ns),
        ecn: Switch::Off,
    };
    symmetric(DirectionSpec { queue, ..pipe(RATE_BPS, Duration::ZERO) })
}

/// Instants, in ns, at which CoDel dropped packets of the forward direction, with their numbers.
fn drops(spec: &LinkSpec, offers: &[Offer]) -> Vec<(usize, u64)> {
    let outcome = punctually(&mut Path::new(spec, 0, Time::ZERO), offers);
    let drops = losses(&outcome, Direction::Forward, DropCause::Queue);
    drops.into_iter().map(|(number, at)| (number, at.as_nanos())).collect()
}

/// `queue_t` and `codel_queue_t` of RFC 8289 sections 5.3 to 5.6, word for word; times in ns.
#[derive(Default)]
struct Rfc8289 {
    packets: VecDeque<(usize, u64, u64)>, // number, tstamp, bytes
    bytes: u64,
    first_above_time: u64,
    drop_next: u64,
    count: u32,
    lastcount: u32,
    dropping: bool,
    interval: u64,
    target: u64,
    maxpacket: u64,
    dropped: Vec<(usize, u64)>,
}

impl Rfc8289 {
    fn control_law(&self, t: u64, count: u32) -> u64 {
        t + (self.interval as f64 / f64::from(count).sqrt()).round() as u64
    }

    fn dodequeue(&mut self, now: u64) -> (Option<(usize, u64, u64)>, bool) {
        let mut ok_to_drop = false;
        let Some(packet) = self.packets.pop_front() else {
            self.first_above_time = 0;
            return (None, false);
        };
        self.bytes -= packet.2;
        let sojourn_time = now - packet.1;
        if sojourn_time < self.target || self.bytes <= self.maxpacket {
            self.first_above_time = 0;
        } else if self.first_above_time == 0 {
            self.first_above_time = now + self.interval;
        } else if now >= self.first_above_time {
            ok_to_drop = true;
        }
        (Some(packet), ok_to_drop)
    }

    fn dequeue(&mut self, now: u64) -> Option<(usize, u64, u64)> {
        let (mut p, mut ok_to_drop) = self.dodequeue(now);
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while now >= self.drop_next && self.dropping {
                self.dropped.extend(p.map(|(number, ..)| (number, now)));
                self.count += 1;
                (p, ok_to_drop) = self.dodequeue(now);
                if !ok_to_drop {
                    self.dropping = false;
                } else {
                    self.drop_next = self.control_law(self.drop_next, self.count);
                }
            }
        } else if ok_to_drop {
            self.dropped.extend(p.map(|(number, ..)| (number, now)));
            (p, _) = self.dodequeue(now);
            self.dropping = true;
            let delta = self.count - self.lastcount;
            self.count = 1;
            if delta > 1 && (now as i64 - self.drop_next as i64) < 16 * self.interval as i64 {
                self.count = delta;
            }
            self.drop_next = self.control_law(now, self.count);
            self.lastcount = self.count;
        }
        p
    }

    /// Offers packets to an interface of `RATE_BPS` that takes one packet after the other out of the queue.
    fn drive(mut self, offers: &[Offer]) -> Vec<(usize, u64)> {
        let mut free_at = 0;
        for (number, offer) in offers.iter().enumerate() {
            let (now, bytes) = (offer.at.as_nanos(), u64::from(offer.len));
            self.serve(&mut free_at, now);
            self.packets.push_back((number, now, bytes));
            self.bytes += bytes;
            free_at = free_at.max(now);
        }
        self.serve(&mut free_at, u64::MAX);
        self.dropped
    }

    /// Every dequeue up to and at `now`; an interface that finds nothing asks again when a packet comes.
    fn serve(&mut self, free_at: &mut u64, now: u64) {
        while *free_at <= now && !self.packets.is_empty() {
            if let Some((_, _, bytes)) = self.dequeue(*free_at) {
                // 8 bits at 12 Mbit/s: 2000/3 ns per byte, whole for lengths that three divides.
                *free_at += bytes * 2_000 / 3;
            }
        }
    }
}

/// Full packets every `gap_ns` from `from` to `to`.
fn stream(from: u64, to: u64, gap_ns: u64) -> impl Iterator<Item = Offer> {
    let at = (from..to).step_by(usize::try_from(gap_ns).unwrap());
    at.map(|ns| Offer { at: Time::from_nanos(ns), direction: Direction::Forward, len: 1500 })
}

#[test]
fn successive_drops_are_an_interval_over_the_root_of_their_number_apart() {
    // Twice the rate: packet n, sent after n/2 ms, could leave after n ms, having waited for n/2.
    let offers: Vec<Offer> = stream(0, 900 * MS, MS / 2).collect();
    let found: Vec<u64> =
        drops(&codel(TARGET, INTERVAL, NO_LIMIT), &offers).iter().map(|(_, at)| at / MS).collect();
    // The wait reaches 5 ms at 10 ms and has been above for an interval at 110 ms: the first drop. Then
    // drop_next = 110 + 100 (1 + 1/sqrt 2 + 1/sqrt 3 + ...): 210, 280.7, 338.4, 388.4, 433.2, 473.99, 511.8, 547.1,
    // 580.5, 612.1, 642.2, 671.1; a packet leaves every whole ms.
    assert_eq!(found[..13], [110, 210, 281, 339, 389, 434, 474, 512, 548, 581, 613, 643, 672]);
}

#[test]
fn a_dropping_phase_soon_after_another_starts_at_its_rate_and_a_late_one_at_the_first() {
    let early = |pause_ms: u64| -> Vec<u64> {
        let second = (1_000 + pause_ms) * MS;
        let offers: Vec<Offer> =
            stream(0, 500 * MS, MS / 2).chain(stream(second, second + 900 * MS, MS / 2)).collect();
        let all = drops(&codel(TARGET, INTERVAL, NO_LIMIT), &offers);
        let later = all.iter().map(|(_, at)| at / MS).filter(|at| *at >= second / MS);
        later.map(|at| at - second / MS).collect()
    };
    // 16 intervals are 1.6 s after the last drop, which comes before 1 s.
    let (soon, late) = (early(200), early(3_000));
    assert_eq!(late[..4], [110, 210, 281, 339], "as if for the first time");
    assert_eq!(soon[0], late[0]);
    assert!(soon[1] - soon[0] < 50, "the rate of the phase before: {soon:?}");
}

#[test]
fn a_burst_that_drains_within_an_interval_is_no_reason_to_drop() {
    // Nine packets at once every 10 ms: the last one waits for 8 ms, but the first one for none.
    let bursts = (0..1000).flat_map(|burst| [burst * 10 * MS; 9]);
    let offers = forward_offers(bursts, 1500);
    assert_eq!(drops(&codel(TARGET, INTERVAL, NO_LIMIT), &offers), []);
}

#[test]
fn what_leaves_an_mtu_or_less_behind_is_never_dropped() {
    // Whatever the target: two packets every 2 ms, so that one waits while the other is sent.
    let offers = forward_offers((0..1000).flat_map(|pair| [pair * 2 * MS; 2]), 1500);
    assert_eq!(drops(&codel(0, 0, NO_LIMIT), &offers), []);
}

#[test]
fn the_limit_drops_on_arrival_what_codel_is_too_slow_for() {
    let offers: Vec<Offer> = stream(0, 100 * MS, MS / 10).collect();
    let mut path = Path::new(&codel(TARGET, INTERVAL, 30_000), 0, Time::ZERO);
    let outcome = punctually(&mut path, &offers);
    let report = path.report(Time::from_nanos(200 * MS));
    assert_eq!(report.forward.queue_max_bytes, Bytes::new(30_000));
    assert!(outcome.refused.len() > 800);
    let inside = losses(&outcome, Direction::Forward, DropCause::Queue).len();
    assert_eq!(report.forward.drops.queue as usize, outcome.refused.len() + inside, "both are the queue's");
}

#[test]
fn a_steady_overload_is_held_until_the_wait_is_about_the_target() {
    // A tenth too much for a minute: without CoDel the wait would grow to 6 s.
    let offers: Vec<Offer> = stream(0, 60_000 * MS, MS * 10 / 11).collect();
    let mut path = Path::new(&codel(TARGET, INTERVAL, NO_LIMIT), 0, Time::ZERO);
    let outcome = punctually(&mut path, &offers);
    let delivered = deliveries(&outcome, Direction::Forward);
    let last: Vec<u64> = delivered
        .iter()
        .filter(|(number, _)| offers[*number].at.as_nanos() > 30_000 * MS)
        .map(|(number, due)| due.since(offers[*number].at).as_nanos() / MS)
        .collect();
    assert!(last.iter().all(|wait_ms| *wait_ms < 60), "at most {:?} ms", last.iter().max());
}

/// Bursts and pauses around the rate of the link, with lengths of a whole number of ns at it.
fn any_load() -> impl Strategy<Value = Vec<Offer>> {
    let phase = (1..400u64, prop_oneof![100_000..2_000_000u64, Just(0)], 0..800 * MS, 1..=500u32);
    prop::collection::vec(phase, 1..8).prop_map(|phases| {
        let mut at = 0;
        let mut offers = Vec::new();
        for (packets, gap, pause, thirds) in phases {
            for _ in 0..packets {
                offers.push(Offer {
                    at: Time::from_nanos(at),
                    direction: Direction::Forward,
                    len: thirds * 3,
                });
                at += gap;
            }
            at += pause;
        }
        offers
    })
}

proptest! {
    #[test]
    fn exactly_those_packets_are_dropped_that_the_pseudo_code_drops(
        offers in any_load(), target in 0..10 * MS, interval in 1..150 * MS,
    ) {
        // The packet in transmission was in the RFC's queue and has left it, as it has ours.
        let rfc = Rfc8289 { interval, target, maxpacket: u64::from(MTU), ..Rfc8289::default() };
        prop_assert_eq!(drops(&codel(target, interval, NO_LIMIT), &offers), rfc.drive(&offers));
    }
}
