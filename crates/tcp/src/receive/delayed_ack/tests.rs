//! Which acknowledgement leaves at once and how long another waits, by net/ipv4/tcp_input.c and tcp_output.c.

use super::*;
use crate::options::Timestamps;
use crate::{Options, SeqNumber};

const RTO: Duration = Duration::from_millis(300);

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn view(now: Time, unacknowledged: u64) -> AckView {
    AckView { now, next: 1, unacknowledged, has_room: true, has_gap: false, srtt: None, receive_rtt: None }
}

fn segment(len: u64) -> Segment {
    Segment::with_payload(len)
}

/// One that ends a write.
fn pushed(len: u64) -> Segment {
    Segment { flags: Flags::ACK.with(Flags::PSH), ..segment(len) }
}

fn receive(ack: &mut DelayedAck, at: Time, segment: &Segment) {
    ack.measure(segment);
    ack.on_data(at, RTO, 64_000);
}

/// An engine whose quick acknowledgements are used up.
fn settled() -> DelayedAck {
    let mut ack = DelayedAck::new(QuickAck::Adaptive, TimerWheel::default(), at(0), 1448, 1448, 64_000);
    for _ in 0..=MAX_QUICK {
        receive(&mut ack, at(0), &segment(1448));
        ack.on_sent();
    }
    ack
}

#[test]
fn every_second_full_segment_is_acknowledged() {
    let mut ack = settled();
    receive(&mut ack, at(1), &segment(1448));
    assert_eq!(ack.decide(view(at(1), 1448)), Decision::Wait);
    receive(&mut ack, at(2), &segment(1448));
    assert_eq!(ack.decide(view(at(2), 2896)), Decision::Send);
}

#[test]
fn with_quick_acknowledgements_every_segment_is_acknowledged_even_where_an_answer_is_expected() {
    let mut ack = DelayedAck { mode: QuickAck::Always, ..settled() };
    ack.enter_pingpong();
    receive(&mut ack, at(1), &segment(100));
    assert_eq!(ack.decide(view(at(1), 100)), Decision::Send);
}

#[test]
fn a_missed_delay_doubles_it() {
    let mut ack = settled();
    receive(&mut ack, at(100), &segment(1448));
    assert_eq!(ack.decide(view(at(100), 1448)), Decision::Wait);
    // Ten jiffies from the 25th, and the one in which the timer was set.
    assert_eq!(ack.timeout(), Some(at(144)));
    assert_eq!(ack.handle_timeout(at(144), RTO), Decision::Send);
    assert_eq!(ack.ato, Some(ATO_MIN * 2));
}

#[test]
fn where_the_delay_is_nearly_over_the_next_segment_is_acknowledged_at_once() {
    // tcp_send_delayed_ack: set in jiffy 25 to jiffy 35, and 10 >> 2 = 2 jiffies before that, in which 132 ms are the first
    // instant; or to jiffy 75, and 50 >> 2 = 12 before that. The wheel, in which the timer expires at 144 ms, does not count.
    let longest = Duration::from_millis(200);
    for (ato, ms, decision) in [
        (ATO_MIN, 131, Decision::Wait),
        (ATO_MIN, 132, Decision::Send),
        (longest, 251, Decision::Wait),
        (longest, 252, Decision::Send),
    ] {
        let mut ack = DelayedAck { ato: Some(ato), ..settled() };
        ack.schedule();
        assert_eq!(ack.decide(view(at(100), 100)), Decision::Wait);
        assert_eq!(ack.decide(view(at(ms), 200)), decision, "{ms} ms");
    }
}

#[test]
fn a_small_segment_is_acknowledged_when_it_is_read_unless_an_answer_is_expected() {
    let mut ack = settled();
    receive(&mut ack, at(1), &segment(100));
    assert_eq!(ack.on_read(100, true), Decision::Send);
    ack.enter_pingpong();
    assert_eq!(ack.on_read(100, true), Decision::Wait);
}

#[test]
fn segments_are_taken_for_536_bytes_before_the_first_and_88_at_least() {
    // tcp_initialize_rcv_mss: TCP_MSS_DEFAULT, and half of the window, but TCP_MIN_MSS.
    let segment = |window| {
        DelayedAck::new(QuickAck::Adaptive, TimerWheel::default(), at(0), 1448, 1448, window).segment()
    };
    assert_eq!([segment(64_000), segment(400), segment(100)], [536, 200, 88]);
}

