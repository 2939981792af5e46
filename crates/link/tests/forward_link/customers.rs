//! Other customers on a forward carrier: what they leave of it, and what they take.

use bentpipe_link::{CapacitySpec, Direction};
use bentpipe_link::{CustomerSpec, Dvbs2Spec, FecFrameSpec, LoadSpec, QueueSpec, check, nominal_rate};
use bentpipe_units::{Bytes, Duration, Rate, Time};

use super::rig::*;

/// Short frames of 16APSK 2/3 at 10 Msymbol/s, 21 Mbit/s, without frame errors.
fn carrier(background: Vec<CustomerSpec>) -> Dvbs2Spec {
    let mut carrier = Dvbs2Spec {
        symbols_per_s: 10_000_000,
        fecframe: FecFrameSpec::Short,
        background: Some(background),
        ..ccm("16APSK 2/3")
    };
    carrier.es_n0.down.clear_sky_db = 100.0;
    carrier
}

fn customer(rate_bps: u64, packet_bytes: u64) -> CustomerSpec {
    let (rate_bps, packet_bytes) = (Rate::from_bps(rate_bps), Bytes::new(packet_bytes));
    CustomerSpec { limit_bytes: Bytes::new(150_000), load: LoadSpec::Poisson { rate_bps, packet_bytes } }
}

fn nominal_bps(carrier: &Dvbs2Spec) -> f64 {
    nominal_rate(&CapacitySpec::Dvbs2(Box::new(carrier.clone())), Bytes::new(1_500)).unwrap().as_bps() as f64
}

/// Bits per second of full packets that always wait, over 20 s.
fn backlogged_bps(carrier: &Dvbs2Spec) -> f64 {
    let (outcome, _) = saturated(carrier.clone(), ms(20_000));
    outcome.delivered().len() as f64 * 12_000.0 / (20.0 - DELAY.as_secs_f64())
}

#[test]
fn whoever_always_has_packets_gets_one_share_of_those_who_always_have_some() {
    for others in [1, 3, 9] {
        // Each of them offers as much as the carrier holds.
        let carrier = carrier(vec![customer(21_000_000, 1_500); others]);
        let expected = nominal_bps(&carrier) / (others + 1) as f64;
        let found = backlogged_bps(&carrier);
        assert!((found / expected - 1.0).abs() < 0.01, "{others} others: {found} for {expected} bit/s");
    }
}

#[test]
fn shares_are_of_bytes_however_short_the_packets_of_others_are() {
    // Of packets of 250 bytes in 254 a carrier holds 1.3 % less than of 1500 in 1504; fragments likewise.
    let carrier = carrier(vec![customer(30_000_000, 250)]);
    let (found, expected) = (backlogged_bps(&carrier), nominal_bps(&carrier) / 2.0);
    assert!((found / expected - 1.0).abs() < 0.02, "{found} for {expected} bit/s");
}

#[test]
fn what_others_do_not_take_is_left() {
    // Three with 2 Mbit/s each, which is less than a share.
    let carrier = carrier(vec![customer(2_000_000, 1_500); 3]);
    let (found, expected) = (backlogged_bps(&carrier), nominal_bps(&carrier) - 6e6);
    // Their number of packets in 20 s, 10 000, has a standard deviation of 100: 60 kbit/s.
    assert!((found - expected).abs() < 5.0 * 60e3, "{found} for {expected} bit/s");
}

#[test]
fn a_lone_packet_lets_one_of_each_go_before() {
    let carrier = carrier(vec![customer(21_000_000, 1_500); 9]);
    let offers: Vec<Offer> =
        (1..=100).map(|number| Offer { at: ms(number * 250), len: 1_500, dscp: 0 }).collect();
    let outcome = punctually(&mut path(&link(carrier, endless()), 1), &offers);
    for (number, at) in outcome.delivered() {
        let took = at.since(offers[number].at + DELAY);
        // The frame on air, nine packets and its own in frames of 1319 bytes, a part of it in one more: 414 us each.
        assert!(took <= Duration::from_micros(414) * 14, "{took}");
    }
}

#[test]
fn urgent_classes_go_before_others() {
    let classes = vec![class("voice", EF)];
    let carrier = Dvbs2Spec { classes, ..carrier(vec![customer(21_000_000, 1_500); 9]) };
    let offers: Vec<Offer> =
        (1..=100).map(|number| Offer { at: ms(number * 250), len: 200, dscp: EF }).collect();
    let outcome = punctually(&mut path(&link(carrier, endless()), 1), &offers);
    for (number, at) in outcome.delivered() {
        // The frame on air, then one that holds what is left of a packet begun, or the one after.
        assert!(at.since(offers[number].at + DELAY) <= Duration::from_micros(414) * 4);
    }
}

#[test]
fn nobody_is_woken_for_packets_of_others() {
    let mut path = path(&link(carrier(vec![customer(5_000_000, 1_500); 3]), endless()), 1);
    assert_eq!(path.next_event(), None);
    path.enqueue(ms(1_000), Direction::Forward, Marked { number: 0, len: 100, dscp: 0 }).unwrap();
    while let Some(next) = path.next_event() {
        while path.poll(next).is_some() {}
    }
    assert_eq!(path.held_packets(Direction::Forward), 0);
    // But they were there: some 1250 packets of 1500 bytes in the first second, in frames of 1319.
    let frames: f64 = path.report(ms(2_000)).probes["acm"].column("frames").iter().sum();
    assert!((1_000.0..5_000.0).contains(&frames), "{frames} frames in 2 s");
}

#[test]
fn customers_who_cannot_be_are_refused() {
    let refused = |customer| check(&link(carrier(vec![customer]), endless())).unwrap_err().to_string();
    let place = "forward.capacity.background[0]";
    assert_eq!(
        refused(customer(1_000_000, 1_501)),
        format!("{place}: expected packets of at most 1500 bytes, the link's MTU, found 1501")
    );
    assert_eq!(
        refused(customer(1_000_000, 0)),
        format!("{place}: expected packets of at least one byte, found an empty one")
    );
    let tight = CustomerSpec { limit_bytes: Bytes::new(1_499), ..customer(1_000_000, 1_500) };
    assert!(refused(tight).starts_with(&format!("{place}.limit_bytes: expected 1500 at least")));
}

#[test]
fn a_wait_that_is_limited_counts_the_turns_of_others() {
    // Ten packets at once: each waits for those before it, or in turns with four others for five times as long.
    let limit = Duration::from_millis(4);
    let refused = |background| {
        let spec = link(carrier(background), QueueSpec::Time { limit_ns: limit });
        punctually(&mut path(&spec, 1), &burst(Time::ZERO + Duration::from_secs(5), 10)).refused.len()
    };
    // 1500 bytes take 0.57 ms: seven fit into 4 ms, beside the one on air; with four others one.
    assert!(refused(Vec::new()) <= 3);
    assert!(refused(vec![customer(21_000_000, 1_500); 4]) >= 7);
}
