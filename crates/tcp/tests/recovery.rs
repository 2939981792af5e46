//! Loss recovery by single acknowledgements, without timestamps: what leaves, and what `TCP_INFO` would show.

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{Info, LossRecovery, SackPermitted, Segment};
use bentpipe_units::{Bytes, Time};

use crate::common::server::{MSS, Server, segment};
use crate::common::{at, config, expiry, ms};

/// A server that has written so many segments at 100 ms, of which the first window of ten has left.
fn sending(segments: u64) -> Server {
    sending_to(SackPermitted::Yes, segments)
}

/// The same to a peer that acknowledges selectively, or not.
fn sending_to(sack: SackPermitted, segments: u64) -> Server {
    let mut server = Server::open(&config(Algorithm::Cubic), sack);
    server.connection.set_send_buffer(Bytes::new(400_000));
    assert_eq!(server.write(100, segments * MSS).len() as u64, segments.min(10));
    server
}

/// Numbers of segments from zero, of those that left.
fn numbers(server: &Server, sent: &[Segment]) -> Vec<u32> {
    sent.iter().map(|segment| (segment.seq.0.wrapping_sub(server.isn) - 1) / MSS as u32).collect()
}

/// An acknowledgement below segment `una` that tells of these segments beyond it, and what it lets out.
fn ack(server: &mut Server, at_ms: u64, una: u32, beyond: &[(u32, u32)]) -> Vec<u32> {
    let position = |number: u32| 1 + number * MSS as u32;
    let blocks: Vec<_> = beyond.iter().map(|(from, to)| (position(*from), position(*to))).collect();
    let sent = server.ack(at_ms, position(una), &blocks);
    numbers(server, &sent)
}

/// Lets the next timer expire: when that was, and what left.
fn expire(server: &mut Server) -> (Time, Vec<u32>) {
    let (due, sent) = server.expire();
    (due, numbers(server, &sent))
}

/// Lets timers expire until the retransmission timer has.
fn time_out(server: &mut Server) {
    for _ in 0..4 {
        if info(server).recovery != LossRecovery::Loss {
            server.expire();
        }
    }
    assert_eq!(info(server).recovery, LossRecovery::Loss);
}

fn info(server: &Server) -> Info {
    server.connection.info()
}

/// Segments sacked, lost, retransmitted, and where recovery stands.
fn state(server: &Server) -> (u64, u64, u64, LossRecovery) {
    let info = info(server);
    (info.sacked_segments, info.lost_segments, info.retransmitted_in_flight, info.recovery)
}

fn windows(server: &Server) -> (u64, Option<u64>) {
    let info = info(server);
    (info.cwnd.get() / MSS, info.ssthresh.map(|ssthresh| ssthresh.get() / MSS))
}

/// Three of ten segments beyond the first are told of, 2 ms apart from 200 ms on; what left at each.
fn with_a_hole(segments: u64) -> (Server, [Vec<u32>; 3]) {
    let mut server = sending(segments);
    let sent = [1, 2, 3].map(|n| ack(&mut server, 198 + 2 * u64::from(n), 0, &[(1, 1 + n)]));
    (server, sent)
}

#[test]
fn the_third_segment_beyond_a_hole_shows_that_it_is_lost_and_the_window_comes_down_to_seven_tenths() {
    // RFC 8985 section 6.2 (DupThresh), RFC 9937 (tcp_cwnd_reduction) with CUBIC's 717 / 1024 of ten. RFC 3042: the first two
    // let new ones out. Of 12 that are out three are told of and one is lost: 8 are beyond 7, so that CEIL(1 * 7 / 10) may
    // leave.
    let (mut server, sent) = with_a_hole(30);
    assert_eq!(sent, [vec![10], vec![11], vec![0]]);
    assert_eq!((state(&server), windows(&server)), ((3, 1, 1, LossRecovery::Recovery), (9, Some(7))));
    assert_eq!((info(&server).in_flight.get(), info(&server).unacknowledged_segments), (9 * MSS, 12));
    // 8 are out: CEIL(2 * 7 / 10) - 1; then 7 are not beyond 7, and what is delivered does not exceed that.
    assert_eq!(ack(&mut server, 206, 0, &[(1, 5)]), [12]);
    // 8 again: CEIL(3 * 7 / 10) - 2.
    assert_eq!(ack(&mut server, 208, 0, &[(1, 6)]), [13]);
    assert!(ack(&mut server, 210, 0, &[(1, 7)]).is_empty());
    // RFC 6675 section 5: it ends when what was out when the loss was found, below 12, is acknowledged.
    ack(&mut server, 304, 11, &[]);
    assert_eq!(info(&server).recovery, LossRecovery::Recovery);
    ack(&mut server, 306, 12, &[]);
    assert_eq!((state(&server), windows(&server)), ((0, 0, 0, LossRecovery::Open), (7, Some(7))));
}

