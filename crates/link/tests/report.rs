//! What the report counts, from which instant to which, and in which bin.

use crate::common::*;
use bentpipe_link::{Direction, DropCause, Path};
use bentpipe_link::{DirectionSpec, LinkReport, LossSpec, QueueSpec};
use bentpipe_units::{Bytes, Duration, Time};
use proptest::prelude::*;

const fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

/// 12 Mbit/s and 50 ms: a packet of 1500 bytes takes 1 ms and arrives 51 ms after its start.
fn path() -> Path<Numbered> {
    Path::new(&symmetric(pipe(12_000_000, Duration::from_millis(50))), 0, Time::ZERO)
}

fn enqueue(path: &mut Path<Numbered>, at: Time, count: usize) {
    for number in 0..count {
        path.enqueue(at, Direction::Forward, Numbered { number, len: 1500 }).unwrap();
    }
}

fn settled_report(path: &mut Path<Numbered>, now: Time) -> LinkReport {
    while path.poll(now).is_some() {}
    path.report(now)
}

#[test]
fn the_mean_queue_weights_each_length_with_its_time() {
    let mut path = path();
    enqueue(&mut path, ms(0), 4);
    let report = settled_report(&mut path, ms(10));
    // Three packets wait for 1 ms, two for another, one for another, none for 7 ms.
    assert_eq!(report.forward.queue_mean_bytes, 1500.0 * (3.0 + 2.0 + 1.0) / 10.0);
    assert_eq!(report.forward.queue_max_bytes, Bytes::new(3 * 1500));
    assert_eq!(report.return_.queue_max_bytes, Bytes::ZERO);
}

proptest! {
    #[test]
    fn the_mean_queue_is_littles_law(offers in any_offers(), direction in any_direction(), seed: u64) {
        // Waiting bytes integrated over time equal each packet's length times its wait. Without loss, jitter and
        // propagation its wait is its delivery, less its transmission, less its arrival; a rate that divides the
        // billion makes every transmission a whole number of nanoseconds. What the queue drops waits until then.
        let rate_bps = 1_000_000;
        let direction = DirectionSpec { queue: direction.queue, ..pipe(rate_bps, Duration::ZERO) };
        let mut path = Path::new(&symmetric(direction), seed, Time::ZERO);
        let outcome = punctually(&mut path, &offers);
        let end = Time::from_nanos(100_000_000_000);
        let report = path.report(end);
        for (direction, counted) in [(Direction::Forward, &report.forward), (Direction::Return, &report.return_)] {
            let delivered = deliveries(&outcome, direction).into_iter().map(|(number, due)| (number, due, 8_000));
            let dropped = losses(&outcome, direction, DropCause::Queue).into_iter().map(|(number, at)| (number, at, 0));
            let byte_nanos: u128 = delivered
                .chain(dropped)
                .map(|(number, end, nanos_per_byte)| {
                    let len = u64::from(offers[number].len);
                    let wait = end.since(offers[number].at).as_nanos() - len * nanos_per_byte;
                    u128::from(len) * u128::from(wait)
                })
                .sum();
            prop_assert_eq!(counted.queue_mean_bytes, byte_nanos as f64 / end.as_nanos() as f64);
        }
    }

    #[test]
    fn the_bins_add_up_to_the_counters(
        forward in any_direction(), return_ in any_direction(), offers in any_offers(), seed: u64,
    ) {
        let mut path = Path::new(&link(forward, return_), seed, Time::ZERO);
        let outcome = belatedly(&mut path, &offers);
        let end = outcome.events.iter().map(bentpipe_link::Event::at).max().unwrap_or(Time::ZERO);
        let report = path.report(end.max(offers[offers.len() - 1].at));
        for (direction, counted) in [("forward", &report.forward), ("return", &report.return_)] {
            let sum = |column: &str| report.series.column(&format!("{direction}_{column}")).iter().sum::<f64>();
            prop_assert_eq!(sum("sent_bytes"), counted.offered_bytes.get() as f64);
            prop_assert_eq!(sum("delivered_bytes"), counted.delivered_bytes.get() as f64);
            prop_assert_eq!(sum("drops"), counted.drops.total() as f64);
        }
    }
}

#[test]
fn bins_end_every_100_ms_and_the_last_one_at_the_report() {
    let mut path = path();
    let report = path.report(ms(250));
    assert_eq!(report.series.column("time_s"), [0.1, 0.2, 0.25]);
    assert_eq!(report.lateness, None);
}