#[test]
fn no_acknowledgement_waits_longer_than_200_ms_and_a_jiffy() {
    // TCP_DELACK_MAX: HZ / 5, whether the peer pushes or not.
    for pushed in [Pushed::None, Pushed::Once] {
        let mut ack = DelayedAck { ato: Some(Duration::from_secs(1)), pushed, ..settled() };
        ack.schedule();
        assert_eq!(ack.decide(view(at(100), 1448)), Decision::Wait);
        assert_eq!(ack.timeout(), Some(at(304)));
    }
}

/// What becomes of an acknowledgement behind a gap that does not move.
fn duplicate(ack: &mut DelayedAck, rtt: Duration) -> Decision {
    ack.schedule();
    let decision = ack.decide(AckView { has_gap: true, receive_rtt: Some(rtt), ..view(at(0), 0) });
    if decision == Decision::Send {
        ack.on_sent();
    }
    decision
}

#[test]
fn three_duplicates_leave_at_once_and_then_44_are_held() {
    // __tcp_ack_snd_check: TCP_FASTRETRANS_THRESH, tcp_comp_sack_nr.
    let mut ack = settled();
    let decisions: Vec<_> = (0..3 + 44 + 1).map(|_| duplicate(&mut ack, Duration::from_secs(1))).collect();
    let sent: Vec<_> = (0..decisions.len()).filter(|n| decisions[*n] == Decision::Send).collect();
    assert_eq!(sent, [0, 1, 2, 47]);
}

#[test]
fn a_duplicate_is_held_for_a_twentieth_of_the_round_trip_and_a_millisecond_at_most() {
    // __tcp_ack_snd_check: rtt / 20, tcp_comp_sack_delay_ns.
    for (rtt_ms, held_us) in [(10, 500), (600, 1_000)] {
        let mut ack = settled();
        (0..4).for_each(|_| {
            duplicate(&mut ack, Duration::from_millis(rtt_ms));
        });
        assert_eq!(ack.timeout(), Some(at(0) + Duration::from_micros(held_us)), "{rtt_ms} ms");
    }
}

#[test]
fn half_the_segments_of_the_window_are_acknowledged_at_once_two_at_least_and_sixteen_at_most() {
    // tcp_incr_quickack: rcv_wnd / (2 * rcv_mss), which is two where that is none, and max_quickacks.
    let quick = |segments: u64| {
        let mut ack = settled();
        ack.enter_quick(segments * 1448);
        (0..20)
            .take_while(|n| {
                ack.schedule();
                let decision = ack.decide(view(at(10 * n), 1448));
                ack.on_sent();
                decision == Decision::Send
            })
            .count()
    };
    assert_eq!([quick(1), quick(10), quick(14), quick(40)], [2, 5, 7, 16]);
}

#[test]
fn a_delayed_acknowledgement_leaves_when_its_timer_expires_and_not_before() {
    // tcp_delack_timer_handler: time_after(icsk_timeout, jiffies).
    let mut ack = settled();
    receive(&mut ack, at(100), &segment(1448));
    assert_eq!(ack.decide(view(at(100), 1448)), Decision::Wait);
    assert_eq!(ack.handle_timeout(at(143), RTO), Decision::Wait);
    assert_eq!(ack.handle_timeout(at(150), RTO), Decision::Send);
    assert_eq!(ack.timeout(), None);
}

#[test]
fn a_missed_answer_ends_the_exchange_and_the_delay_begins_anew() {
    // tcp_delack_timer_handler: inet_csk_exit_pingpong_mode, ato = TCP_ATO_MIN. Doubled, it is the timeout at most.
    for (pingpong, ato) in [(true, ATO_MIN), (false, RTO)] {
        let mut ack = DelayedAck { ato: Some(Duration::from_millis(160)), ..settled() };
        if pingpong {
            ack.enter_pingpong();
        }
        ack.schedule();
        ack.decide(view(at(100), 100));
        assert_eq!(ack.handle_timeout(at(400), RTO), Decision::Send);
        assert_eq!((ack.ato, ack.in_pingpong()), (Some(ato), false));
    }
}

