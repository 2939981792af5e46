//! CUBIC against the formulas of RFC 9438.

// The expected values come from the standard library, to the last bit but one.
#![expect(clippy::disallowed_methods)]

use crate::common::{Flow, MSS, Path, ack, at_ms, config, event, packets};
use bentpipe_cc::cubic::Cubic;
use bentpipe_cc::slow_start::SlowStartExit;
use bentpipe_cc::{AckSample, Config, CongestionControl, CongestionKind, CwndUnit, Event, SentSample};
use bentpipe_units::{Bytes, Duration, Time};

/// RFC 9438 section 5: C SHOULD be 0.4; section 4.6: beta SHOULD be 0.7, which Linux has in 1024ths.
const C: f64 = 0.4;
const BETA: f64 = 717.0 / 1024.0;

fn cubic_with_window(segments: u64) -> Cubic {
    Cubic::new(Config { initial_window: packets(segments), slow_start_exit: SlowStartExit::Loss, ..config() })
}

/// As Linux counts.
fn in_whole_segments(window: u64) -> Cubic {
    let slow_start_exit = SlowStartExit::Loss;
    let cwnd_unit = CwndUnit::Segments;
    Cubic::new(Config { initial_window: packets(window), slow_start_exit, cwnd_unit, ..config() })
}

fn segments(bytes: Bytes) -> f64 {
    bytes.get() as f64 / MSS as f64
}

fn lose(cc: &mut Cubic, now: Time) {
    cc.on_event(Event::Congestion(event(now, CongestionKind::Loss)));
    cc.on_event(Event::RecoveryEnd { now });
}

/// Acknowledges windows, packet by packet, evenly spread over each RTT.
fn acknowledge(cc: &mut Cubic, from: Time, span: Duration, rtt: Duration) {
    let mut now = from;
    while now < from + span {
        cc.on_ack(&ack(now, packets(1), rtt));
        now += Duration::from_secs_f64(rtt.as_secs_f64() / segments(cc.cwnd()));
    }
}

/// RFC 9438 section 4.2, figure 2.
fn k(w_max: f64, cwnd: f64) -> f64 {
    ((w_max - cwnd) / C).cbrt()
}

/// RFC 9438 section 4.2, figure 1.
fn window_at(t: f64, w_max: f64, cwnd: f64) -> f64 {
    C * (t - k(w_max, cwnd)).powi(3) + w_max
}

const RTT: Duration = Duration::from_millis(100);

#[test]
fn a_loss_multiplies_the_window_by_717_1024ths() {
    let mut cc = cubic_with_window(1024);
    lose(&mut cc, Time::ZERO);
    assert_eq!(cc.cwnd(), packets(717));
    assert_eq!(cc.state().ssthresh, Some(packets(717)));
}

#[test]
fn after_a_loss_the_window_follows_the_cubic_curve() {
    // W_max 1000, so cwnd 700.2 and K = cbrt(299.8 / 0.4) = 9.08 s. The window runs after a target one RTT ahead;
    // on a curve this slow that puts it on the curve itself, to within the curve's bend over an RTT (below 1 %).
    let mut cc = cubic_with_window(1000);
    lose(&mut cc, Time::ZERO);
    for second in 0..20 {
        let start = at_ms(1000 * second);
        let expected = window_at(second as f64, 1000.0, 1000.0 * BETA);
        let measured = segments(cc.cwnd());
        assert!((measured / expected - 1.0).abs() < 0.01, "at {second} s: {measured}, formula {expected}");
        acknowledge(&mut cc, start, Duration::from_secs(1), RTT);
    }
}

#[test]
fn the_curve_is_concave_up_to_k_and_convex_beyond() {
    let mut cc = cubic_with_window(1000);
    lose(&mut cc, Time::ZERO);
    let mut gains = Vec::new();
    for second in 0..18 {
        let before = segments(cc.cwnd());
        acknowledge(&mut cc, at_ms(1000 * second), Duration::from_secs(1), RTT);
        gains.push(segments(cc.cwnd()) - before);
    }
    // K is 9.08 s; the plateau second itself belongs to neither side. The first second holds the start.
    assert!(gains[1..8].windows(2).all(|pair| pair[1] < pair[0]), "{gains:?}");
    assert!(gains[10..].windows(2).all(|pair| pair[1] > pair[0]), "{gains:?}");
}