#[test]
fn a_delivery_belongs_to_the_bin_in_which_it_was_due_however_late_it_was_polled() {
    // Due at 100 ms and a nanosecond later: bin ends are inclusive.
    for (offered_ns, bins) in [(49_000_000, [1500.0, 0.0, 0.0]), (49_000_001, [0.0, 1500.0, 0.0])] {
        let mut path = path();
        enqueue(&mut path, Time::from_nanos(offered_ns), 1);
        let report = settled_report(&mut path, ms(300));
        assert_eq!(report.series.column("forward_sent_bytes"), [1500.0, 0.0, 0.0]);
        assert_eq!(report.series.column("forward_delivered_bytes"), bins);
    }
}

#[test]
fn the_queue_column_is_the_queue_at_the_end_of_the_bin() {
    let mut path = path();
    // 151 packets: the first in transmission, 150 waiting, one fewer each millisecond.
    enqueue(&mut path, ms(0), 151);
    let report = settled_report(&mut path, ms(300));
    assert_eq!(report.series.column("forward_queue_bytes"), [50.0 * 1500.0, 0.0, 0.0]);
}

#[test]
fn drops_of_every_cause_are_counted_at_their_instant() {
    let lossy = DirectionSpec {
        queue: QueueSpec::Packets { limit_packets: 1 },
        loss: LossSpec::Bernoulli { p: 1.0 },
        ..pipe(12_000_000, Duration::from_millis(50))
    };
    let mut path = Path::new(&symmetric(lossy), 0, Time::ZERO);
    for len in [1500, 1500, 1500, 1501] {
        let _ = path.enqueue(ms(99), Direction::Forward, Numbered { number: 0, len });
    }
    let report = settled_report(&mut path, ms(200));
    let drops = report.forward.drops;
    assert_eq!((drops.channel, drops.queue, drops.oversize), (2, 1, 1));
    // The refusals at 99 ms, the losses as the transmissions end, at 100 and 101 ms.
    assert_eq!(report.series.column("forward_drops"), [3.0, 1.0]);
}

#[test]
fn a_mark_starts_counting_afresh_and_leaves_the_packets_where_they_are() {
    let mut path = path();
    enqueue(&mut path, ms(0), 10);
    // At 54.5 ms four packets have been delivered (51, 52, 53, 54 ms) and six are on their way.
    while path.poll(Time::from_nanos(54_500_000)).is_some() {}
    path.mark(Time::from_nanos(54_500_000));
    assert_eq!(path.held_packets(Direction::Forward), 6);
    let report = settled_report(&mut path, ms(254));
    assert_eq!(report.marked, Time::from_nanos(54_500_000));
    assert_eq!(report.forward.offered_packets, 0);
    assert_eq!(report.forward.delivered_packets, 6);
    assert_eq!(report.first_packets.first().map(|packet| packet.at), Some(ms(55)));
    assert_eq!(report.series.column("time_s"), [0.1545, 0.254]);
}

#[test]
fn a_delivery_that_was_due_before_the_mark_does_not_count_after_it() {
    let mut path = path();
    enqueue(&mut path, ms(0), 2);
    // Due at 51 and 52 ms, polled by neither.
    path.mark(ms(52));
    let report = settled_report(&mut path, ms(60));
    assert_eq!(report.forward.delivered_packets, 1);
    assert_eq!(report.first_packets.len(), 1);
}

#[test]
fn the_queue_at_the_mark_is_the_first_maximum() {
    let mut path = path();
    enqueue(&mut path, ms(0), 11);
    // At 5 ms six packets have started, five wait.
    path.mark(ms(5));
    let report = settled_report(&mut path, ms(15));
    assert_eq!(report.forward.queue_max_bytes, Bytes::new(5 * 1500));
    assert_eq!(report.forward.queue_mean_bytes, 1500.0 * (5.0 + 4.0 + 3.0 + 2.0 + 1.0) / 10.0);
}

#[test]
fn a_report_can_be_asked_for_again() {
    let mut path = path();
    enqueue(&mut path, ms(0), 100);
    let first = settled_report(&mut path, ms(130));
    assert_eq!(path.report(ms(130)), first);
    let second = settled_report(&mut path, ms(170));
    assert_eq!(second.forward.delivered_packets, 100);
}

#[test]
fn the_first_4096_forward_deliveries_are_listed() {
    let mut path = path();
    enqueue(&mut path, ms(0), 5_000);
    path.enqueue(ms(0), Direction::Return, Numbered { number: 0, len: 40 }).unwrap();
    let report = settled_report(&mut path, ms(6_000));
    assert_eq!(report.forward.delivered_packets, 5_000);
    assert_eq!(report.first_packets.len(), 4_096);
    for (packet, ordinal) in report.first_packets.iter().zip(1..) {
        assert_eq!((packet.at, packet.bytes), (ms(50 + ordinal), Bytes::new(1500)));
    }
}
