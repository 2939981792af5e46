//! Whether the window counts as used.

use crate::common::packets;
use bentpipe_cc::usage::UsageTracker;

#[test]
fn a_full_window_is_remembered_for_the_round_trip() {
    let mut tracker = UsageTracker::new();
    tracker.on_transmit(10, packets(10), true);
    // Packet 4 of 10 acknowledged, one more sent with room to spare: still the same round trip.
    tracker.on_acked(5);
    tracker.on_transmit(11, packets(6), false);
    assert!(tracker.usage().is_cwnd_limited);
    assert_eq!(tracker.usage().peak_in_flight, packets(10));
}

#[test]
fn after_the_round_trip_only_the_present_use_counts() {
    let mut tracker = UsageTracker::new();
    tracker.on_transmit(10, packets(10), true);
    tracker.on_acked(10);
    tracker.on_transmit(11, packets(1), false);
    assert!(!tracker.usage().is_cwnd_limited);
    assert_eq!(tracker.usage().peak_in_flight, packets(1));
}

#[test]
fn half_a_window_in_flight_is_enough_in_slow_start_only() {
    let mut tracker = UsageTracker::new();
    tracker.on_transmit(6, packets(6), false);
    let usage = tracker.usage();
    assert!(usage.permits_growth(packets(11), true));
    assert!(!usage.permits_growth(packets(12), true));
    assert!(!usage.permits_growth(packets(11), false));
}