#[test]
fn the_plateau_is_reached_after_k_whatever_the_rtt() {
    // K depends on windows alone: 200 segments, K = cbrt(200 * 0.2998 / 0.4) = 5.31 s at every RTT.
    for rtt_ms in [60, 250, 600] {
        let rtt = Duration::from_millis(rtt_ms);
        let mut cc = cubic_with_window(200);
        lose(&mut cc, Time::ZERO);
        acknowledge(&mut cc, Time::ZERO, Duration::from_secs_f64(k(200.0, 200.0 * BETA)), rtt);
        let measured = segments(cc.cwnd());
        assert!((measured / 200.0 - 1.0).abs() < 0.02, "RTT {rtt_ms} ms: {measured} segments");
    }
}

#[test]
fn a_second_loss_below_the_plateau_gives_way_to_newcomers() {
    // Section 4.7: W_max becomes cwnd (1 + beta) / 2 instead of cwnd.
    let mut cc = cubic_with_window(1000);
    lose(&mut cc, Time::ZERO);
    let cwnd = segments(cc.cwnd());
    lose(&mut cc, at_ms(1));
    let w_max = cwnd * (1.0 + BETA) / 2.0;
    let at_plateau = k(w_max, cwnd * BETA);
    acknowledge(&mut cc, at_ms(1), Duration::from_secs_f64(at_plateau), RTT);
    assert!((segments(cc.cwnd()) / w_max - 1.0).abs() < 0.01, "{} against {w_max}", segments(cc.cwnd()));
}

#[test]
fn the_window_never_grows_by_more_than_half_per_round_trip() {
    // Section 4.2: target at most 1.5 cwnd. At 10 s RTT the curve asks for far more.
    let mut cc = cubic_with_window(10);
    lose(&mut cc, Time::ZERO);
    let rtt = Duration::from_secs(10);
    acknowledge(&mut cc, Time::ZERO, rtt, rtt);
    for round in 1..6 {
        let before = segments(cc.cwnd());
        for _ in 0..before as u64 {
            cc.on_ack(&ack(Time::ZERO + rtt * round, packets(1), rtt));
        }
        let growth = segments(cc.cwnd()) / before;
        assert!((1.4..=1.5 + 1e-3).contains(&growth), "round {round}: factor {growth}");
    }
}

#[test]
fn on_a_short_path_the_window_grows_like_reno() {
    // Section 4.3: alpha = 3 (1 - beta) / (1 + beta) = 0.529 segments per RTT. 20 segments, 10 ms: the curve would
    // need K = 2.47 s for the 6 segments lost, Reno 11 round trips.
    let mut cc = cubic_with_window(20);
    lose(&mut cc, Time::ZERO);
    let alpha = 3.0 * (1.0 - BETA) / (1.0 + BETA);
    let rtt = Duration::from_millis(10);
    acknowledge(&mut cc, Time::ZERO, rtt * 40, rtt);
    let expected = 20.0 * BETA + 40.0 * alpha;
    assert!((segments(cc.cwnd()) - expected).abs() < 1.0, "{} against {expected}", segments(cc.cwnd()));
}

#[test]
fn a_window_of_whole_segments_is_rounded_down_by_a_loss() {
    // 11 * 717 / 1024 = 7.70. W_max of a loss below the plateau: 7 * 1741 / 2048 = 5.95; the threshold: 4.90.
    let mut cc = in_whole_segments(11);
    lose(&mut cc, Time::ZERO);
    assert_eq!(cc.cwnd(), packets(7));
    assert_eq!(cc.state().ssthresh, Some(packets(7)));
    lose(&mut cc, at_ms(1));
    assert_eq!(cc.cwnd(), packets(4));
    // At the plateau of 5 by K = cbrt(1 / 0.4) = 1.36 s, and still there shortly after.
    acknowledge(&mut cc, at_ms(1), Duration::from_millis(1_500), Duration::from_secs(1));
    assert_eq!(cc.cwnd(), packets(5));
}

