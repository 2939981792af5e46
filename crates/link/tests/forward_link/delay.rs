//! How long a packet takes that finds nobody before it.

use bentpipe_link::{Dvbs2Spec, IdleSpec, LossSpec, QueueSpec};
use bentpipe_units::{Duration, Time};

use super::rig::*;

/// QPSK 1/4: 32 490 symbols.
const FRAME: Duration = Duration::from_micros(32_490);
/// 3330 symbols.
const DUMMY: Duration = Duration::from_micros(3_330);

fn lone(carrier: Dvbs2Spec, at: Time) -> Time {
    let offers = [Offer { at, len: 100, dscp: 0 }];
    punctually(&mut path(&link(carrier, endless()), 1), &offers).delivered()[0].1
}

#[test]
fn a_lone_packet_takes_the_closing_timeout_a_whole_frame_and_the_propagation() {
    for timeout in [Duration::ZERO, Duration::from_millis(5)] {
        let carrier = Dvbs2Spec { closing_timeout_ns: timeout, ..ccm("QPSK 1/4") };
        assert_eq!(lone(carrier, ms(1_000)), ms(1_000) + timeout + FRAME + DELAY);
    }
}

#[test]
fn a_continuous_carrier_takes_up_to_a_dummy_frame_more() {
    let carrier = Dvbs2Spec { idle: IdleSpec::DummyFrames, ..ccm("QPSK 1/4") };
    // From time zero on dummies follow each other: the 301st starts at 999 ms, the 302nd at 1002.33 ms.
    for (at_us, start_us) in [(999_000, 999_000), (999_001, 1_002_330), (1_002_330, 1_002_330)] {
        let at = Time::ZERO + Duration::from_micros(at_us);
        let due = lone(carrier.clone(), at);
        assert_eq!(due, Time::ZERO + Duration::from_micros(start_us) + FRAME + DELAY);
        assert!(due.since(at) < FRAME + DELAY + DUMMY);
    }
}

#[test]
fn the_channel_loses_packets_of_received_frames_too() {
    let mut spec = link(ccm("QPSK 1/4"), endless());
    spec.forward.loss = LossSpec::Bernoulli { p: 1.0 };
    let outcome = punctually(&mut path(&spec, 1), &burst(Time::ZERO, 1));
    assert_eq!(outcome.lost(), [(0, Time::ZERO + FRAME)]);
}

#[test]
fn a_packet_is_refused_whose_wait_would_exceed_the_limit_at_the_rate_now_in_force() {
    // The first packet, alone when it came, is on air. The fourth waits for its frame and for 3000 bytes, at 1991 bytes
    // per 32 490 symbols: 48 955.3 of them, in whole symbols.
    let wait = FRAME + Duration::from_micros(48_955);
    for (limit, refused) in [(wait - Duration::from_micros(1), vec![3]), (wait, vec![])] {
        let mut path = path(&link(ccm("QPSK 1/4"), QueueSpec::Time { limit_ns: limit }), 1);
        assert_eq!(punctually(&mut path, &burst(Time::ZERO, 4)).refused, refused, "{limit}");
    }
}
