//! Hybla against the equations of Caini and Firrincieli 2004 and the arithmetic of Linux.

use crate::common::{Flow, MSS, Path, ack, at_ms, config, event, packets};
use bentpipe_cc::hybla::Hybla;
use bentpipe_cc::{AckSample, Config, CongestionControl, CongestionKind, Event};
use bentpipe_units::{Bytes, Duration, Time};

fn hybla(segments: u64, rtt: Duration) -> Hybla {
    Hybla::new(Config { initial_window: packets(segments), handshake_rtt: Some(rtt), ..config() })
}

/// In congestion avoidance with this window.
fn avoiding(segments: u64, rtt: Duration) -> Hybla {
    let mut cc = hybla(2 * segments, rtt);
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    cc.on_event(Event::RecoveryEnd { now: Time::ZERO });
    assert_eq!(cc.cwnd(), packets(segments));
    cc
}

/// An acknowledgement in a flow that had `in_flight` segments out.
fn full(rtt: Duration, in_flight: u64) -> AckSample {
    let mut sample = ack(at_ms(1_000), packets(1), rtt);
    sample.usage.peak_in_flight = packets(in_flight);
    sample
}

fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn the_first_window_is_rho_segments() {
    // rho = 600 ms / 25 ms = 24 (Linux: hybla_init). A larger configured window stays.
    assert_eq!(hybla(10, millis(600)).cwnd(), packets(24));
    assert_eq!(hybla(50, millis(600)).cwnd(), packets(50));
    assert_eq!(hybla(10, millis(20)).cwnd(), packets(10));
}

#[test]
fn the_first_sample_scales_the_window_when_the_handshake_told_no_rtt() {
    let mut cc = Hybla::new(config());
    let mut sample = full(millis(600), 10);
    sample.usage.is_cwnd_limited = false;
    sample.usage.peak_in_flight = Bytes::ZERO;
    cc.on_ack(&sample);
    assert_eq!(cc.cwnd(), packets(24));
}

#[test]
fn on_a_path_of_the_reference_rtt_it_is_reno() {
    // rho = 1 at 25 ms and below: 2^1 - 1 = 1 segment for each acknowledgement, then 1 / W.
    for rtt in [millis(25), millis(10)] {
        let mut slow = hybla(10, rtt);
        (0..10).for_each(|_| slow.on_ack(&full(rtt, 10)));
        assert_eq!(slow.cwnd(), packets(20));
        let mut avoiding = avoiding(64, rtt);
        (0..64).for_each(|_| avoiding.on_ack(&full(rtt, 64)));
        assert_eq!(avoiding.cwnd(), packets(65));
    }
}

#[test]
fn slow_start_gains_two_to_the_rho_less_one_for_each_acknowledgement() {
    // Equation 9 of the paper: rho 2: 3; rho 3: 7; rho 1.5 (in 128ths, 181 for 2^0.5): 2 * 181 / 128 - 1.
    for (rtt_us, gain) in [(50_000, 3.0), (75_000, 7.0), (37_500, 2.0 * 181.0 / 128.0 - 1.0)] {
        let rtt = Duration::from_micros(rtt_us);
        let mut cc = hybla(100, rtt);
        (0..64).for_each(|_| cc.on_ack(&full(rtt, 10_000)));
        assert_eq!(cc.cwnd(), packets(100 + (64.0 * gain) as u64), "{rtt}");
    }
}

#[test]
fn the_eighths_of_an_exponent_are_rounded_down_to_128ths_of_a_segment() {
    // hybla_fraction: 2^(n/8) in 128ths; rho = 1 + n/8, so that 128 acknowledgements gain 2 * fraction - 128 segments.
    let (eighth_root, mut power) = (2.0_f64.sqrt().sqrt().sqrt(), 1.0);
    for n in 0..8 {
        let rtt = Duration::from_micros(25_000 + 3_125 * n);
        let mut cc = hybla(100, rtt);
        (0..128).for_each(|_| cc.on_ack(&full(rtt, 10_000)));
        let fraction = (128.0 * power) as u64;
        assert_eq!(cc.cwnd(), packets(100 + 2 * fraction - 128), "{n}/8");
        power *= eighth_root;
    }
}

#[test]
fn congestion_avoidance_gains_rho_squared_each_round_trip() {
    // rho^2 / W for each acknowledgement (equation 9); W = 1000, rho = 24: 576 / 1000 in 128ths, 73 / 128.
    let mut cc = avoiding(1_000, millis(600));
    (0..128).for_each(|_| cc.on_ack(&full(millis(600), 1_000)));
    // The increment shrinks as the window grows: 73 to 68 128ths.
    let gained = cc.cwnd().get() / MSS - 1_000;
    assert!((69..=73).contains(&gained), "{gained} segments for 128 acknowledgements");
}