#[test]
fn a_window_of_whole_segments_grows_by_one_when_reno_has_gained_one() {
    // Section 4.3: a segment each 1 / alpha = 1.89 round trips, so five in 9.4 and six in 11.3.
    let mut cc = in_whole_segments(20);
    lose(&mut cc, Time::ZERO);
    let rtt = Duration::from_millis(50);
    let mut now = Time::ZERO;
    let mut least = segments(cc.cwnd());
    assert!((least - 14.0).abs() < f64::EPSILON);
    while now < at_ms(550) {
        cc.on_ack(&ack(now, packets(1), rtt));
        let window = segments(cc.cwnd());
        assert!(window.fract() == 0.0 && (window == least || window == least + 1.0), "{least} then {window}");
        least = window;
        now += Duration::from_secs_f64(rtt.as_secs_f64() / window);
    }
    assert!((least - 19.0).abs() < f64::EPSILON, "{least}");
}

#[test]
fn counted_in_segments_a_window_is_smaller_than_counted_in_bytes() {
    // A loss rounds the threshold down, by half a segment on average, and growth waits for a whole segment, half of
    // one on average; counted in bytes the window runs a round trip, alpha = 0.53 segments, behind W_est instead.
    let mut behind = Vec::new();
    for window in 4..20 {
        let (mut bytes, mut whole) = (cubic_with_window(window), in_whole_segments(window));
        for episode in 0..5 {
            let now = at_ms(2_000 * episode);
            for cc in [&mut bytes, &mut whole] {
                lose(cc, now);
                acknowledge(cc, now, Duration::from_secs(2), Duration::from_millis(50));
            }
            behind.push(segments(bytes.cwnd()) - segments(whole.cwnd()));
        }
    }
    let mean = behind.iter().sum::<f64>() / behind.len() as f64;
    // Of an episode (0.5 + 0.5 - 0.53); 0.7 of what the ones before left behind comes to it.
    assert!((0.47..0.47 / 0.3).contains(&mean), "{mean}");
}

#[test]
fn before_the_first_loss_congestion_avoidance_gains_five_per_cent_a_round() {
    // As Linux: HyStart left slow start, W_max is unknown, and the curve from K = 0 is flat at first.
    let mut cc = Flow::new(Cubic::new(config()), Path::new(10, 500, packets(2_000)));
    cc.run_while(|flow| flow.cc.state().ssthresh.is_none());
    let (left_at, window) = (cc.now, segments(cc.cc.cwnd()));
    cc.run_until(left_at + Duration::from_millis(500));
    let growth = segments(cc.cc.cwnd()) / window;
    assert!((1.02..1.06).contains(&growth), "factor {growth}");
    assert_eq!(cc.lost, Bytes::ZERO);
}

#[test]
fn an_rtt_sample_within_a_second_of_a_reduction_is_not_the_paths() {
    // cubictcp_acked: "Discard delay samples right after fast recovery" for HZ. One that counts moves the target
    // ahead on the curve.
    let window_after = |at: Time, rtt: Option<Duration>| {
        let mut cc = cubic_with_window(1000);
        lose(&mut cc, Time::ZERO);
        for (now, rtt) in [(Time::ZERO, None), (at, rtt)] {
            cc.on_ack(&AckSample { rtt, ..ack(now, packets(1), RTT) });
        }
        cc.cwnd()
    };
    let rtt = Some(Duration::from_millis(500));
    assert_eq!(window_after(at_ms(999), rtt), window_after(at_ms(999), None));
    assert!(window_after(at_ms(1_000), rtt) > window_after(at_ms(1_000), None));
}

#[test]
fn an_application_limited_flow_does_not_grow() {
    let mut cc = cubic_with_window(100);
    lose(&mut cc, Time::ZERO);
    let window = cc.cwnd();
    for ms in 0..10_000 {
        let mut sample = ack(at_ms(ms), packets(1), RTT);
        sample.usage.is_cwnd_limited = false;
        sample.usage.peak_in_flight = packets(10);
        cc.on_ack(&sample);
    }
    assert_eq!(cc.cwnd(), window);
}

