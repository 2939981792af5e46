//! By the steps of RFC 8985 section 6.2, and net/ipv4/tcp_recovery.c.

use bentpipe_cc::rate::RateEstimator;

use super::*;
use crate::send::recovery::scoreboard::{Make, SegmentState};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A minimum RTT of 40 ms, so that the window is a multiple of 10 ms, and a smoothed one that does not bound it.
fn view() -> RackView {
    RackView {
        now: Time::ZERO,
        min_rtt: Some(ms(40)),
        srtt: Some(Duration::from_secs(60)),
        is_repairing: false,
        reordering: 3,
    }
}

/// The reordering window of a sender that has seen reordering, and DSACKs in so many round trips.
fn widened(round_trips: u64) -> Rack {
    let mut rack = Rack::new();
    rack.on_reordering();
    (0..round_trips).for_each(|n| rack.on_dsack(n, n + 1));
    rack
}

fn window(rack: &Rack) -> Duration {
    rack.reo_wnd(&Scoreboard::default(), view())
}

/// Of a window that is twice as wide as at first.
fn assert_lasts_sixteen_recoveries(mut rack: Rack) {
    for _ in 1..16 {
        rack.on_recovered();
        assert_eq!(window(&rack), ms(20));
    }
    rack.on_recovered();
    assert_eq!(window(&rack), ms(10));
}

#[test]
fn a_widened_window_is_kept_for_sixteen_recoveries() {
    // RFC 8985 section 6.2 step 4: RACK.reo_wnd_persist = 16.
    assert_lasts_sixteen_recoveries(widened(1));
}

#[test]
fn the_window_is_at_most_255_quarters_of_the_least_round_trip() {
    // tcp_rack_update_reo_wnd: min_t(u32, 0xFF, tp->rack.reo_wnd_steps + 1).
    assert_eq!(window(&widened(253)), ms(2_540));
    assert_eq!(window(&widened(300)), ms(2_550));
}

#[test]
fn without_reordering_three_segments_out_of_order_end_the_grace() {
    // RFC 8985 section 6.2 step 4: RACK.segs_sacked >= DupThresh.
    let mut scoreboard = Scoreboard::default();
    let mut estimator = RateEstimator::new(Time::ZERO);
    for id in 0..4 {
        let rate = estimator.on_sent(Time::ZERO, bentpipe_units::Bytes::ZERO);
        scoreboard.push(id * 1_000, (id + 1) * 1_000, Make::ALONE, Time::ZERO, rate);
    }
    let windows = [1, 2, 3].map(|id| {
        scoreboard.sack(id);
        Rack::new().reo_wnd(&scoreboard, view())
    });
    assert_eq!(windows, [ms(10), ms(10), Duration::ZERO]);
}

/// Segments of 1000 bytes that left together at time zero, of which `delivered` was told of after `after_ms`.
fn delivered_of(segments: u64, delivered: u64, after_ms: u64) -> (Rack, Scoreboard) {
    let mut scoreboard = Scoreboard::default();
    let mut estimator = RateEstimator::new(Time::ZERO);
    for id in 0..segments {
        let rate = estimator.on_sent(Time::ZERO, bentpipe_units::Bytes::ZERO);
        scoreboard.push(id * 1_000, (id + 1) * 1_000, Make::ALONE, Time::ZERO, rate);
    }
    let mut rack = Rack::new();
    let sent = scoreboard.sack(delivered).expect("it is out");
    rack.on_delivered(Time::ZERO + ms(after_ms), &sent, None);
    (rack, scoreboard)
}

fn view_at(now_ms: u64) -> RackView {
    RackView { now: Time::ZERO + ms(now_ms), ..view() }
}

#[test]
fn what_left_before_the_newest_delivered_is_lost_a_round_trip_and_a_window_after_it_left() {
    // RFC 8985 section 6.2 step 5: remaining = Segment.xmit_ts + RACK.rtt + RACK.reo_wnd - Now().
    let (mut rack, mut scoreboard) = delivered_of(4, 2, 100);
    assert_eq!(rack.detect(&mut scoreboard, view_at(104)), Some(ms(6)));
    assert_eq!(scoreboard.lost(), 0);
    assert_eq!(rack.detect_now(&mut scoreboard, view_at(109)), Some(ms(1)));
    assert_eq!(rack.detect_now(&mut scoreboard, view_at(110)), None);
    // Of those that left with it only those before it in the order of sequence.
    assert_eq!((scoreboard.lost(), scoreboard.next_waiting()), (2, Some(0)));
    assert_eq!(scoreboard.get(3).map(|sent| sent.state), Some(SegmentState::Unknown));
}

#[test]
fn what_left_at_the_same_instant_in_a_later_burst_waits_until_it_is_older() {
    // tcp_rack_skb_timeout: in real time no two calls read the same tcp_mstamp.
    let mut scoreboard = Scoreboard::default();
    let mut estimator = RateEstimator::new(Time::ZERO);
    for burst in [[0, 1_000], [2_000, 3_000]] {
        for start in burst {
            let rate = estimator.on_sent(Time::ZERO, bentpipe_units::Bytes::ZERO);
            scoreboard.push(start, start + 1_000, Make::ALONE, Time::ZERO, rate);
        }
        scoreboard.end_burst();
    }
    let mut rack = Rack::new();
    for delivered in [3, 0] {
        let sent = scoreboard.sack(delivered).expect("it is out");
        rack.on_delivered(Time::ZERO + ms(100), &sent, None);
    }
    let repairing = |now_ms| RackView { is_repairing: true, ..view_at(now_ms) };
    assert_eq!(rack.detect(&mut scoreboard, repairing(100)), Some(Duration::ZERO));
    assert_eq!(
        [1, 2].map(|id| scoreboard.get(id).map(|sent| sent.state)),
        [Some(SegmentState::Lost), Some(SegmentState::Unknown)]
    );
    assert_eq!(rack.detect_now(&mut scoreboard, repairing(101)), None);
    assert_eq!(scoreboard.lost(), 2);
}