#[test]
fn the_rate_grows_alike_at_every_rtt() {
    // The paper's aim: W / RTT grows by 1 / RTT0^2 = 1600 segments per second each second, whatever the RTT.
    for rtt_ms in [100, 300, 600] {
        let rtt = millis(rtt_ms);
        // Far above the unit of 128ths, so that truncation costs little.
        let start = rtt_ms / 2;
        let mut cc = avoiding(start, rtt);
        let mut acked = 0.0;
        // One second of acknowledgements at the present window per RTT.
        for _ in 0..1_000 {
            acked += cc.cwnd().get() as f64 / MSS as f64 / rtt_ms as f64;
            while acked >= 1.0 {
                cc.on_ack(&full(rtt, 100_000));
                acked -= 1.0;
            }
        }
        let growth = (cc.cwnd().get() / MSS - start) as f64 / (rtt_ms as f64 / 1_000.0);
        assert!((growth / 1_600.0 - 1.0).abs() < 0.05, "RTT {rtt_ms} ms: {growth} segments/s");
    }
}

#[test]
fn slow_start_reaches_at_most_twice_what_was_in_flight() {
    let mut cc = hybla(24, millis(600));
    cc.on_ack(&full(millis(600), 24));
    assert_eq!(cc.cwnd(), packets(48));
    // Nothing more was sent, so the window is no longer the limit.
    cc.on_ack(&full(millis(600), 24));
    assert_eq!(cc.cwnd(), packets(48));
}

#[test]
fn the_window_is_at_most_65535_segments() {
    // snd_cwnd_clamp; 2^16 - 1 segments at once, because the exponent is at most 16.
    let mut cc = hybla(24, millis(600));
    cc.on_ack(&full(millis(600), 1_000_000));
    assert_eq!(cc.cwnd(), packets(65_535));
    cc.on_ack(&full(millis(600), 1_000_000));
    assert_eq!(cc.cwnd(), packets(65_535));
}

#[test]
fn rho_follows_the_smallest_smoothed_rtt_only() {
    // From 600 to 50 ms: 3 segments for each acknowledgement; back at 600 ms still 3.
    let mut cc = hybla(100, millis(600));
    cc.on_ack(&full(millis(50), 10_000));
    assert_eq!(cc.cwnd(), packets(103));
    cc.on_ack(&full(millis(600), 10_000));
    assert_eq!(cc.cwnd(), packets(106));
}

#[test]
fn where_rho_squared_is_lost_in_the_unit_it_grows_as_reno() {
    // rho = 1 and W = 200: 128 / 200 is 0 in 128ths, so a segment for a window of acknowledgements (Linux).
    let mut cc = avoiding(200, millis(25));
    (0..199).for_each(|_| cc.on_ack(&full(millis(25), 200)));
    assert_eq!(cc.cwnd(), packets(200));
    cc.on_ack(&full(millis(25), 200));
    assert_eq!(cc.cwnd(), packets(201));
}

#[test]
fn a_loss_halves_the_window_and_an_undo_restores_it() {
    let mut cc = hybla(100, millis(600));
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Loss)));
    assert_eq!((cc.cwnd(), cc.state().ssthresh), (packets(50), Some(packets(50))));
    cc.on_event(Event::Undo { now: at_ms(1) });
    assert_eq!((cc.cwnd(), cc.state().ssthresh), (packets(100), None));
}

#[test]
fn it_grows_as_reno_while_something_is_missing() {
    // hybla_state: hybla_en is set in TCP_CA_Open alone. At 600 ms and 64 segments rho^2 / W = 24^2 / 64 = 9 segments for
    // each acknowledgement, Reno's are 1 / 64.
    let mut cc = avoiding(64, millis(600));
    let mut sample = full(millis(600), 64);
    sample.is_disordered = true;
    (0..63).for_each(|_| cc.on_ack(&sample));
    assert_eq!(cc.cwnd(), packets(64));
    cc.on_ack(&sample);
    assert_eq!(cc.cwnd(), packets(65));
}

#[test]
fn after_a_timeout_it_grows_as_reno_until_recovered() {
    // hybla_en is off outside the open state.
    let mut cc = hybla(100, millis(600));
    cc.on_event(Event::Congestion(event(Time::ZERO, CongestionKind::Timeout)));
    cc.on_ack(&full(millis(600), 100));
    assert_eq!(cc.cwnd(), packets(2));
    cc.on_event(Event::RecoveryEnd { now: at_ms(1) });
    cc.on_ack(&full(millis(600), 100));
    // Slow start stops at the threshold.
    assert_eq!(cc.cwnd(), packets(50));
}

#[test]
fn on_a_geo_path_it_fills_the_pipe_in_a_few_round_trips() {
    // 10 Mbit/s and 500 ms: 417 packets. Reno needs six round trips from ten packets.
    let mut flow = Flow::new(hybla(10, millis(500)), Path::new(10, 500, packets(2_000)));
    flow.run_until(at_ms(1_500));
    assert!(flow.cc.cwnd() > packets(417), "{}", flow.cc.cwnd());
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    // Linux, hybla_cong_avoid: nothing unless tcp_is_cwnd_limited.
    let mut cc = avoiding(64, millis(600));
    let mut sample = full(millis(600), 20);
    sample.usage.is_cwnd_limited = false;
    cc.on_ack(&sample);
    assert_eq!(cc.cwnd(), packets(64));
}