#[test]
fn a_reduction_is_taken_back_when_each_retransmission_is_reported_as_a_duplicate() {
    // RFC 3708, tcp_try_undo_dsack: cwnd and ssthresh are as before.
    let (mut server, _) = with_a_hole(30);
    ack(&mut server, 210, 4, &[]);
    assert_eq!((info(&server).recovery, windows(&server).1), (LossRecovery::Recovery, Some(7)));
    ack(&mut server, 304, 4, &[(0, 1)]);
    assert_eq!((state(&server), windows(&server)), ((0, 0, 0, LossRecovery::Open), (10, None)));
}

#[test]
fn a_reduction_stays_when_one_of_two_retransmissions_was_needed() {
    let mut server = sending(30);
    for (ms, beyond) in [
        (200, &[(1, 2)][..]),
        (202, &[(1, 2), (3, 4)]),
        (204, &[(1, 2), (3, 5)]),
        (206, &[(1, 2), (3, 6)]),
        (208, &[(1, 2), (3, 7)]),
    ] {
        ack(&mut server, ms, 0, beyond);
    }
    assert_eq!(info(&server).retransmitted_segments, 2);
    ack(&mut server, 308, 7, &[(0, 1)]);
    assert_eq!((info(&server).recovery, windows(&server).1), (LossRecovery::Recovery, Some(7)));
}