#[test]
fn losses_are_looked_for_when_something_new_was_delivered_or_a_recovery_was_undone() {
    // tcp_rack_mark_lost: tp->rack.advanced, which tcp_undo_cwnd_reduction sets.
    let (mut rack, mut scoreboard) = delivered_of(4, 2, 100);
    assert_eq!(rack.detect(&mut scoreboard, view_at(100)), Some(ms(10)));
    assert_eq!(rack.detect(&mut scoreboard, view_at(110)), None);
    assert_eq!(scoreboard.lost(), 0);
    rack.on_undo();
    assert_eq!(rack.detect(&mut scoreboard, view_at(110)), None);
    assert_eq!(scoreboard.lost(), 2);
}

#[test]
fn an_acknowledgement_of_a_retransmission_sooner_than_the_least_round_trip_is_of_the_original() {
    // RFC 8985 section 6.2 step 2; tcp_rack_advance: rtt_us < tcp_min_rtt(tp).
    let rtt_of = |after_ms: u64, history| {
        let (_, mut scoreboard) = delivered_of(2, 1, 100);
        scoreboard.repeat(0, Time::ZERO + ms(200), scoreboard.front().expect("out").rate);
        let sent = Sent { history, ..*scoreboard.front().expect("out") };
        let mut rack = Rack::new();
        rack.on_delivered(Time::ZERO + ms(200 + after_ms), &sent, Some(ms(40)));
        (rack.rtt, rack.has_progressed)
    };
    assert_eq!(rtt_of(39, History::Retransmitted), (Duration::ZERO, false));
    assert_eq!(rtt_of(40, History::Retransmitted), (ms(40), true));
    assert_eq!(rtt_of(39, History::SentOnce), (ms(39), true));
}

#[test]
fn a_segment_delivered_later_that_left_earlier_does_not_turn_time_back() {
    // RFC 8985 section 6.2 step 2: RACK_sent_after(RACK.xmit_ts, RACK.end_seq).
    let (mut rack, mut scoreboard) = delivered_of(4, 2, 100);
    let sent = scoreboard.sack(0).expect("it is out");
    rack.on_delivered(Time::ZERO + ms(101), &sent, None);
    rack.detect(&mut scoreboard, view_at(200));
    assert_eq!(scoreboard.get(1).map(|sent| sent.state), Some(SegmentState::Lost));
}

#[test]
fn a_dsack_widens_the_window_once_in_a_round_trip_and_only_after_reordering() {
    // RFC 8985 section 6.2 step 4: RACK.dsack_round. tcp_rack_update_reo_wnd.
    let mut rack = widened(0);
    rack.on_dsack(1, 10_001);
    assert_eq!(window(&rack), ms(20));
    rack.on_dsack(10_000, 20_001);
    assert_eq!(window(&rack), ms(20));
    rack.on_dsack(10_001, 30_001);
    assert_eq!(window(&rack), ms(30));
    let mut orderly = Rack::new();
    orderly.on_dsack(1, 10_001);
    assert_eq!(window(&orderly), ms(10));
}

#[test]
fn while_losses_are_repaired_there_is_no_grace_but_after_reordering() {
    // RFC 8985 section 6.2 step 4: RACK.reordering_seen is FALSE and in loss recovery.
    let repairing = RackView { is_repairing: true, ..view() };
    assert_eq!(Rack::new().reo_wnd(&Scoreboard::default(), repairing), Duration::ZERO);
    assert_eq!(widened(0).reo_wnd(&Scoreboard::default(), repairing), ms(10));
}

#[test]
fn the_window_is_no_longer_than_the_smoothed_round_trip() {
    // RFC 8985 section 6.2 step 4: min(RACK.reo_wnd_mult * RACK.min_RTT / 4, SRTT).
    let view = RackView { srtt: Some(ms(25)), ..view() };
    assert_eq!(widened(5).reo_wnd(&Scoreboard::default(), view), ms(25));
}

#[test]
fn a_recovery_that_dsacks_undo_keeps_the_window_wide_for_one_more() {
    // tcp_try_undo_dsack: min(TCP_RACK_RECOVERY_THRESH, reo_wnd_persist + 1).
    let mut rack = widened(1);
    rack.on_recovered();
    rack.on_dsack_undo();
    rack.on_dsack_undo();
    assert_lasts_sixteen_recoveries(rack);
}

#[test]
fn at_a_timeout_what_left_a_round_trip_ago_is_overdue() {
    // tcp_timeout_mark_lost: tcp_rack_skb_timeout(tp, skb, 0) > 0 are not.
    let (rack, scoreboard) = delivered_of(2, 1, 100);
    let first = scoreboard.front().expect("out");
    assert!(!rack.is_overdue(Time::ZERO + ms(99), first));
    assert!(rack.is_overdue(Time::ZERO + ms(100), first));
}