#[test]
fn the_delay_follows_the_distance_of_segments() {
    // tcp_event_data_recv: m <= TCP_ATO_MIN / 2: ato / 2 + TCP_ATO_MIN / 2; m < ato: ato / 2 + m, and the timeout at most; m >
    // rto: quick acknowledgements again.
    let after = |ato: u64, since: u64| {
        let mut ack =
            DelayedAck { ato: Some(Duration::from_millis(ato)), last_received: at(1_000), ..settled() };
        receive(&mut ack, at(1_000 + since), &segment(1448));
        (ack.ato.map(|ato| ato.as_nanos() / 1_000_000), ack.quick > 0)
    };
    assert_eq!(after(100, 20), (Some(70), false));
    assert_eq!(after(100, 24), (Some(74), false));
    assert_eq!(after(100, 96), (Some(146), false));
    assert_eq!(after(100, 100), (Some(100), false));
    assert_eq!(after(500, 296), (Some(300), false));
    assert_eq!(after(100, 300), (Some(100), false));
    assert_eq!(after(100, 304), (Some(100), true));
}

#[test]
fn an_answer_within_the_delay_makes_the_exchange_interactive() {
    // tcp_event_data_sent: now - lrcvtime < ato.
    for (since, interactive) in [(39, true), (40, false)] {
        let mut ack = DelayedAck { ato: Some(ATO_MIN), last_received: at(100), ..settled() };
        ack.on_data_sent(at(100 + since));
        assert_eq!(ack.in_pingpong(), interactive, "{since} ms");
    }
}

#[test]
fn the_delay_is_the_round_trip_at_most_where_that_is_longer_than_40_ms() {
    // tcp_send_delayed_ack: max(srtt, TCP_DELACK_MIN), for delays above TCP_ATO_MIN.
    for (srtt, waited) in [(10, 40), (80, 80), (180, 180), (400, 200)] {
        let mut ack = DelayedAck { ato: Some(Duration::from_millis(1_000)), ..settled() };
        ack.schedule();
        let view = AckView { srtt: Some(Duration::from_millis(srtt)), ..view(at(100), 100) };
        assert_eq!(ack.decide(view), Decision::Wait);
        assert_eq!(ack.timeout(), Some(at(100 + waited + 4)), "{srtt} ms");
    }
}

/// What full segments hold after these.
fn learnt(segments: &[Segment]) -> u64 {
    let mut ack = settled();
    for segment in segments {
        receive(&mut ack, at(1), segment);
    }
    ack.segment()
}

#[test]
fn two_equal_segments_of_536_bytes_or_more_are_what_the_peer_sends() {
    // tcp_measure_rcv_mss: of segments that end a write TCP_MSS_DEFAULT at least, and the same twice (last_seg_size).
    let learnt = |lengths: &[u64]| learnt(&lengths.iter().map(|len| pushed(*len)).collect::<Vec<_>>());
    assert_eq!(learnt(&[1000, 1000]), 1000);
    assert_eq!(learnt(&[1000, 1200, 1000]), 1448);
    assert_eq!(learnt(&[536, 536]), 536);
    assert_eq!(learnt(&[535, 535]), 1448);
    assert_eq!(learnt(&[1000, 1448, 1000]), 1448);
}

#[test]
fn in_the_middle_of_a_write_two_equal_segments_of_88_bytes_are_enough() {
    // tcp_measure_rcv_mss: TCP_MIN_MSS + sizeof(struct tcphdr) without a bit of TCP_REMNANT.
    assert_eq!(learnt(&[segment(88), segment(88)]), 88);
    assert_eq!(learnt(&[segment(87), segment(87)]), 1448);
    let fin = Segment { flags: Flags::ACK.with(Flags::FIN), ..segment(100) };
    assert_eq!(learnt(&[fin.clone(), fin]), 1448);
}

#[test]
fn options_count_for_a_segment_to_be_long_and_blocks_of_sack_for_its_length() {
    // tcp_measure_rcv_mss: len += skb->data - skb_transport_header(skb); len -= tp->tcp_header_len.
    let stamped = |len| {
        let timestamps = Some(Timestamps { value: 1, echo: 1 });
        Segment { options: Options { timestamps, ..Options::default() }, ..pushed(len) }
    };
    assert_eq!(learnt(&[stamped(524), stamped(524)]), 524);
    assert_eq!(learnt(&[stamped(523), stamped(523)]), 1448);
    let mut beside_block = stamped(1_000 - 12);
    beside_block.options.sack.push(SeqNumber(1), SeqNumber(2));
    assert_eq!(learnt(&[stamped(1_000), beside_block]), 1_000);
}