#[test]
fn a_probe_whose_answer_shows_that_both_came_is_no_loss() {
    // tcp_process_tlp_ack: FLAG_DSACK_TLP, with progress or without it; or a pure duplicate acknowledgement. What is
    // acknowledged beyond the probe without either shows a loss.
    type Answer = (u32, &'static [(u32, u32)]);
    let plain: &[Answer] = &[(5, &[]), (5, &[])];
    let at_once: &[Answer] = &[(5, &[(4, 5)])];
    let later: &[Answer] = &[(5, &[]), (5, &[(4, 5)])];
    let none: &[Answer] = &[(5, &[])];
    for (answers, is_lost) in [(plain, false), (at_once, false), (later, false), (none, true)] {
        let mut server = sending(5);
        assert_eq!(expire(&mut server), (expiry(at(100), ms(202)), vec![4]));
        for (una, blocks) in answers {
            ack(&mut server, 410, *una, blocks);
        }
        server.write(420, MSS);
        ack(&mut server, 520, 6, &[]);
        assert_eq!(windows(&server).1.is_some(), is_lost, "{answers:?}");
        assert_eq!(info(&server).recovery, LossRecovery::Open);
    }
}

#[test]
fn a_probe_of_new_data_that_is_acknowledged_is_no_loss() {
    // tcp_process_tlp_ack: tlp_retrans is none.
    let mut server = sending(30);
    assert_eq!(expire(&mut server), (expiry(at(100), ms(202)), vec![10]));
    ack(&mut server, 410, 11, &[]);
    ack(&mut server, 510, 12, &[]);
    assert_eq!((info(&server).recovery, windows(&server).1), (LossRecovery::Open, None));
}

#[test]
fn a_duplicate_acknowledgement_is_suspicious_while_a_repetition_is_out() {
    // tcp_try_keep_open: tcp_any_retrans_done, which knows of a probe by TCPCB_EVER_RETRANS of the head.
    let mut server = sending(1);
    ack(&mut server, 150, 0, &[]);
    assert_eq!(info(&server).recovery, LossRecovery::Open);
    assert_eq!(expire(&mut server).1, [0]);
    ack(&mut server, 600, 0, &[]);
    assert_eq!(info(&server).recovery, LossRecovery::Disorder);
    ack(&mut server, 610, 1, &[]);
    assert_eq!(state(&server), (0, 0, 0, LossRecovery::Open));
}

/// Ten of so many segments left at 100 ms and a new one as a probe; then the timeout has repeated the first.
fn timed_out(segments: u64) -> Server {
    let mut server = sending(segments);
    let probe = expiry(at(100), ms(202));
    assert_eq!(expire(&mut server), (probe, vec![10]));
    // SRTT of 100 ms and 200 ms of variance.
    assert_eq!(expire(&mut server), (expiry(probe, ms(300)), vec![0]));
    assert_eq!((state(&server), windows(&server)), ((0, 11, 1, LossRecovery::Loss), (1, Some(7))));
    server
}

#[test]
fn after_a_timeout_new_data_tell_whether_it_was_spurious() {
    // RFC 5682 section 3.1 step 2b: two new segments. Step 3b: what was sent before the timeout and not again is
    // acknowledged: it was, and the reduction is taken back (tcp_try_undo_loss).
    let mut server = timed_out(30);
    assert_eq!(ack(&mut server, 900, 1, &[]), [11, 12]);
    ack(&mut server, 902, 3, &[]);
    assert_eq!(state(&server), (0, 0, 0, LossRecovery::Open));
    // Slow start goes on from ten by the two that came.
    assert_eq!(windows(&server), (12, None));
}

#[test]
fn after_a_timeout_a_duplicate_acknowledgement_of_new_data_shows_that_it_was_not_spurious() {
    // RFC 5682 section 3.1 step 3a: what is lost leaves again.
    let mut server = timed_out(30);
    ack(&mut server, 900, 1, &[]);
    assert_eq!(ack(&mut server, 902, 1, &[(11, 12)]), [1]);
    assert_eq!(state(&server), (1, 10, 1, LossRecovery::Loss));
    // And what is acknowledged now proves nothing.
    ack(&mut server, 1_002, 3, &[(11, 12)]);
    assert_eq!((info(&server).recovery, windows(&server).1), (LossRecovery::Loss, Some(7)));
}

#[test]
fn after_a_timeout_what_is_lost_leaves_again_where_there_is_nothing_new_or_no_room_for_it() {
    // RFC 5682 section 3.1 step 2b; tcp_process_loss: tcp_send_head and tcp_wnd_end, tcp_xmit_recovery: snd_nxt > high_seq. A
    // window that ends within the next segment lets nothing out (RFC 9293 section 3.8.6.2.1).
    let mut server = timed_out(11);
    assert_eq!(ack(&mut server, 900, 1, &[]), [1, 2]);
    for room in [0, 500] {
        let mut server = timed_out(30);
        let window = (10 * MSS + room) as u16;
        let sent = server.take(900, segment(1, 1 + MSS as u32, window, 0));
        assert_eq!(numbers(&server, &sent), [1, 2], "{room}");
    }
}

#[test]
fn what_is_lost_leaves_again_when_the_pacing_timer_expires_even_while_new_data_test_a_timeout() {
    // tcp_tsq_write: tcp_xmit_retransmit_queue where lost_out > retrans_out, whatever F-RTO waits for. Vivace's window opens
    // at the first acknowledgement, and its pacer lets one GSO packet out.
    let mut server = Server::open(&config(Algorithm::Vivace), SackPermitted::Yes);
    server.connection.set_send_buffer(Bytes::new(400_000));
    let mut sent = numbers_of_write(&mut server, 80);
    while info(&server).recovery != LossRecovery::Loss {
        sent.extend(expire(&mut server).1);
    }
    let new = ack(&mut server, 2_000, 1, &[]);
    let next = *sent.iter().max().expect("something left") + 1;
    assert_eq!(new, [next, next + 1]);
    assert_eq!(expire(&mut server).1, [1]);
}

#[test]
fn what_left_as_one_gso_packet_is_retransmitted_as_one() {
    // tcp_xmit_retransmit_queue sends a buffer (skb) at a time, and asks tcp_pacing_check before each. A Linux client of Vivace
    // retransmitted 26 lost segments two by two, 5.52 ms apart.
    let mut server = Server::open(&config(Algorithm::Vivace), SackPermitted::Yes);
    server.connection.set_send_buffer(Bytes::new(400_000));
    let mut sent = numbers_of_write(&mut server, 10);
    while sent.len() < 10 {
        sent.extend(expire(&mut server).1);
    }
    assert!(ack(&mut server, 2_000, 0, &[(9, 10)]).is_empty(), "reordering may be the reason");
    assert_eq!([expire(&mut server).1, expire(&mut server).1], [[0, 1], [2, 3]]);
}

/// Writes so many segments at 100 ms; which left.
fn numbers_of_write(server: &mut Server, segments: u64) -> Vec<u32> {
    let sent = server.write(100, segments * MSS);
    numbers(server, &sent)
}

#[test]
fn a_first_timeout_while_losses_are_repaired_is_not_tested() {
    // tcp_enter_loss: frto with new_recovery || icsk_retransmits.
    let (mut server, _) = with_a_hole(30);
    time_out(&mut server);
    let sent = ack(&mut server, 900, 4, &[]);
    assert_eq!(sent[0], 4);
    // Nor does it reduce what the loss has reduced: after(tp->high_seq, tp->snd_una).
    assert_eq!(windows(&server).1, Some(7));
}

#[test]
fn packets_that_overtake_by_five_segments_make_that_the_degree_of_reordering() {
    // tcp_check_sack_reordering: from the lowest original that fills a hole to the highest that was told of.
    let mut server = sending(30);
    ack(&mut server, 200, 0, &[(5, 6)]);
    assert_eq!(info(&server).reordering, 3);
    ack(&mut server, 202, 0, &[(1, 2), (5, 6)]);
    assert_eq!((info(&server).reordering, info(&server).lost_segments), (5, 0));
    // tcp_clean_rtx_queue: the same of one that is acknowledged cumulatively.
    let mut server = sending(30);
    ack(&mut server, 200, 0, &[(7, 8)]);
    ack(&mut server, 202, 1, &[(7, 8)]);
    assert_eq!(info(&server).reordering, 8);
}

#[test]
fn after_reordering_a_loss_is_waited_for_by_a_quarter_of_the_round_trip_and_reduces_the_window_once() {
    // RFC 8985 section 6.2 step 4 and 6.3: 100 / 4 ms after the round trip of the one told of, and 2 ms of timer
    // granularity (tcp_rack_reo_timeout). It finds all that are missing. The window of ten has grown by the four that were
    // told of after the reordering (tcp_may_raise_cwnd).
    let mut server = sending(10);
    ack(&mut server, 200, 0, &[(5, 6)]);
    ack(&mut server, 202, 0, &[(1, 2), (5, 6)]);
    ack(&mut server, 204, 0, &[(1, 2), (5, 9)]);
    assert_eq!(info(&server).recovery, LossRecovery::Disorder);
    let (_, sent) = expire(&mut server);
    assert_eq!((sent[0], info(&server).recovery), (0, LossRecovery::Recovery));
    assert_eq!((info(&server).lost_segments, windows(&server).1), (4, Some(14 * 717 / 1024)));
}

#[test]
fn without_sack_a_duplicate_tells_of_one_segment_until_an_acknowledgement_takes_them_back() {
    // RFC 3042; tcp_add_reno_sack, tcp_reset_reno_sack. As on the kernel in
    // tests/packetdrill/without_sack_each_of_two_duplicates_lets_out_a_segment.pkt.
    let mut server = sending_to(SackPermitted::No, 15);
    assert_eq!([200, 210].map(|at_ms| ack(&mut server, at_ms, 0, &[])), [[10], [11]]);
    assert_eq!(state(&server), (2, 0, 0, LossRecovery::Disorder));
    ack(&mut server, 220, 3, &[]);
    assert_eq!(state(&server), (0, 0, 0, LossRecovery::Open));
}

#[test]
fn without_sack_three_duplicates_show_the_first_loss_and_acknowledgements_of_a_part_the_next() {
    // RFC 6582 section 3.2; tcp_newreno_mark_lost, tcp_is_non_sack_preventing_reopen. As on the kernel in
    // tests/packetdrill/without_sack_an_acknowledgement_of_a_part_shows_the_next_loss.pkt.
    let mut server = sending_to(SackPermitted::No, 10);
    let sent = [200, 200, 200].map(|at_ms| ack(&mut server, at_ms, 0, &[]));
    assert_eq!(sent, [vec![], vec![], vec![0]]);
    assert_eq!(state(&server), (3, 1, 1, LossRecovery::Recovery));
    assert_eq!(ack(&mut server, 300, 4, &[]), [4]);
    // Four are acknowledged: the first fills the hole, the duplicates had told of the others.
    assert_eq!(state(&server), (0, 1, 1, LossRecovery::Recovery));
    ack(&mut server, 400, 10, &[]);
    assert_eq!(state(&server), (0, 0, 0, LossRecovery::Recovery), "the end is not believed yet");
    assert_eq!(server.write(400, MSS).len(), 1);
    ack(&mut server, 500, 11, &[]);
    assert_eq!(state(&server), (0, 0, 0, LossRecovery::Open));
}

#[test]
fn without_sack_no_more_duplicates_count_than_segments_can_have_arrived() {
    // tcp_limit_reno_sacked: of two that are out one is missing, so that one duplicate counts.
    let mut server = sending_to(SackPermitted::No, 2);
    (0..4).for_each(|_| assert_eq!(ack(&mut server, 200, 0, &[]), Vec::<u32>::new()));
    assert_eq!(state(&server), (1, 0, 0, LossRecovery::Disorder));
}

#[test]
fn without_sack_no_tail_is_probed() {
    // tcp_schedule_loss_probe: with SACK the last segment leaves first, here the first at the timeout.
    let mut server = sending_to(SackPermitted::No, 10);
    let (_, sent) = expire(&mut server);
    assert_eq!((sent, info(&server).recovery), (vec![0], LossRecovery::Loss));
}
