//! What a receiver takes, reports and acknowledges, segment by segment.

use std::num::NonZeroU16;

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{
    BufferLimits, Config, Flags, Options, Read, SackPermitted, Segment, SeqNumber, State, SynOptions,
    Timestamps,
};
use bentpipe_units::Bytes;

use crate::common::server::{MSS, Server, segment};
use crate::common::{at, config, expiry, ms};

fn server() -> Server {
    Server::open(&config(Algorithm::Cubic), SackPermitted::Yes)
}

/// The last answer's acknowledgement and blocks, in the peer's numbers.
fn told(answers: &[Segment]) -> (u32, Vec<(u32, u32)>) {
    let last = answers.last().expect("an answer");
    (last.ack.0, last.options.sack.as_slice().iter().map(|(start, end)| (start.0, end.0)).collect())
}

/// What the answer to data of `start..end` tells.
fn data(server: &mut Server, start: u32, end: u32) -> (u32, Vec<(u32, u32)>) {
    told(&server.receive(100, start, 1, 65_535, u64::from(end - start)))
}

fn fin(seq: u32, length: u64) -> Segment {
    Segment { flags: Flags::ACK.with(Flags::FIN), ..segment(seq, 1, 65_535, length) }
}

fn read_all(server: &mut Server, at_ms: u64) -> u64 {
    let mut read = 0;
    while let Ok(Read::Data(payload)) = server.connection.read(at(at_ms), u64::MAX) {
        read += payload.len();
    }
    read
}

#[test]
fn what_came_before_is_reported_as_a_duplicate_and_what_is_new_of_it_is_taken() {
    // RFC 2883 section 4.2; tcp_data_queue: tcp_dsack_set(seq, rcv_nxt).
    let mut server = server();
    assert_eq!(data(&mut server, 1, 1_001), (1_001, vec![]));
    assert_eq!(data(&mut server, 501, 1_501), (1_501, vec![(501, 1_001)]));
    assert_eq!(data(&mut server, 1, 1_001), (1_501, vec![(1, 1_001)]));
    assert_eq!(read_all(&mut server, 100), 1_500);
}

#[test]
fn what_overlaps_beyond_a_hole_is_reported_as_far_as_it_was_there() {
    // RFC 2883 section 4.1.3; tcp_data_queue_ofo: tcp_dsack_set(seq, end_seq of what was there), or all that is there of it.
    let after = |before: &[(u32, u32)], (start, end)| {
        let mut server = server();
        before.iter().for_each(|(start, end)| {
            data(&mut server, *start, *end);
        });
        data(&mut server, start, end)
    };
    let there = [(2_001, 3_001)];
    assert_eq!(after(&there, (2_501, 3_501)), (1, vec![(2_501, 3_001), (2_001, 3_501)]));
    assert_eq!(after(&there, (2_201, 2_301)), (1, vec![(2_201, 2_301), (2_001, 3_001)]));
    assert_eq!(after(&there, (2_001, 3_001)), (1, vec![(2_001, 3_001), (2_001, 3_001)]));
    assert_eq!(after(&there, (1_501, 2_101)), (1, vec![(2_001, 2_101), (1_501, 3_001)]));
    // A segment that covers what was there and more.
    assert_eq!(after(&there, (2_001, 3_101)), (1, vec![(2_001, 3_001), (2_001, 3_101)]));
    assert_eq!(after(&there, (1_901, 3_101)), (1, vec![(2_001, 3_001), (1_901, 3_101)]));
    // One that fills the hole and more: what it repeats is reported (tcp_ofo_queue).
    let two = [(2_001, 3_001), (4_001, 4_101)];
    assert_eq!(after(&two, (1, 2_101)), (3_001, vec![(2_001, 2_101), (4_001, 4_101)]));
}

#[test]
fn the_end_that_comes_before_what_it_ends_is_taken_when_that_has_come() {
    let mut server = server();
    server.take(100, fin(1_001, MSS));
    assert_eq!(server.connection.state(), State::Established);
    // Once more with all that it ends: rcv_nxt is beyond the FIN.
    assert_eq!(told(&server.take(100, fin(1, 2 * MSS))).0, 2_002);
    assert_eq!(server.connection.state(), State::CloseWait);
    assert_eq!(read_all(&mut server, 100), 2 * MSS);
    assert_eq!(server.connection.read(at(100), 1), Ok(Read::End));
}

#[test]
fn what_lies_behind_the_end_is_dropped() {
    // tcp_fin: "It _is_ possible, that we have something out-of-order _after_ FIN. Probably, we should reset in this case. For
    // now drop them."
    let mut server = server();
    server.take(100, fin(1_001, MSS));
    server.receive(100, 2_002, 1, 65_535, MSS);
    assert_eq!(data(&mut server, 1, 1_001).0, 2_002);
    assert_eq!((read_all(&mut server, 100), server.connection.state()), (2 * MSS, State::CloseWait));
}

