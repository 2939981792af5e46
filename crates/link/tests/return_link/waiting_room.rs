//! The queue of the terminal has the disciplines of all others.

use bentpipe_link::{Direction, DropCause, nominal_rate};
use bentpipe_link::{LinkSpec, QueueSpec};
use bentpipe_units::{Bytes, Duration, Switch, Time};

use super::specs::*;
use crate::common::*;

/// A terminal that has all slots of the carrier.
fn with_queue(queue: QueueSpec) -> LinkSpec {
    let mut spec = geo(alone(cra(u64::from(SLOTS))));
    spec.return_.queue = queue;
    spec
}

/// A packet of 1000 bytes every millisecond, for ten seconds: six times what the link carries.
fn flood() -> Vec<Offer> {
    (0..10_000).map(|i| offer(ms(i), 1000)).collect()
}

#[test]
fn a_saturated_link_carries_its_nominal_rate() {
    let spec = with_queue(QueueSpec::Packets { limit_packets: 100 });
    let mut path = path(&spec, 1);
    for number in 0..40_000 {
        // 2.4 Mbit/s, nearly twice what there is.
        let now = ms(5 * number);
        if now == ms(10_000) {
            path.mark(now);
        }
        let _ = path.enqueue(now, Direction::Return, Numbered { number: number as usize, len: MTU });
        while path.poll(now).is_some() {}
    }
    while path.poll(ms(200_000)).is_some() {}
    let nominal = nominal_rate(&spec.return_.capacity, Bytes::new(u64::from(MTU))).unwrap();
    let carried = path.report(ms(200_000)).return_.delivered_bytes.bits() as f64 / 190.0;
    // A packet more or less at either end is one part in 10 000.
    assert!((carried / nominal.as_bps() as f64 - 1.0).abs() < 2e-4, "{carried} of {nominal}");
}

#[test]
fn at_most_so_many_packets_wait() {
    let spec = with_queue(QueueSpec::Packets { limit_packets: 10 });
    let mut path = path(&spec, 1);
    punctually(&mut path, &flood());
    let report = path.report(ms(20_000));
    assert_eq!(report.return_.queue_max_bytes, Bytes::new(10_000));
    assert!(report.return_.drops.queue > 8_000);
}

#[test]
fn no_packet_waits_longer_than_the_limit_in_time_and_some_wait_nearly_as_long() {
    let limit = Duration::from_millis(200);
    let spec = with_queue(QueueSpec::Time { limit_ns: limit });
    let offers = flood();
    let outcome = punctually(&mut path(&spec, 1), &offers);
    let waits = deliveries(&outcome, Direction::Return);
    let longest = waits.iter().map(|(number, at)| at.since(offers[*number].at)).max().unwrap();
    // The estimate counts the least that bursts carry, 91 of 96 bytes; a packet takes twelve slots itself.
    let most = limit + HOP + PITCH * 12 + SUPERFRAME;
    assert!(longest <= most, "{longest}");
    assert!(longest >= limit.mul_f64(0.9) + HOP, "{longest}");
}

#[test]
fn codel_keeps_the_wait_near_its_target() {
    let queue = |limit_bytes| QueueSpec::Codel {
        limit_bytes,
        target_ns: Duration::from_millis(50),
        interval_ns: Duration::from_millis(500),
        ecn: Switch::Off,
    };
    let room = Bytes::new(10_000_000);
    // A tenth more than the link carries, so that drops suffice.
    let offers: Vec<_> = (0..4_000).map(|i| offer(Time::from_nanos(i * 5_600_000), 1000)).collect();
    let [tail, codel] = [QueueSpec::Bytes { limit_bytes: room }, queue(room)].map(|queue| {
        let outcome = punctually(&mut path(&with_queue(queue), 1), &offers);
        let dropped = losses(&outcome, Direction::Return, DropCause::Queue).len();
        let last = deliveries(&outcome, Direction::Return).into_iter().rev().take(500);
        let waits = last.map(|(number, at)| at.since(offers[number].at + HOP).as_secs_f64());
        (dropped, waits.sum::<f64>() / 500.0)
    });
    assert_eq!(tail.0, 0);
    assert!(codel.0 > 0 && codel.1 < tail.1 / 4.0, "{codel:?} {tail:?}");
}

#[test]
fn random_early_drop_starts_above_its_start() {
    let queue = QueueSpec::RandomEarlyDrop {
        limit_bytes: Bytes::new(100_000),
        start_bytes: Bytes::new(50_000),
        p: 1.0,
    };
    let mut path = path(&with_queue(queue), 1);
    let outcome = punctually(&mut path, &flood());
    // The queue grows by some 840 of each 1000 bytes: the first sixty packets or so find less than 50 kB.
    assert!(outcome.refused[0] > 55 && outcome.refused[0] < 90, "{}", outcome.refused[0]);
    assert!(path.report(ms(20_000)).return_.queue_max_bytes < Bytes::new(100_000));
}