#[test]
fn time_spent_idle_does_not_move_the_curve() {
    // Section 5.8: one flow pauses for 30 s in mid-curve; both have the same window the same active time later.
    let run = |pause: Duration| {
        let mut cc = cubic_with_window(1000);
        lose(&mut cc, Time::ZERO);
        acknowledge(&mut cc, Time::ZERO, Duration::from_secs(3), RTT);
        let sent = |now, prior_in_flight| SentSample {
            now,
            bytes: packets(1),
            prior_in_flight,
            demand: bentpipe_cc::Demand::AppLimited,
        };
        cc.on_sent(&sent(at_ms(3_000), packets(1)));
        cc.on_sent(&sent(at_ms(3_000) + pause, Bytes::ZERO));
        acknowledge(&mut cc, at_ms(3_000) + pause, Duration::from_secs(3), RTT);
        cc.cwnd()
    };
    assert_eq!(run(Duration::from_secs(30)), run(Duration::ZERO));
}

#[test]
fn the_window_stays_put_during_recovery() {
    let mut cc = cubic_with_window(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    let window = cc.cwnd();
    acknowledge(&mut cc, Time::ZERO, Duration::from_secs(1), RTT);
    assert_eq!(cc.cwnd(), window);
}

#[test]
fn an_undone_loss_restores_window_and_threshold() {
    let mut cc = cubic_with_window(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    cc.on_event(Event::Undo { now: at_ms(100) });
    assert_eq!(cc.cwnd(), packets(100));
    assert_eq!(cc.state().ssthresh, None);
}

#[test]
fn a_timeout_restarts_from_one_packet_towards_the_threshold() {
    // RFC 5681 section 3.1: loss window of one segment; then slow start doubles up to 0.7 of the old window.
    let mut cc = cubic_with_window(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Timeout)));
    assert_eq!(cc.cwnd(), packets(1));
    for expected in [2, 4, 8, 16, 32, 64] {
        for _ in 0..expected / 2 {
            cc.on_ack(&ack(at_ms(100), packets(1), RTT));
        }
        assert_eq!(cc.cwnd(), packets(expected));
    }
    assert_eq!(cc.state().ssthresh, Some(Bytes::new((100.0 * MSS as f64 * BETA) as u64)));
}

#[test]
fn losses_of_one_flight_reduce_the_threshold_once() {
    let mut cc = cubic_with_window(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    let threshold = cc.state().ssthresh;
    cc.on_event(Event::Congestion(event(at_ms(300), CongestionKind::Timeout)));
    assert_eq!(cc.state().ssthresh, threshold);
    assert_eq!(cc.cwnd(), packets(1));
}

#[test]
fn persistent_congestion_leaves_two_packets() {
    // RFC 9002 section 7.6.2: kMinimumWindow.
    let mut cc = cubic_with_window(100);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Persistent)));
    assert_eq!(cc.cwnd(), packets(2));
}

#[test]
fn an_idle_window_shrinks_and_three_quarters_become_the_threshold() {
    // RFC 2861 section 3.1.
    let mut cc = cubic_with_window(100);
    lose(&mut cc, Time::ZERO);
    acknowledge(&mut cc, Time::ZERO, Duration::from_secs(10), RTT);
    let open = cc.cwnd();
    cc.on_event(Event::Idle { window: packets(10) });
    assert_eq!(cc.cwnd(), packets(10));
    let threshold = cc.state().ssthresh.unwrap();
    assert!((segments(threshold) / (0.75 * segments(open)) - 1.0).abs() < 0.001);
}

#[test]
fn a_long_flow_fills_the_link_between_losses() {
    // One BDP of buffer holds more than the 30 % that a loss takes away, so the queue never runs empty.
    let path = Path::new(10, 100, packets(83));
    let mut flow = Flow::new(Cubic::new(config()), path);
    flow.run_until(at_ms(20_000));
    let before = flow.delivered;
    flow.run_until(at_ms(80_000));
    let goodput = (flow.delivered - before).bits() as f64 / 60.0;
    assert!(flow.lost > Bytes::ZERO);
    assert!(goodput > 0.995 * path.rate.as_bps() as f64, "{goodput} bit/s");
}
