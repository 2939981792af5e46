//! Reno against RFC 5681 and the window of Mathis et al. 1997.

use crate::common::{Flow, MSS, Path, ack, at_ms, config, event, packets};
use bentpipe_cc::reno::Reno;
use bentpipe_cc::{Config, CongestionControl, CongestionKind, Event};
use bentpipe_units::{Bytes, Duration, Time};

const RTT: Duration = Duration::from_millis(100);

fn reno(segments: u64) -> Reno {
    Reno::new(Config { initial_window: packets(segments), ..config() })
}

/// In congestion avoidance with this window.
fn avoiding(segments: u64) -> Reno {
    let mut cc = reno(2 * segments);
    lose(&mut cc);
    assert_eq!(cc.cwnd(), packets(segments));
    cc
}

fn lose(cc: &mut Reno) {
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    cc.on_event(Event::RecoveryEnd { now: Time::ZERO });
}

fn acknowledge(cc: &mut Reno, segments: u64) {
    (0..segments).for_each(|_| cc.on_ack(&ack(at_ms(100), packets(1), RTT)));
}

#[test]
fn slow_start_doubles_the_window_each_round_trip() {
    // RFC 5681 equation 2: a segment for each segment acknowledged.
    let mut cc = reno(10);
    for expected in [20, 40, 80] {
        acknowledge(&mut cc, expected / 2);
        assert_eq!(cc.cwnd(), packets(expected));
    }
}

#[test]
fn an_acknowledgement_of_many_segments_counts_all_of_them() {
    // tcp_slow_start: the window grows by what was acknowledged, up to the threshold; the rest counts beyond it.
    let mut cc = reno(20);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Timeout)));
    cc.on_ack(&ack(at_ms(100), packets(14), RTT));
    assert_eq!((cc.cwnd(), cc.state().ssthresh), (packets(10), Some(packets(10))));
    // 1 + 14 - 10 = 5 segments are left, and 5 more make the window of ten.
    acknowledge(&mut cc, 4);
    assert_eq!(cc.cwnd(), packets(10));
    acknowledge(&mut cc, 1);
    assert_eq!(cc.cwnd(), packets(11));
}

#[test]
fn beyond_the_threshold_the_window_grows_by_a_segment_each_round_trip() {
    // RFC 5681 equation 3.
    let mut cc = avoiding(50);
    for window in 50..60 {
        assert_eq!(cc.cwnd(), packets(window));
        acknowledge(&mut cc, window);
    }
    assert_eq!(cc.cwnd(), packets(60));
}

#[test]
fn a_loss_halves_the_window_in_whole_segments_but_leaves_two() {
    // RFC 5681 equation 4; tcp_reno_ssthresh.
    for (window, expected) in [(100, 50), (7, 3), (4, 2), (3, 2), (2, 2)] {
        let mut cc = reno(window);
        lose(&mut cc);
        assert_eq!(
            (cc.cwnd(), cc.state().ssthresh),
            (packets(expected), Some(packets(expected))),
            "{window}"
        );
    }
}

#[test]
fn the_window_stays_put_during_recovery_and_without_use() {
    let mut cc = reno(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    acknowledge(&mut cc, 200);
    assert_eq!(cc.cwnd(), packets(50));
    cc.on_event(Event::RecoveryEnd { now: Time::ZERO });
    let mut unused = ack(at_ms(100), packets(50), RTT);
    unused.usage.is_cwnd_limited = false;
    (0..10).for_each(|_| cc.on_ack(&unused));
    assert_eq!(cc.cwnd(), packets(50));
}

#[test]
fn a_timeout_restarts_from_one_segment_towards_half_the_window() {
    // RFC 5681 section 3.1.
    let mut cc = reno(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Timeout)));
    assert_eq!((cc.cwnd(), cc.state().ssthresh), (packets(1), Some(packets(50))));
    acknowledge(&mut cc, 49);
    assert_eq!(cc.cwnd(), packets(50));
    acknowledge(&mut cc, 50);
    assert_eq!(cc.cwnd(), packets(51));
}

#[test]
fn losses_of_one_flight_halve_the_threshold_once() {
    let mut cc = reno(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    cc.on_event(Event::Congestion(event(at_ms(300), CongestionKind::Timeout)));
    assert_eq!(cc.state().ssthresh, Some(packets(50)));
}

#[test]
fn persistent_congestion_leaves_two_packets() {
    // RFC 9002 section 7.6.2.
    let mut cc = reno(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Persistent)));
    assert_eq!(cc.cwnd(), packets(2));
}

#[test]
fn an_undone_loss_restores_window_and_threshold() {
    let mut cc = reno(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    cc.on_event(Event::Undo { now: at_ms(100) });
    assert_eq!((cc.cwnd(), cc.state().ssthresh), (packets(100), None));
}

#[test]
fn an_idle_window_shrinks_and_three_quarters_become_the_threshold() {
    // RFC 2861 section 3.1.
    let mut cc = avoiding(50);
    acknowledge(&mut cc, 50 + 51 + 52 + 53);
    cc.on_event(Event::Idle { window: packets(10) });
    assert_eq!((cc.cwnd(), cc.state().ssthresh), (packets(10), Some(packets(50))));
    let mut grown = avoiding(10);
    (10..100).for_each(|window| acknowledge(&mut grown, window));
    grown.on_event(Event::Idle { window: packets(10) });
    assert_eq!(grown.state().ssthresh, Some(packets(75)));
}

#[test]
fn periodic_loss_leaves_the_window_of_the_mathis_formula() {
    // Mathis et al. 1997, equation 3: one loss in 1/p packets, W = sqrt(3 / (2 p)) on average; p = 1/1000: 38.7.
    let mut path = Path::new(1_000, 100, packets(100_000));
    path.lose_every = Some(1_000);
    let mut flow = Flow::new(reno(10), path);
    flow.run_until(at_ms(20_000));
    let before = flow.delivered;
    flow.run_until(at_ms(220_000));
    let window = (flow.delivered - before).get() as f64 / MSS as f64 / 2_000.0;
    let formula = (1.5_f64 * 1_000.0).sqrt();
    assert!((window / formula - 1.0).abs() < 0.05, "{window} segments, formula {formula}");
}

#[test]
fn a_long_flow_fills_the_link_when_the_buffer_holds_more_than_a_bdp() {
    // 1.5 BDP: more than the half of window and buffer that a loss takes away.
    let path = Path::new(10, 100, packets(126));
    let mut flow = Flow::new(reno(10), path);
    flow.run_until(at_ms(20_000));
    let before = flow.delivered;
    flow.run_until(at_ms(80_000));
    let goodput = (flow.delivered - before).bits() as f64 / 60.0;
    assert!(flow.lost > Bytes::ZERO);
    assert!(goodput > 0.99 * path.rate.as_bps() as f64, "{goodput} bit/s");
}