#[test]
fn an_end_without_any_data_is_acknowledged_without_a_delay_but_by_the_timer() {
    // tcp_fin: inet_csk_schedule_ack; the delay of a connection without data is none yet (icsk_ack.ato), and the wheel's timer
    // expires with the next jiffy. tcp_data_queue measures nothing of it (skb->len).
    let mut server = server();
    assert!(server.take(100, fin(1, 0)).is_empty());
    let (due, answers) = server.expire();
    assert_eq!((due, told(&answers)), (expiry(at(100), ms(0)), (2, vec![])));
}

/// A server whose window of 4380 bytes is full, and where the next byte would be.
fn full() -> (Server, u32) {
    let limits = BufferLimits::tuned(Bytes::new(10_000), Bytes::new(10_000));
    let settings = Config { receive_buffer: limits, ..config(Algorithm::Cubic) };
    let mut server = Server::open(&settings, SackPermitted::Yes);
    let mut next = 1;
    while next < 4_381 {
        let length = (4_381 - next).min(MSS as u32);
        server.receive(100, next, 1, 65_535, u64::from(length));
        next += length;
    }
    // The last one is not a full one, and waits.
    assert_eq!(server.expire().1[0].window, 0);
    (server, next)
}

#[test]
fn a_full_window_takes_no_byte_but_the_end() {
    // RFC 9293 section 3.10.7.4, first check: acknowledged and dropped. tcp_data_queue: a bare FIN is queued where the window is
    // none.
    let (mut server, next) = full();
    assert_eq!(told(&server.receive(200, next, 1, 65_535, 1)).0, next);
    assert_eq!(told(&server.take(700, fin(next, 1))).0, next);
    assert_eq!((server.connection.unread(), server.connection.state()), (4_380, State::Established));
    server.take(1_400, fin(next, 0));
    assert_eq!(server.connection.state(), State::CloseWait);
}

#[test]
fn a_read_opens_the_window_again_unless_the_peer_has_finished() {
    // __tcp_cleanup_rbuf: !(sk->sk_shutdown & RCV_SHUTDOWN).
    for (has_finished, updates) in [(false, 1), (true, 0)] {
        let (mut server, next) = full();
        if has_finished {
            server.take(200, fin(next, 0));
            server.expire();
        }
        assert_eq!(read_all(&mut server, 400), 4_380);
        assert_eq!(server.sent(400).len(), updates, "finished: {has_finished}");
    }
}

#[test]
fn data_leave_room_for_the_blocks_beside_them() {
    // tcp_established_options: 4 bytes and 8 for each block, which tcp_current_mss takes off the segment.
    let mut server = server();
    for start in [2_001, 4_001, 6_001] {
        server.receive(100, start, 1, 65_535, 100);
    }
    let sent = server.write(100, 5 * MSS);
    let sizes = sent.iter().map(|segment| (segment.payload.len(), segment.options.sack.as_slice().len()));
    assert_eq!(sizes.collect::<Vec<_>>()[..4], [(MSS - 28, 3); 4]);
}

#[test]
fn a_gap_that_is_filled_is_acknowledged_at_once() {
    // RFC 5681 section 4.2; tcp_data_queue: ICSK_ACK_NOW where the queue out of order is empty. What follows is delayed.
    let mut server = server();
    for number in 0..20 {
        server.receive(100, 1 + 1_000 * number, 1, 65_535, MSS);
        read_all(&mut server, 100);
    }
    server.sent(100);
    server.receive(100, 21_001, 1, 65_535, MSS);
    server.receive(100, 23_001, 1, 65_535, MSS);
    assert_eq!(data(&mut server, 20_001, 21_001), (22_001, vec![(23_001, 24_001)]));
    assert_eq!(data(&mut server, 22_001, 23_001), (24_001, vec![]));
}

#[test]
fn the_peers_window_is_scaled_by_14_at_most_and_unscaled_in_its_syn() {
    // RFC 7323 sections 2.2 and 2.3.
    let open = |shift| {
        let syn = bentpipe_tcp::SynOptions {
            mss: MSS as u16,
            window_scale: Some(shift),
            sack: SackPermitted::Yes,
            fast_open: None,
        };
        let options = bentpipe_tcp::Options { syn: Some(syn), ..bentpipe_tcp::Options::default() };
        let mut server = Server::open_by(&config(Algorithm::Cubic), options);
        server.receive(100, 1, 1, 10, 0);
        server.receive(100, 1, 1, 20, 0);
        server.connection.info().send_window
    };
    // The handshake's window is of 65535 steps, which a smaller one of the same segment does not replace.
    assert_eq!([open(3), open(14), open(15)].map(Bytes::get), [65_535 << 3, 65_535 << 14, 65_535 << 14]);
}

