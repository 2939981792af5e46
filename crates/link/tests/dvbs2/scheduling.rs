//! A scheduler that fills frames in steps, as OpenSAND's does.

use bentpipe_link::dvbs2::{Carrier, FecFrameSpec, PilotsSpec, Scheduling};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

use super::carrier::*;

const MS: u64 = 1_000_000;
/// OpenSAND's `fwd_timer`.
const PERIOD: Duration = Duration::from_millis(10);

/// Short frames of QPSK 1/4, 8370 - 180 = 8190 symbols, at 10 Msymbol/s: 819 us each, and 374 bytes of data field.
fn stepwise(phase_ms: u64) -> Carrier {
    let mut carrier = ccm("QPSK 1/4", 10_000_000, Duration::ZERO);
    carrier.streams = vec![plframe("QPSK 1/4", FecFrameSpec::Short, PilotsSpec::Off)];
    Carrier {
        scheduling: Some(Scheduling { period: PERIOD, phase: Duration::from_millis(phase_ms) }),
        ..carrier
    }
}

fn offers(instants: impl IntoIterator<Item = u64>, len: u32) -> Vec<Offer> {
    instants.into_iter().map(|ns| Offer { at: Time::from_nanos(ns), stream: 0, len }).collect()
}

fn starts(sent: &[Sent]) -> Vec<u64> {
    sent.iter().map(|(frame, _)| frame.start.as_nanos()).collect()
}

fn any_scheduled_carrier(streams: std::ops::Range<usize>) -> impl Strategy<Value = Carrier> {
    let period = prop_oneof![1..100_000u64, 1_000_000..100_000_000u64];
    (any_carrier(streams), period, 0.0..1.0f64).prop_map(|(carrier, period, share)| {
        let phase = Duration::from_nanos((share * period as f64) as u64);
        let period = Duration::from_nanos(period);
        Carrier { scheduling: Some(Scheduling { period, phase }), ..carrier }
    })
}

/// The step at or before an instant that is not before the first.
fn step_of(carrier: &Carrier, at: Time) -> Time {
    let Scheduling { period, phase } = carrier.scheduling.expect("steps");
    let first = Time::ZERO + phase;
    first + Duration::from_nanos(at.since(first).as_nanos() / period.as_nanos() * period.as_nanos())
}

#[test]
fn a_packet_waits_for_the_next_step() {
    let sent = punctually(&stepwise(3), &offers([0, 3 * MS, 13 * MS + 1, 40 * MS], 100));
    // Steps at 3, 13, 23, 33 and 43 ms; what comes at the instant of a step is too late for it.
    assert_eq!(starts(&sent), [3 * MS, 13 * MS, 23 * MS, 43 * MS]);
}

#[test]
fn frames_of_a_step_follow_each_other_and_later_packets_are_in_none_of_them() {
    // Two packets of 360 bytes fill a frame each; the third comes while the first frame is on air.
    let sent = punctually(&stepwise(0), &offers([MS, MS, 10 * MS + 1_000], 360));
    assert_eq!(starts(&sent), [10 * MS, 10 * MS + 819_000, 20 * MS]);
}

#[test]
fn a_period_that_holds_no_whole_number_of_frames_wastes_nothing() {
    // 12.2 frames a period: the last that starts in it goes on in the next. 374 - 4 bytes fill a frame.
    let sent = punctually(&stepwise(0), &offers(vec![MS; 1_000], 370));
    let back_to_back: Vec<u64> = (0..1_000).map(|frame| 10 * MS + frame * 819_000).collect();
    assert_eq!(starts(&sent), back_to_back);
}

#[test]
fn a_frame_may_last_for_longer_than_a_period() {
    let mut carrier = stepwise(0);
    carrier.streams = ccm("QPSK 1/4", 1, Duration::ZERO).streams;
    carrier.symbol_rate = ccm("QPSK 1/4", 1_000_000, Duration::ZERO).symbol_rate;
    let sent = punctually(&carrier, &offers([MS, 15 * MS, 41 * MS], 1_980));
    // 32.49 ms each: the second follows the first, whose last period begins at 40 ms. What comes in it waits for the end
    // of the second.
    assert_eq!(starts(&sent), [10 * MS, 42_490_000, 74_980_000]);
}

#[test]
fn the_mean_wait_is_half_a_period() {
    // One packet in each period, at each of its 10 000 microseconds once.
    let instants: Vec<u64> = (0..10_000).map(|number| number * 10 * MS + number * 1_000 + 500).collect();
    let sent = punctually(&stepwise(0), &offers(instants.iter().copied(), 100));
    let waits: u64 = starts(&sent).iter().zip(&instants).map(|(start, at)| start - at).sum();
    assert_eq!(waits / 10_000, PERIOD.as_nanos() / 2);
}

proptest! {
    #[test]
    fn every_packet_is_completed_once_in_order_and_was_there_at_the_step(
        carrier in any_scheduled_carrier(1..4), offers in any_offers(3),
    ) {
        let offers: Vec<Offer> = offers.into_iter().filter(|offer| offer.stream < carrier.streams.len()).collect();
        let sent = punctually(&carrier, &offers);
        for stream in 0..carrier.streams.len() {
            let of_stream = sent.iter().filter(|(frame, _)| frame.stream == stream);
            let completed: Vec<usize> = of_stream.flat_map(|(_, numbers)| numbers).copied().collect();
            let offered: Vec<usize> = (0..offers.len()).filter(|number| offers[*number].stream == stream).collect();
            prop_assert_eq!(completed, offered);
        }
        for (frame, numbers) in &sent {
            let step = step_of(&carrier, frame.start);
            prop_assert!(numbers.iter().all(|number| offers[*number].at <= step));
        }
    }

    #[test]
    fn frames_do_not_overlap_and_a_carrier_with_a_frame_due_does_not_pause(
        carrier in any_scheduled_carrier(1..4), offers in any_offers(1),
    ) {
        let mut free = Time::ZERO;
        for (frame, _) in punctually(&carrier, &offers) {
            prop_assert!(frame.start >= free);
            let pauses = frame.start > free && frame.dummies == 0;
            prop_assert!(!pauses || frame.start == step_of(&carrier, frame.start), "pauses end at a step");
            free = frame.end;
        }
    }

    #[test]
    fn polling_late_changes_no_frame(
        carrier in any_scheduled_carrier(3..4), offers in any_offers(3), changes in any_changes(),
    ) {
        let link = || Link::new(&carrier);
        let punctual = punctually_in(link(), &offers, &changes);
        prop_assert_eq!(punctual, belatedly_in(link(), &offers, &changes));
    }

    #[test]
    fn nothing_leaves_the_queue_before_next_start(carrier in any_scheduled_carrier(3..4), offers in any_offers(3)) {
        let mut link = Link::new(&carrier);
        for (number, offer) in offers.iter().enumerate() {
            link.poll(offer.at);
            link.offer(number, offer);
        }
        while let Some(start) = link.next_start() {
            let before = (link.sent.len(), link.transmitter.open_packets());
            link.poll(Time::from_nanos(start.as_nanos() - 1));
            prop_assert_eq!((link.sent.len(), link.transmitter.open_packets()), before);
            prop_assert_eq!(link.next_start(), Some(start));
            link.poll(start);
            prop_assert!(link.next_start().is_none_or(|later| later > start));
        }
    }
}
