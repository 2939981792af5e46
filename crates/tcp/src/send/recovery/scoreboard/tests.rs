//! What is counted and found, by net/ipv4/tcp_input.c.

use bentpipe_cc::rate::RateEstimator;
use bentpipe_units::Bytes;

use super::*;

fn at(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn rate() -> PacketState {
    RateEstimator::new(Time::ZERO).on_sent(Time::ZERO, Bytes::ZERO)
}

/// Segments of these lengths, which left one after the other.
fn sent(lengths: impl IntoIterator<Item = u64>) -> Scoreboard {
    let mut board = Scoreboard::default();
    let mut start = 1;
    for (length, ms) in lengths.into_iter().zip(0..) {
        board.push(start, start + length, Make::ALONE, at(ms), rate());
        start += length;
    }
    board
}

/// Segments out, delivered beyond holes, lost, retransmitted, and deemed in the network.
fn counts(board: &Scoreboard) -> [u64; 5] {
    [board.len(), board.sacked(), board.lost(), board.retransmitted(), board.in_flight()]
}

/// The ids that a search by time meets.
fn by_time(board: &mut Scoreboard) -> Vec<u64> {
    let mut ids = Vec::new();
    board.for_each_by_time(|id, _| {
        ids.push(id);
        Verdict::Waits
    });
    ids
}

#[test]
fn the_segments_that_a_range_touches_are_found_whatever_their_lengths() {
    // Far from where equal lengths would have them: many small ones before, between and behind large ones.
    let lengths =
        |small: std::ops::Range<u64>| (0..60).map(move |n| if small.contains(&n) { 1 } else { 50 + n });
    for small in [0..0, 0..40, 20..60, 10..50] {
        let mut board = sent(lengths(small));
        for _ in 0..3 {
            board.pop_acked(u64::MAX);
        }
        let end = board.segments.back().map_or(0, |last| last.end);
        let edges: Vec<u64> = board.segments.iter().map(|sent| sent.start).collect();
        for start in edges.iter().flat_map(|edge| [edge - 1, *edge, edge + 1]) {
            for end in [start + 1, start + 60, end - 1, end, end + 1] {
                let touched = board.iter().filter(|(_, sent)| sent.end > start && sent.start < end);
                let ids: Vec<u64> = touched.map(|(id, _)| id).collect();
                assert_eq!(board.touched_by(start, end).collect::<Vec<_>>(), ids, "{start}..{end}");
            }
        }
    }
}

#[test]
fn nothing_is_touched_where_nothing_is_out_or_the_range_lies_elsewhere() {
    assert!(Scoreboard::default().touched_by(1, 100).is_empty());
    let board = sent([10, 10]);
    assert!(board.touched_by(21, 30).is_empty() && board.touched_by(0, 1).is_empty());
    assert!(board.touched_by(15, 5).is_empty());
}

#[test]
fn a_segment_that_is_lost_and_leaves_again_counts_as_tcp_packets_in_flight_does() {
    // packets_out - (sacked_out + lost_out) + retrans_out.
    let mut board = sent([10; 5]);
    assert_eq!(counts(&board), [5, 0, 0, 0, 5]);
    board.mark_lost(0);
    board.mark_lost(2);
    assert_eq!((counts(&board), board.next_waiting()), ([5, 0, 2, 0, 3], Some(0)));
    board.retransmit(0, at(10), rate());
    assert_eq!((counts(&board), board.next_waiting()), ([5, 0, 2, 1, 4], Some(2)));
    // The retransmission is lost as well (tcp_mark_skb_lost: TCPCB_SACKED_RETRANS).
    board.mark_lost(0);
    assert_eq!((counts(&board), board.next_waiting()), ([5, 0, 2, 0, 3], Some(0)));
    assert_eq!((board.total_lost(), board.total_retransmitted()), (3, 1));
    // Lost already: nothing changes.
    board.mark_lost(0);
    assert_eq!((counts(&board), board.total_lost()), ([5, 0, 2, 0, 3], 3));
    board.retransmit(0, at(20), rate());
    assert_eq!(board.pop_acked(11).map(|sent| sent.end), Some(11));
    assert_eq!((counts(&board), board.first_id()), ([4, 0, 1, 0, 3], 1));
    assert_eq!(
        (board.first_id(), board.last_id(), board.front().map(|sent| sent.start)),
        (1, Some(4), Some(11))
    );
}

#[test]
fn what_is_delivered_beyond_a_hole_is_neither_lost_nor_out_again() {
    // tcp_sacktag_one.
    let mut board = sent([10; 5]);
    board.mark_lost(1);
    board.mark_lost(2);
    board.retransmit(2, at(10), rate());
    assert_eq!(board.forward_end(1), 1);
    let before = [1, 2].map(|id| board.sack(id).map(|sent| sent.state));
    assert_eq!(before, [Some(SegmentState::Lost); 2]);
    assert_eq!((counts(&board), board.next_waiting()), ([5, 2, 0, 0, 3], None));
    assert_eq!(board.forward_end(1), 31);
    assert!(board.sack(2).is_none(), "it is known already");
    board.mark_lost(2);
    assert_eq!(counts(&board), [5, 2, 0, 0, 3]);
    board.pop_acked(11);
    board.pop_acked(21);
    assert_eq!(counts(&board), [3, 1, 0, 0, 2]);
}

#[test]
fn a_probe_repeats_a_segment_without_its_being_in_flight_twice() {
    // tcp_send_loss_probe: __tcp_retransmit_skb.
    let mut board = sent([10; 3]);
    board.repeat(2, at(10), rate());
    assert_eq!((counts(&board), board.total_retransmitted()), ([3, 0, 0, 0, 3], 1));
    assert_eq!(board.get(2).map(|sent| (sent.sent_at, sent.history)), Some((at(10), History::Retransmitted)));
    assert_eq!(board.get(1).map(|sent| (sent.sent_at, sent.history)), Some((at(1), History::SentOnce)));
}

#[test]
fn transmissions_are_met_in_the_order_in_which_they_left_and_once_each() {
    // tcp_rack_detect_loss: tsorted_sent_queue.
    let mut board = sent([10; 5]);
    board.mark_lost(1);
    board.retransmit(1, at(10), rate());
    board.sack(3);
    assert_eq!(by_time(&mut board), [0, 2, 4, 1]);
    assert_eq!(by_time(&mut board), [0, 2, 4, 1]);
    // What is lost and waits says nothing.
    board.mark_lost(2);
    assert_eq!(by_time(&mut board), [0, 4, 1]);
    // Nor does what a search found lost.
    board.for_each_by_time(|id, _| if id == 4 { Verdict::Lost } else { Verdict::Waits });
    board.unmark_lost();
    assert_eq!((counts(&board), board.next_waiting()), ([5, 1, 0, 1, 5], None));
    assert_eq!(by_time(&mut board), [0, 2, 1]);
}

#[test]
fn a_search_that_stops_leaves_the_rest_for_the_next() {
    let mut board = sent([10; 4]);
    let mut seen = 0;
    board.for_each_by_time(|id, _| {
        seen += 1;
        if id == 2 { Verdict::Stop } else { Verdict::Lost }
    });
    assert_eq!((seen, counts(&board)), (3, [4, 0, 2, 0, 2]));
    assert_eq!(by_time(&mut board), [2, 3]);
}

#[test]
fn a_peer_that_drops_what_it_acknowledged_has_it_judged_again_in_the_old_order() {
    // RFC 2018 section 8; tcp_timeout_mark_lost with is_reneg.
    let mut board = sent([10; 4]);
    board.mark_lost(1);
    board.retransmit(1, at(10), rate());
    board.sack(1);
    board.sack(3);
    assert_eq!(by_time(&mut board), [0, 2]);
    board.forget_sacks();
    assert_eq!((counts(&board), board.forward_end(1)), ([4, 0, 0, 0, 4], 1));
    assert_eq!(by_time(&mut board), [0, 2, 3, 1]);
}

#[test]
fn a_part_that_is_acknowledged_is_cut_off_the_first_segment() {
    // tcp_trim_head.
    let mut board = sent([10, 10]);
    assert!(board.pop_acked(10).is_none());
    board.trim(5);
    assert_eq!(board.front().map(|sent| (sent.start, sent.end)), Some((5, 11)));
    board.trim(3);
    assert_eq!(board.front().map(|sent| sent.start), Some(5));
    assert!(board.pop_acked(11).is_some());
}

/// A timeout has found all lost, and the first is retransmitted into this much room (`tcp_retrans_try_collapse`).
fn collapsed(mut board: Scoreboard, space: u64) -> Vec<(u64, u64)> {
    for id in board.first_id()..board.first_id() + board.len() {
        board.mark_lost(id);
    }
    board.collapse(board.first_id(), space, u64::MAX);
    board.iter().map(|(_, sent)| (sent.start, sent.end)).collect()
}

#[test]
fn small_segments_become_one_when_the_first_is_retransmitted() {
    // The lengths are those of TLS records that a Linux server retransmitted as one segment of 119 bytes.
    assert_eq!(collapsed(sent([42, 38, 39]), 1_460), [(1, 120)]);
    assert_eq!(collapsed(sent([42, 38, 1_460]), 1_460), [(1, 81), (81, 1_541)]);
    assert_eq!(collapsed(sent([42, 38, 39]), 80), [(1, 81), (81, 120)]);
    assert_eq!(collapsed(sent([1_460, 38]), 1_460), [(1, 1_461), (1_461, 1_499)]);
}

#[test]
fn a_part_of_a_gso_packet_and_what_was_delivered_stay_as_they_are() {
    // tcp_can_collapse: tcp_skb_pcount(skb) > 1, TCPCB_SACKED_ACKED.
    let mut board = sent([42]);
    board.push(43, 81, Make { place: Place::First, ..Make::ALONE }, at(1), rate());
    assert_eq!(collapsed(board, 1_460), [(1, 43), (43, 81)]);
    let mut board = sent([42, 38, 39]);
    board.sack(1);
    assert_eq!(collapsed(board, 1_460), [(1, 43), (43, 81), (81, 120)]);
}

#[test]
fn what_became_one_counts_once_and_those_behind_move_up() {
    // tcp_adjust_pcount: packets_out, lost_out and retrans_out.
    let mut board = sent([42, 38, 1_460, 1_460]);
    for id in 0..3 {
        board.mark_lost(id);
    }
    board.retransmit(1, at(10), rate());
    board.collapse(0, 1_460, u64::MAX);
    assert_eq!(counts(&board), [3, 0, 2, 0, 1]);
    assert_eq!(board.next_waiting(), Some(0));
    board.retransmit(0, at(20), rate());
    assert_eq!(board.next_waiting(), Some(1));
    assert_eq!(by_time(&mut board), [2, 0]);
    assert_eq!(counts(&board), [3, 0, 2, 1, 2]);
}
