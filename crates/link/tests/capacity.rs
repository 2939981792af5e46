//! The constant-rate transmitter against closed forms in exact integers.

use crate::common::*;
use bentpipe_link::{Direction, Event, Path};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

const NANOS_PER_SEC: u128 = 1_000_000_000;
const DELAY: Duration = Duration::from_millis(250);

/// Lindley's recursion in units of 1/rate nanoseconds, where everything is a whole number:
/// F(i) = max(A(i), F(i-1)) + L(i), rounded up to a nanosecond only to be read.
fn lindley(offers: &[Offer], rate_bps: u64) -> Vec<Time> {
    let rate = u128::from(rate_bps);
    let mut finish = 0;
    let mut next = |offer: &Offer| {
        let arrival = u128::from(offer.at.as_nanos()) * rate;
        finish = arrival.max(finish) + u128::from(offer.len) * 8 * NANOS_PER_SEC;
        Time::from_nanos(u64::try_from(finish.div_ceil(rate)).unwrap()) + DELAY
    };
    offers.iter().map(&mut next).collect()
}

fn forward_traffic() -> impl Strategy<Value = Vec<Offer>> {
    any_offers().prop_map(|mut offers| {
        for offer in &mut offers {
            offer.direction = Direction::Forward;
            offer.len = offer.len.min(MTU);
        }
        offers
    })
}

proptest! {
    #[test]
    fn departures_are_exactly_those_of_a_work_conserving_server(
        offers in forward_traffic(), rate_bps in 10_000..10_000_000_000u64,
    ) {
        let mut path = Path::new(&symmetric(pipe(rate_bps, DELAY)), 0, Time::ZERO);
        let outcome = punctually(&mut path, &offers);
        let due: Vec<Time> = outcome.events.iter().map(Event::at).collect();
        prop_assert_eq!(due, lindley(&offers, rate_bps));
    }

    #[test]
    fn no_window_passes_more_than_the_rate_allows(
        offers in forward_traffic(), rate_bps in 10_000..10_000_000_000u64,
    ) {
        let mut path = Path::new(&symmetric(pipe(rate_bps, DELAY)), 0, Time::ZERO);
        let outcome = punctually(&mut path, &offers);
        let delivered = deliveries(&outcome, Direction::Forward);
        for from in 0..delivered.len() {
            let mut bits = 0;
            for to in from + 1..delivered.len() {
                bits += u128::from(offers[delivered[to].0].len) * 8;
                // One nanosecond more, because the window's ends are both rounded up.
                let window = u128::from(delivered[to].1.since(delivered[from].1).as_nanos()) + 1;
                prop_assert!(bits * NANOS_PER_SEC < u128::from(rate_bps) * window || bits == 0);
            }
        }
    }
}

#[test]
fn a_saturated_link_keeps_the_closed_form_to_the_nanosecond_over_a_million_packets() {
    // A rate at which hardly any packet takes a whole number of nanoseconds.
    let rate_bps = 9_999_991;
    let start = Time::from_nanos(123_456_789);
    let mut path = Path::new(&symmetric(pipe(rate_bps, DELAY)), 0, start);
    // 40 to 1500 bytes, scattered by a multiplicative hash (Knuth).
    let len = |number: usize| 40 + (number as u32).wrapping_mul(2_654_435_761) % 1461;
    let mut numbers = 0..1_000_000;
    let mut offer = |path: &mut Path<Numbered>, now: Time| {
        if let Some(number) = numbers.next() {
            path.enqueue(now, Direction::Forward, Numbered { number, len: len(number) }).unwrap();
        }
    };
    // A thousand packets inside: about 770 kB, of which the propagation holds 312 kB, so that the queue never empties.
    for _ in 0..1_000 {
        offer(&mut path, start);
    }
    let mut sent_bits = 0;
    let mut delivered = 0;
    while let Some(event) = path.next_event().and_then(|next| path.poll(next)) {
        offer(&mut path, event.at());
        sent_bits += u128::from(len(delivered)) * 8;
        let span = (sent_bits * NANOS_PER_SEC).div_ceil(u128::from(rate_bps));
        let due = start + Duration::from_nanos(u64::try_from(span).unwrap()) + DELAY;
        let packet = Numbered { number: delivered, len: len(delivered) };
        assert_eq!(event, Event::Delivered { direction: Direction::Forward, due, packet });
        delivered += 1;
    }
    assert_eq!(delivered, 1_000_000);
}

#[test]
fn a_packet_that_comes_as_the_last_one_leaves_starts_a_busy_period_of_its_own() {
    // 1 byte at 3 bit/s takes 2 666 666 666.67 ns, so the transmitter is free at ...667; a packet that comes then
    // cannot have started the third of a nanosecond earlier.
    let mut path = Path::new(&symmetric(pipe(3, Duration::ZERO)), 0, Time::ZERO);
    let outcome = punctually(&mut path, &forward_offers([0, 2_666_666_667, 5_333_333_334], 1));
    let due: Vec<u64> = outcome.events.iter().map(|event| event.at().as_nanos()).collect();
    assert_eq!(due, [2_666_666_667, 5_333_333_334, 8_000_000_001]);
}

#[test]
fn waiting_packets_share_one_rounding() {
    // As above, but waiting: 2 bytes at 3 bit/s are 5 333 333 333.33 ns, 3 bytes are 8 s.
    let mut path = Path::new(&symmetric(pipe(3, Duration::ZERO)), 0, Time::ZERO);
    let outcome = punctually(&mut path, &forward_offers([0, 0, 0], 1));
    let due: Vec<u64> = outcome.events.iter().map(|event| event.at().as_nanos()).collect();
    assert_eq!(due, [2_666_666_667, 5_333_333_334, 8_000_000_000]);
}
