//! Where buffers are cut, by net/ipv4/tcp_output.c and net/ipv4/tcp_input.c.

use bentpipe_cc::rate::RateEstimator;
use bentpipe_units::{Bytes, Time};

use crate::send::recovery::scoreboard::{Make, Place, Scoreboard, Verdict};

/// One GSO packet of segments of 524 bytes but the last.
fn gso(bytes: u64) -> Scoreboard {
    let mut board = Scoreboard::default();
    let rate = RateEstimator::new(Time::ZERO).on_sent(Time::ZERO, Bytes::ZERO);
    for start in (0..bytes).step_by(524) {
        let end = bytes.min(start + 524);
        let place = if start == 0 { Place::First } else { Place::Later };
        board.push(start, end, Make { is_push: end == bytes, ends_record: false, place }, Time::ZERO, rate);
    }
    board
}

fn edges(board: &Scoreboard) -> Vec<(u64, u64)> {
    board.iter().map(|(_, sent)| (sent.start, sent.end)).collect()
}

fn acknowledge(board: &mut Scoreboard, position: u64) -> usize {
    board.trim(position);
    std::iter::from_fn(|| board.pop_acked(position)).count()
}

#[test]
fn an_acknowledgement_within_a_gso_packet_counts_the_segments_that_the_rest_has_less() {
    // tcp_tso_acked: packets_acked -= tcp_skb_pcount(skb), cut anew from snd_una on.
    let mut board = gso(1_000);
    assert_eq!((acknowledge(&mut board, 500), edges(&board)), (1, vec![(500, 1_000)]));
    let mut board = gso(1_000);
    assert_eq!((acknowledge(&mut board, 100), edges(&board)), (0, vec![(100, 624), (624, 1_000)]));
    let mut board = gso(2_096);
    assert_eq!(
        (acknowledge(&mut board, 600), edges(&board)),
        (1, vec![(600, 1_124), (1_124, 1_648), (1_648, 2_096)])
    );
    // tcp_clean_rtx_queue: of one segment nothing is acknowledged.
    let mut board = gso(524);
    assert_eq!((acknowledge(&mut board, 500), edges(&board)), (0, vec![(500, 524)]));
}

#[test]
fn a_buffer_is_cut_into_the_segments_of_the_moment_before_it_leaves_again() {
    // __tcp_retransmit_skb: tcp_set_skb_tso_segs(skb, cur_mss).
    let mut board = gso(1_048);
    for id in 0..2 {
        board.mark_lost(id);
    }
    board.fit(0, 512);
    assert_eq!(edges(&board), [(0, 512), (512, 1_024), (1_024, 1_048)]);
    assert_eq!((board.lost(), board.in_flight(), board.next_waiting()), (3, 0, Some(0)));
    board.fit(0, 524);
    assert_eq!(edges(&board), [(0, 524), (524, 1_048)]);
    assert_eq!((board.lost(), board.len()), (2, 2));
}

#[test]
fn what_is_cut_keeps_its_place_in_time_and_what_is_behind_it_too() {
    let mut board = gso(1_048);
    let rate = RateEstimator::new(Time::ZERO).on_sent(Time::ZERO, Bytes::ZERO);
    board.push(1_048, 1_100, Make::ALONE, Time::ZERO, rate);
    board.fit(0, 512);
    let mut seen = Vec::new();
    board.for_each_by_time(|id, sent| {
        seen.push((id, sent.start));
        Verdict::Waits
    });
    assert_eq!(seen, [(0, 0), (1, 512), (2, 1_024), (3, 1_048)]);
}

#[test]
fn what_leaves_again_alone_has_a_buffer_of_its_own_and_so_has_the_rest() {
    // tcp_fragment: both may be joined with their neighbours later on (tcp_can_collapse: tcp_skb_pcount(skb) of 1).
    let places = |at| {
        let mut board = gso(1_500);
        board.part(at);
        board.iter().map(|(_, sent)| sent.make.place).collect::<Vec<_>>()
    };
    assert_eq!(places(1), [Place::Alone, Place::First, Place::Later]);
    assert_eq!(places(2), [Place::First, Place::Later, Place::Alone]);
    assert_eq!(places(0), places(3));
}

#[test]
fn a_probe_repeats_the_last_segment_as_it_is_cut_now() {
    // tcp_send_loss_probe: tcp_fragment(..., (pcount - 1) * mss).
    let mut board = gso(900);
    assert_eq!(board.fit_last(512), Some(1));
    assert_eq!(edges(&board), [(0, 512), (512, 900)]);
    // Of what is longer than a segment alone the first one leaves.
    let mut board = gso(524);
    assert_eq!(board.fit_last(500), Some(0));
    assert_eq!(edges(&board), [(0, 500), (500, 524)]);
}