#[test]
fn what_ends_a_write_is_acknowledged_when_it_is_read_and_two_of_it_even_where_an_answer_is_expected() {
    // __tcp_cleanup_rbuf: ICSK_ACK_PUSHED2 || (ICSK_ACK_PUSHED && !pingpong), where nothing is left to read.
    let read = |lengths: &[u64], pingpong: bool, drained| {
        let mut ack = settled();
        for len in lengths {
            receive(&mut ack, at(1), &pushed(*len));
        }
        if pingpong {
            ack.enter_pingpong();
        }
        ack.on_read(lengths.iter().sum(), drained)
    };
    assert_eq!(read(&[1448], false, true), Decision::Send);
    assert_eq!(read(&[1448], false, false), Decision::Wait);
    assert_eq!(read(&[1448], true, true), Decision::Wait);
    assert_eq!(read(&[100, 100], true, true), Decision::Send);
    assert_eq!(read(&[100, 100], true, false), Decision::Wait);
    assert_eq!(read(&[1448, 1448], true, true), Decision::Send, "more than a segment");
    let mut ack = settled();
    receive(&mut ack, at(1), &segment(1448));
    assert_eq!(ack.on_read(1448, true), Decision::Wait, "more of the write follows");
    // More than one segment is due at any read (rcv_nxt - rcv_wup > rcv_mss), and nothing where nothing came.
    let mut ack = settled();
    assert_eq!(ack.on_read(2_000, false), Decision::Wait);
    ack.schedule();
    assert_eq!([ack.on_read(1_448, false), ack.on_read(1_449, false)], [Decision::Wait, Decision::Send]);
}

#[test]
fn a_mark_leads_to_two_quick_acknowledgements_and_a_disturbance_ends_an_exchange() {
    // __tcp_ecn_check_ce: tcp_enter_quickack_mode(sk, 2), which leaves pingpong mode.
    let mut ack = settled();
    ack.enter_pingpong();
    ack.enter_quick_after_mark(64_000);
    assert_eq!((ack.quick, ack.in_pingpong(), ack.ato), (2, false, Some(ATO_MIN)));
    ack.enter_quick(64_000);
    assert_eq!(ack.quick, 16);
    ack.enter_quick_after_mark(64_000);
    assert_eq!(ack.quick, 16, "no fewer than there are");
    ack.leave_quick();
    ack.ensure_quick();
    assert_eq!(ack.quick, 1);
}

#[test]
fn a_second_segment_is_not_acknowledged_at_once_where_there_is_no_room_for_more() {
    // __tcp_ack_snd_check: the window must be announced at least as large as it is.
    let mut ack = settled();
    ack.schedule();
    assert_eq!(ack.decide(AckView { has_room: false, ..view(at(1), 2_896) }), Decision::Wait);
    assert_eq!(ack.decide(view(at(1), 1_448)), Decision::Wait);
    assert_eq!(ack.decide(view(at(1), 1_449)), Decision::Send);
    ack.on_sent();
    assert_eq!(ack.decide(view(at(1), 2_896)), Decision::Wait, "nothing has come");
}

#[test]
fn compressed_acknowledgements_wait_for_the_shorter_round_trip_and_start_anew_where_the_gap_moves() {
    // __tcp_ack_snd_check: min(rcv_rtt, srtt) / 20; compressed_ack_rcv_nxt.
    let mut ack = settled();
    let behind = |next| AckView {
        next,
        has_gap: true,
        srtt: Some(Duration::from_millis(4)),
        receive_rtt: Some(Duration::from_millis(10)),
        ..view(at(0), 0)
    };
    let mut decisions = |next| {
        (0..4)
            .filter(|_| {
                ack.schedule();
                ack.decide(behind(next)) == Decision::Send
            })
            .count()
    };
    assert_eq!([decisions(1), decisions(2)], [3, 3]);
    assert_eq!(ack.timeout(), Some(at(0) + Duration::from_micros(200)));
    assert_eq!(ack.handle_timeout(at(0) + Duration::from_micros(199), RTO), Decision::Wait);
    assert_eq!(ack.handle_timeout(at(0) + Duration::from_micros(200), RTO), Decision::Send);
    ack.on_sent();
    assert_eq!(ack.timeout(), None);
}