#[test]
fn a_connection_takes_writes_until_its_direction_is_finished_or_it_has_ended() {
    let mut server = server();
    assert!(server.connection.is_writable());
    server.connection.shutdown();
    assert!(!server.connection.is_writable());
    let mut server = self::server();
    server.take(100, Segment { flags: Flags::RST, ..segment(1, 1, 0, 0) });
    assert!(!server.connection.is_writable());
}

#[test]
fn who_lets_go_after_its_end_was_acknowledged_waits_a_minute_for_that_of_the_peer() {
    // tcp_close: TCP_FIN_WAIT2, tcp_fin_timeout of 60 s.
    let mut server = server();
    server.connection.shutdown();
    server.sent(100);
    server.receive(200, 1, 2, 65_535, 0);
    assert_eq!((server.connection.state(), server.connection.poll_timeout()), (State::FinWait2, None));
    server.connection.close(at(1_000));
    assert_eq!(server.connection.poll_timeout(), Some(at(61_000)));
    server.connection.handle_timeout(at(60_999));
    assert_eq!(server.connection.state(), State::FinWait2);
    server.connection.handle_timeout(at(61_000));
    assert!(server.connection.is_closed());
}

#[test]
fn the_number_of_a_reset_must_be_the_next_one() {
    // RFC 5961 section 3.2: another one in the window is answered.
    for (seq, closes, answers) in [(1, true, 0), (2, false, 1), (1_000, false, 1)] {
        let mut server = server();
        let sent = server.take(100, Segment { flags: Flags::RST, ..segment(seq, 1, 0, 0) });
        assert_eq!((server.connection.is_closed(), sent.len()), (closes, answers), "{seq}");
        assert!(sent.iter().all(|answer| answer.ack == SeqNumber(1)));
    }
}

#[test]
fn the_window_opens_beyond_a_hole_as_it_did_on_linux() {
    // A packet capture of Linux 6.18 with tcp_rmem of 131072 and 6 MiB at first and at most, whose application reads at
    // once. Twice 1448 more for each packet, but for as much as its memory leaves; the fourth beyond the hole is 63712 bytes
    // away and makes the memory grow (tcp_rcvbuf_grow). Its own memory counts after tcp_grow_window: 618 and not 607.
    let receive_buffer = BufferLimits::tuned(Bytes::new(131_072), Bytes::new(6 << 20));
    let settings = Config { receive_buffer, ..config(Algorithm::Cubic) };
    let stamped = || Options { timestamps: Some(Timestamps { value: 1, echo: 1 }), ..Options::default() };
    let syn = SynOptions { mss: 1460, window_scale: Some(7), sack: SackPermitted::Yes, fast_open: None };
    let mut server = Server::open_by(&settings, Options { syn: Some(syn), ..stamped() });
    let mut window = |start, length| {
        let answers = server.take(100, Segment { options: stamped(), ..segment(start, 1, 502, length) });
        read_all(&mut server, 100);
        answers.last().map(|answer| answer.window)
    };
    let beyond = [14_497, 15_945, 31_873, 65_177];
    assert_eq!([window(1, 16), window(17, 1_448), window(1_465, 1_448)], [509, 532, 555].map(Some));
    assert_eq!(beyond.map(|start| window(start, 1_448)), [577, 600, 607, 618].map(Some));
    assert_eq!([2_913, 4_361, 5_809].map(|start| window(start, 1_448)), [641, 663, 668].map(Some));
}

#[test]
fn a_fin_that_finds_no_memory_is_acknowledged_at_once() {
    // tcp_data_queue: tcp_try_rmem_schedule fails, ICSK_ACK_NOW; else it waits for 40 ms.
    let acknowledged = |memory: u64| {
        let receive_buffer = BufferLimits::fixed(Bytes::new(memory));
        let config = Config { receive_buffer, ..config(Algorithm::Cubic) };
        let mut server = Server::open(&config, SackPermitted::No);
        // What was announced may come, however much memory it takes.
        let data = Segment { gso_size: NonZeroU16::new(1000), ..segment(1, 1, 65_535, 4_000) };
        server.take(200, data);
        let fin = Flags::ACK.with(Flags::FIN);
        server.take(400, Segment { flags: fin, ..segment(4_001, 1, 65_535, 0) }).len()
    };
    assert_eq!([131_072, 4_700].map(acknowledged), [0, 1]);
}
