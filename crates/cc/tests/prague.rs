//! Prague against the equations of draft-briscoe-iccrg-prague-congestion-control-04.

use crate::common::{ack, at_ms, config, event, packets};
use bentpipe_cc::prague::Prague;
use bentpipe_cc::{AckSample, Algorithm, Config, CongestionControl, CongestionKind, Event};
use bentpipe_units::{Bytes, Duration, Rate};

fn prague(segments: u64) -> Prague {
    Prague::new(Config { initial_window: packets(segments), ..config() })
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// An acknowledgement at `at` of so many segments, of which so many are marked; the endpoint tells of marks once a round.
fn acknowledge(cc: &mut Prague, at: u64, rtt: u64, acked: u64, marked: u64) {
    if marked > 0 {
        cc.on_event(Event::Congestion(event(at_ms(at), CongestionKind::Ecn)));
    }
    cc.on_ack(&AckSample { marked: packets(marked), ..ack(at_ms(at), packets(acked), ms(rtt)) });
}

/// Bytes to the nearest.
fn bytes(value: f64) -> Bytes {
    Bytes::new(value as u64)
}

#[test]
fn the_first_mark_ends_slow_start_by_half_the_window() {
    let mut cc = prague(10);
    acknowledge(&mut cc, 100, 100, 10, 0);
    assert_eq!((cc.cwnd(), cc.alpha(), cc.state().ssthresh), (packets(20), None, None));
    // alpha = 1 before any is known: W (1 - 1/2).
    cc.on_event(Event::Congestion(event(at_ms(200), CongestionKind::Ecn)));
    assert_eq!((cc.cwnd(), cc.state().ssthresh), (packets(10), Some(packets(10))));
}

#[test]
fn alpha_is_a_moving_average_of_the_marked_part_of_each_round() {
    // Section 2.3.2 with g = 1/16, rounds of 100 ms: F = 1/2, 0, 1/4 after the first mark, which sets alpha to one.
    let mut cc = prague(100);
    let mut expected = 1.0;
    for (round, (acked, marked)) in [(40, 20), (40, 0), (40, 10)].into_iter().enumerate() {
        acknowledge(&mut cc, 100 * (round as u64 + 1), 100, acked, marked);
        expected += (marked as f64 / acked as f64 - expected) / 16.0;
        let found = cc.alpha().unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn a_mark_takes_half_of_alpha_and_the_unmarked_make_the_window_grow_nevertheless() {
    let mut cc = prague(100);
    // Four hundred rounds of one mark in a hundred: alpha comes near 0.01.
    for round in 1..=400 {
        acknowledge(&mut cc, 100 * round, 100, 100, 1);
    }
    let (before, alpha) = (cc.cwnd().get() as f64, cc.alpha().unwrap());
    assert!((alpha - 0.01).abs() < 1e-6, "{alpha}");
    acknowledge(&mut cc, 100_000, 100, 100, 1);
    // W (1 - alpha/2), then 99 segments acknowledged: 99 / W segments more (RTT above RTT_virt).
    let reduced = before * (1.0 - alpha / 2.0);
    let expected = reduced + 99.0 * 1500.0 * 1500.0 / reduced;
    assert!((cc.cwnd().get() as f64 - expected).abs() < 3.0, "{} {expected}", cc.cwnd().get());
}

#[test]
fn the_window_settles_where_marks_and_growth_are_even() {
    // Of W segments a round p are marked: W alpha / 2 = (1 - p), alpha = p, so that W = 2 (1 - p) / p: two marks a round.
    let mut cc = prague(10);
    for round in 1..2_000_u64 {
        let window = cc.cwnd().get() / 1500;
        let marked = if window > 40 { (window / 20).max(1) } else { 0 };
        acknowledge(&mut cc, 100 * round, 100, window, marked);
    }
    let segments = cc.cwnd().get() / 1500;
    assert!((36..=45).contains(&segments), "{segments}");
}

#[test]
fn flows_of_a_short_round_trip_grow_as_one_of_25_ms() {
    // Section 2.4.4: (srtt / RTT_virt)^2 of a segment each round trip, so 1/25 at 5 ms, and one at 25 ms and above.
    for (rtt, expected) in [(5, 1.0 / 25.0), (25, 1.0), (600, 1.0)] {
        let mut cc = prague(20);
        cc.on_event(Event::Congestion(event(at_ms(0), CongestionKind::Ecn)));
        let window = cc.cwnd().get() as f64;
        acknowledge(&mut cc, rtt, rtt, 10, 0);
        assert_eq!(cc.cwnd(), bytes(window + expected * 1500.0), "{rtt} ms");
    }
}

#[test]
fn a_loss_halves_the_window_and_a_spurious_one_gives_it_back() {
    // Its fall-back on loss.
    let mut cc = prague(100);
    cc.on_event(Event::Congestion(event(at_ms(100), CongestionKind::Loss)));
    assert_eq!(cc.cwnd(), packets(50));
    acknowledge(&mut cc, 150, 100, 20, 0);
    assert_eq!(cc.cwnd(), packets(50), "no growth while it is repaired");
    cc.on_event(Event::Undo { now: at_ms(200) });
    assert_eq!(cc.cwnd(), packets(100));
}

#[test]
fn packets_leave_at_a_window_a_round_trip_and_in_bursts_of_a_quarter_millisecond() {
    // Its packet pacing. 100 segments in 50 ms are 24 Mbit/s, which carry 750 bytes in 250 us: a segment at least.
    let mut cc = prague(200);
    cc.on_event(Event::Congestion(event(at_ms(0), CongestionKind::Ecn)));
    acknowledge(&mut cc, 50, 50, 0, 0);
    let state = cc.state();
    assert_eq!(state.pacing_rate, Some(Rate::from_bps(24_000_000)));
    assert_eq!(state.send_quantum, Some(packets(1)));
}

#[test]
fn it_is_the_only_one_that_answers_each_mark_by_a_little() {
    // RFC 9331 section 4.3: only a scalable congestion control may send ECT(1).
    let scalable: Vec<_> = Algorithm::ALL.into_iter().filter(|each| each.is_scalable()).collect();
    assert_eq!(scalable, [Algorithm::Prague]);
}
