//! Opening a connection.

use crate::common;
use crate::common::server::{Server, segment};
use crate::common::{Direction, PORT, Pair, Reading, Side, at, cubic, expiry, ms, without_timestamps};
use bentpipe_tcp::{
    Closed, Config, Connection, CookieKey, Event, FastOpen, Flags, HandshakeRetries, Options, Payload, Read,
    SackPermitted, Segment, SeqNumber, State, SynOptions,
};

const SYN: Flags = Flags::SYN;

#[test]
fn a_handshake_takes_one_round_trip_for_the_client_and_one_and_a_half_for_the_server() {
    let mut pair = Pair::symmetric(ms(600));
    pair.open();
    assert_eq!(pair.client.time_of(Event::Connected), Some(at(600)));
    assert_eq!(pair.server.time_of(Event::Connected), Some(at(900)));
    assert_eq!(pair.client.conn().local().port(), 32_768);
    assert_eq!(pair.client.conn().remote().port(), PORT);
}

#[test]
fn the_packets_of_a_handshake_are_60_60_and_52_bytes_long() {
    // IPv4 20, TCP 20; MSS 4, SACK-permitted and timestamps 12, window scale 4; then timestamps alone, 12.
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    let wire: Vec<_> = pair.log.iter().map(|record| record.wire).collect();
    assert_eq!(wire, [60, 60, 52]);
}

#[test]
fn without_timestamps_packets_are_52_52_and_40_bytes_long_and_windows_those_of_44_segments() {
    // SACK-permitted takes four bytes of its own; segments have 1460 bytes of payload, so that both ends open alike.
    let (up, down) = (Direction::delay(ms(50)), Direction::delay(ms(50)));
    let mut pair = Pair::new(without_timestamps(), without_timestamps(), up, down);
    pair.open();
    let wire: Vec<_> = pair.log.iter().map(|record| record.wire).collect();
    assert_eq!(wire, [52, 52, 40]);
    assert_eq!((pair.log[0].window, pair.log[1].window), (64_240, 64_240));
    assert_eq!(pair.server.conn().info().cwnd.get(), 10 * 1460);
}

#[test]
fn timestamps_of_one_end_alone_are_not_used() {
    // RFC 7323 section 3.2: both SYNs must have them. What the client offers the server does not answer.
    for (client, server, syn) in [(cubic(), without_timestamps(), 60), (without_timestamps(), cubic(), 52)] {
        let mut pair = Pair::new(client, server, Direction::delay(ms(50)), Direction::delay(ms(50)));
        pair.open();
        let wire: Vec<_> = pair.log.iter().map(|record| record.wire).collect();
        assert_eq!(wire, [syn, 52, 40]);
        assert_eq!(pair.log[1].window, 64_240);
    }
}

#[test]
fn without_timestamps_a_repeated_syn_measures_no_round_trip() {
    // Karn: which of the two was answered nobody knows.
    let (up, down) = (Direction::delay(ms(50)), Direction::delay(ms(50)));
    let mut pair = Pair::new(without_timestamps(), without_timestamps(), up, down);
    pair.up.lose = [0].into();
    pair.open();
    assert_eq!(pair.client.conn().info().srtt, None);
}

#[test]
fn windows_open_as_wide_as_linux_opens_them() {
    // Half of tcp_rmem is 65536: 44 segments of 1460, or 45 of 1448 once timestamps are agreed on; a packet capture
    // of Linux 6.18 shows the same. Then in steps of 2^11 (a limit of 64 MiB).
    let mut pair = Pair::symmetric(ms(100));
    pair.open();
    assert_eq!(pair.log[0].window, 64_240);
    assert_eq!(pair.log[1].window, 65_160);
    assert_eq!(u64::from(pair.log[2].window) << 11, 65_536);
}

#[test]
fn with_20_segments_windows_open_as_linux_before_4_20_opened_them() {
    // tcp_default_init_rwnd: 2 * TCP_INIT_CWND, of 1460 in the SYN and of 1448 in its answer.
    let old = Config { initial_receive_window: Some(20), ..cubic() };
    let mut pair = Pair::new(old.clone(), old, Direction::delay(ms(50)), Direction::delay(ms(50)));
    pair.open();
    assert_eq!((pair.log[0].window, pair.log[1].window), (29_200, 28_960));
}

#[test]
fn both_ends_measure_the_round_trip_of_the_handshake() {
    let mut pair = Pair::symmetric(ms(600));
    pair.open();
    assert_eq!(pair.client.conn().info().srtt, Some(ms(600)));
    assert_eq!(pair.server.conn().info().srtt, Some(ms(600)));
    // RFC 6298 section 2.2: three round trips.
    assert_eq!(pair.client.conn().info().rto, ms(1800));
}

#[test]
fn a_lost_syn_is_repeated_after_one_second_four_times_and_then_doubling() {
    // tcp_syn_linear_timeouts: five times one second, then 2, 4, 8, 16, 32, 64. The kernel's timer wheel has slots of 8
    // jiffies for up to 2 s, of 64 for up to 16 s and of 512 for more, and a timer expires with the slot after its own: 250
    // jiffies from jiffy 0 with 256, 500 from 1280 with 1784, 1000 from there with 2816, 8000 from 8896 with 17408.
    let mut pair = Pair::symmetric(ms(100));
    pair.up.lose = (0..100).collect();
    pair.run_until(at(300_000));
    let sent: Vec<_> = pair.log.iter().map(|record| record.at).collect();
    let jiffies = [0, 256, 512, 768, 1_024, 1_280, 1_784, 2_816, 4_864, 8_896, 17_408];
    assert_eq!(sent, jiffies.map(|jiffy| at(jiffy * 4)));
    // 16,000 from the last.
    assert_eq!(pair.client.time_of(Event::Closed(Closed::TimedOut)), Some(at(33_792 * 4)));
}

#[test]
fn a_lost_syn_ack_is_repeated_after_one_second() {
    let mut pair = Pair::symmetric(ms(100));
    pair.down.lose = [0].into();
    pair.open();
    // The server sent it in jiffy 12. Its 250 jiffies end with the slot at 264, before the client's second SYN comes, which
    // leaves with jiffy 256.
    assert_eq!(pair.client.time_of(Event::Connected), Some(at(264 * 4 + 50)));
}

#[test]
fn a_syn_that_comes_again_is_answered_again_and_the_answer_waits_as_long_as_the_first() {
    // tcp_check_req: inet_rtx_syn_ack, expires = jiffies + reqsk_timeout. The first answer would be repeated at 1.73 s, at
    // which the second SYN is there, and the acknowledgement comes at 2.1 s.
    let mut pair = Pair::symmetric(ms(1_400));
    pair.open();
    let answers: Vec<_> =
        pair.log.iter().filter(|record| record.flags == Flags::SYN.with(Flags::ACK)).collect();
    assert_eq!(answers.iter().map(|record| record.at).collect::<Vec<_>>(), [at(700), at(1_724)]);
    // No timeout: the window is not reduced, and timestamps tell the round trip.
    pair.run_until(at(3_000));
    let info = pair.server.conn().info();
    assert_eq!((info.cwnd.get(), info.srtt), (10 * common::MSS, Some(ms(1_400))));
}

#[test]
fn a_server_that_waits_for_data_opens_by_them_or_by_an_acknowledgement_when_that_time_is_over() {
    // TCP_DEFER_ACCEPT: tcp_check_req, syn_ack_recalc. The waits are 1, 2 and 4 s: of two, the second asks again.
    let retries = HandshakeRetries { deferred: 2, ..HandshakeRetries::LINUX };
    let config = Config { retries, ..cubic() };
    let opening = || {
        let syn = SynOptions { mss: 1000, window_scale: None, sack: SackPermitted::Yes, fast_open: None };
        let options = Options { syn: Some(syn), ..Options::default() };
        let syn = Segment { flags: Flags::SYN, options, ..segment(0, 0, 65_535, 0) };
        let mut connection = Connection::accept(&config, &syn, at(0));
        let isn = connection.poll_transmit(at(0)).expect("a SYN-ACK").seq.0;
        let acknowledges =
            move |length| Segment { ack: SeqNumber(isn.wrapping_add(1)), ..segment(1, 1, 65_535, length) };
        connection.handle_segment(at(100), &acknowledges(0));
        assert_eq!(connection.state(), State::SynReceived);
        (connection, acknowledges)
    };

    let (mut by_data, acknowledges) = opening();
    by_data.handle_segment(at(200), &acknowledges(10));
    assert_eq!(by_data.state(), State::Established);

    let (mut by_time, acknowledges) = opening();
    let mut repeated = Vec::new();
    for _ in 0..2 {
        let due = by_time.poll_timeout().expect("a timer");
        by_time.handle_timeout(due);
        repeated.extend(std::iter::from_fn(|| by_time.poll_transmit(due)).map(|_| due));
    }
    assert_eq!(repeated, [expiry(expiry(at(0), ms(1_000)), ms(2_000))]);
    by_time.handle_segment(repeated[0], &acknowledges(0));
    assert_eq!(by_time.state(), State::Established);
}

#[test]
fn who_waits_for_data_gives_a_request_up_after_all_repetitions_and_the_time_that_it_waits() {
    // syn_ack_recalc: both have to be over for one that was acknowledged.
    let given_up = |syn_ack, deferred, is_acknowledged| {
        let retries = HandshakeRetries { syn_ack, deferred, ..HandshakeRetries::LINUX };
        let syn = SynOptions { mss: 1000, window_scale: None, sack: SackPermitted::Yes, fast_open: None };
        let options = Options { syn: Some(syn), ..Options::default() };
        let syn = Segment { flags: Flags::SYN, options, ..segment(0, 0, 65_535, 0) };
        let mut connection = Connection::accept(&Config { retries, ..cubic() }, &syn, at(0));
        let isn = connection.poll_transmit(at(0)).expect("a SYN-ACK").seq.0;
        if is_acknowledged {
            let ack = SeqNumber(isn.wrapping_add(1));
            connection.handle_segment(at(100), &Segment { ack, ..segment(1, 1, 65_535, 0) });
        }
        let mut last = at(0);
        while let Some(due) = connection.poll_timeout() {
            connection.handle_timeout(due);
            while connection.poll_transmit(due).is_some() {}
            last = due;
        }
        assert_eq!(connection.ended(), Some(Closed::TimedOut));
        last.since(at(0)).as_secs_f64().round()
    };
    // Waits of 1, 2 and 4 s, each a little longer by the wheel.
    for (syn_ack, deferred, is_acknowledged, expected_s) in
        [(1, 0, false, 3.0), (1, 2, true, 7.0), (1, 2, false, 3.0), (2, 1, true, 7.0)]
    {
        let found = given_up(syn_ack, deferred, is_acknowledged);
        assert!((expected_s..=expected_s + 1.0).contains(&found), "{syn_ack} {deferred}: {found}");
    }
}

#[test]
fn syns_in_quick_succession_are_answered_twice_a_second() {
    // tcp_oow_rate_limited: tcp_invalid_ratelimit of 500 ms.
    let mut server = Server::open(&cubic(), SackPermitted::Yes);
    let syn = SynOptions { mss: 1460, window_scale: None, sack: SackPermitted::Yes, fast_open: None };
    let opening = Segment {
        flags: Flags::SYN,
        options: Options { syn: Some(syn), ..Options::default() },
        ..segment(0, 0, 65_535, 0)
    };
    server.connection = Connection::accept(&cubic(), &opening, at(0));
    assert_eq!(server.sent(0).len(), 1);
    let mut answers = |at_ms| {
        server.connection.handle_segment(at(at_ms), &opening);
        server.sent(at_ms).len()
    };
    assert_eq!([10, 20, 509, 510].map(&mut answers), [1, 0, 0, 1]);
}

#[test]
fn one_lost_syn_costs_a_second_and_not_the_initial_window() {
    let mut pair = Pair::symmetric(ms(100));
    pair.up.lose = [0].into();
    pair.open();
    assert_eq!(pair.client.conn().info().cwnd.get(), 10 * common::MSS);
    assert_eq!(pair.client.conn().info().srtt, Some(ms(100)));
}

#[test]
fn two_lost_syns_leave_an_initial_window_of_one_segment() {
    // RFC 6928 section 2.
    let mut pair = Pair::symmetric(ms(100));
    pair.up.lose = [0, 1].into();
    pair.open();
    assert_eq!(pair.client.conn().info().cwnd.get(), common::MSS);
    assert_eq!(pair.server.conn().info().cwnd.get(), 10 * common::MSS);
}

#[test]
fn a_syn_to_a_port_where_nobody_listens_is_refused() {
    let mut pair = Pair::symmetric(ms(100));
    pair.server.endpoint.close_listener(PORT);
    pair.run_until(at(1000));
    assert_eq!(pair.client.time_of(Event::Closed(Closed::Refused)), Some(at(100)));
    assert_eq!(pair.log[1].flags, Flags::RST.with(Flags::ACK));
    assert_eq!(pair.log[1].wire, 40);
}

#[test]
fn two_syns_that_cross_make_one_connection() {
    // RFC 9293 figure 8.
    let mut pair = Pair::symmetric(ms(100));
    let local = pair.client.conn().local();
    let mut other = cubic();
    other.seed = 99;
    let server = std::net::SocketAddrV4::new(pair.server.endpoint.address(), PORT);
    pair.server.connection = Some(bentpipe_tcp::Connection::connect(&other, server, local, pair.now));
    // The client's SYN goes to the connection rather than to the listener.
    let syn = pair.client.conn().poll_transmit(pair.now).expect("a SYN");
    let answer = pair.server.conn().poll_transmit(pair.now).expect("a SYN");
    assert_eq!((syn.flags, answer.flags), (SYN, SYN));
    pair.server.conn().handle_segment(at(50), &syn);
    pair.client.conn().handle_segment(at(50), &answer);
    let first = pair.client.conn().poll_transmit(at(50)).expect("a SYN-ACK");
    let second = pair.server.conn().poll_transmit(at(50)).expect("a SYN-ACK");
    assert_eq!(first.flags, SYN.with(Flags::ACK));
    pair.server.conn().handle_segment(at(100), &first);
    pair.client.conn().handle_segment(at(100), &second);
    assert_eq!(pair.client.conn().state(), State::Established);
    assert_eq!(pair.server.conn().state(), State::Established);
}

#[test]
fn fast_open_brings_the_request_a_round_trip_earlier() {
    let server = bentpipe_tcp::Config { fast_open: FastOpen::Server(CookieKey::drawn(5)), ..cubic() };
    let asking = bentpipe_tcp::Config { fast_open: FastOpen::Request, ..cubic() };
    let mut first = Pair::new(asking, server.clone(), Direction::delay(ms(300)), Direction::delay(ms(300)));
    first.open();
    // Request of 4 bytes, cookie of 12.
    assert_eq!((first.log[0].wire, first.log[1].wire), (64, 72));
    let cookie = first.client.conn().fast_open_cookie().expect("a cookie");

    let knowing =
        bentpipe_tcp::Config { fast_open: FastOpen::Client { cookie: Some(cookie), mss: None }, ..cubic() };
    let mut second = Pair::new(knowing, server, Direction::delay(ms(300)), Direction::delay(ms(300)));
    second.client.conn().write(at(0), &Payload::Bytes("GET /".into())).expect("room");
    second.server.backlog.push(Payload::Bytes("hello".into()));
    second.run_until(at(3000));
    assert_eq!(second.server.bytes, b"GET /");
    assert_eq!(second.server.last_read_at, at(300));
    assert_eq!(second.client.bytes, b"hello");
    assert_eq!(second.client.last_read_at, at(600));
}

/// A client that has a cookie, and a server that grants it.
fn acquainted() -> Pair {
    let server = bentpipe_tcp::Config { fast_open: FastOpen::Server(CookieKey::drawn(5)), ..cubic() };
    let asking = bentpipe_tcp::Config { fast_open: FastOpen::Request, ..cubic() };
    let mut first = Pair::new(asking, server.clone(), Direction::delay(ms(300)), Direction::delay(ms(300)));
    first.open();
    let cookie = first.client.conn().fast_open_cookie().expect("a cookie");
    let knowing =
        bentpipe_tcp::Config { fast_open: FastOpen::Client { cookie: Some(cookie), mss: None }, ..cubic() };
    Pair::new(knowing, server, Direction::delay(ms(300)), Direction::delay(ms(300)))
}

#[test]
fn a_syn_with_a_cookie_waits_for_the_first_write_and_carries_1420_bytes_of_it() {
    // tcp_send_syn_data: 1500 less 20 and 20, less 40 for options.
    let mut pair = acquainted();
    assert!(pair.client.conn().awaits_first_write());
    pair.client.conn().write(at(0), &Payload::Length(3_000)).expect("room");
    pair.run_until(at(3_000));
    assert!(!pair.client.conn().awaits_first_write());
    assert_eq!((pair.log[0].flags, pair.log[0].payload), (SYN, 1_420));
    assert_eq!(pair.server.received, 3_000);
    // RFC 7413 section 4.2.1: what the SYN-ACK acknowledges does not leave again.
    assert_eq!(pair.data_from(Side::Client).map(|record| record.payload).sum::<u64>(), 3_000);
}

#[test]
fn a_server_may_use_a_connection_by_fast_open_when_the_syn_comes_and_hears_of_it_once() {
    let mut pair = acquainted();
    pair.client.conn().write(at(0), &Payload::Bytes("GET /".into())).expect("room");
    pair.run_until(at(3_000));
    let connected: Vec<_> = pair
        .server
        .events
        .iter()
        .filter(|(_, event)| *event == Event::Connected)
        .map(|(at, _)| *at)
        .collect();
    assert_eq!(connected, [at(300)]);
    assert_eq!(pair.client.time_of(Event::Connected), Some(at(600)));
}

#[test]
fn a_first_flight_lost_after_fast_open_is_repeated_when_the_timeout_of_the_syn_acks_round_trip_is_over() {
    // tcp_synack_rtt_meas gives SRTT + 4 RTTVAR = 3 R (RFC 6298 section 2.2), and tcp_rcv_synrecv_state_fastopen starts the
    // timer when the SYN-ACK is acknowledged. Nothing is probed: no tail loss probe is set before (tcp_schedule_loss_probe).
    let mut pair = acquainted();
    pair.down.lose = [1].into();
    pair.client.conn().write(at(0), &Payload::Bytes("GET /".into())).expect("room");
    pair.server.backlog.push(Payload::Bytes("hello".into()));
    pair.run_until(at(5_000));
    let sent: Vec<_> = pair.data_from(Side::Server).map(|packet| packet.at).collect();
    assert_eq!(sent, [at(300), expiry(at(900), ms(1_800))]);
    assert_eq!(pair.client.bytes, b"hello");
}

#[test]
fn data_that_the_first_acknowledgement_covers_give_a_round_trip_of_their_own() {
    // tcp_rcv_state_process: tcp_ack comes before `if (!tp->srtt_us) tcp_synack_rtt_meas`. One sample, of which RTTVAR is half.
    let mut pair = acquainted();
    pair.client.conn().write(at(0), &Payload::Bytes("GET /".into())).expect("room");
    // The acknowledgement of the SYN-ACK of 300 ms is lost; that of data of 500 ms is the first, after 800 and 600 ms.
    pair.up.lose = [1].into();
    pair.run_until(at(500));
    pair.send(Side::Server, Payload::Bytes("hello".into()));
    pair.run_until(at(1_100));
    let rtt = ms(600);
    let server = pair.server.conn();
    assert_eq!(server.info().srtt, Some(rtt));
    assert_eq!(server.info().rto, rtt * 3);
}

#[test]
fn data_after_those_of_a_syn_are_the_first_and_acknowledged_at_once() {
    // tcp_fastopen_add_skb leaves out tcp_event_data_recv: the timeout for acknowledgements is not set yet when the answer
    // is sent, so that this is no exchange of question and answer, and the next data start 16 quick acknowledgements.
    let mut pair = acquainted();
    pair.client.conn().write(at(0), &Payload::Bytes("GET /".into())).expect("room");
    pair.server.backlog.push(Payload::Bytes("hello".into()));
    pair.run_until(at(1_000));
    let before = pair.log.len();
    pair.send(Side::Client, Payload::Bytes("more".into()));
    pair.run_until(at(2_000));
    let sent: Vec<_> = pair.log[before..].iter().map(|packet| (packet.from, packet.at)).collect();
    assert_eq!(sent, [(Side::Client, at(1_000)), (Side::Server, at(1_300))]);
}

#[test]
fn a_lost_syn_with_data_is_repeated_without_them() {
    // RFC 7413 section 4.1.3: the retransmission has neither the option nor the data.
    let mut pair = acquainted();
    pair.up.lose = [0].into();
    pair.client.conn().write(at(0), &Payload::Bytes("GET /".into())).expect("room");
    pair.run_until(at(5_000));
    assert_eq!((pair.log[1].flags, pair.log[1].payload, pair.log[1].wire), (SYN, 0, 60));
    assert_eq!(pair.server.bytes, b"GET /");
    // The second's slot ends with jiffy 256.
    assert_eq!(pair.server.last_read_at, at(256 * 4 + 900));
}

#[test]
fn a_server_that_does_not_know_fast_open_gets_the_data_after_the_handshake() {
    let client = acquainted().client.config;
    let mut pair = Pair::new(client, cubic(), Direction::delay(ms(300)), Direction::delay(ms(300)));
    pair.client.conn().write(at(0), &Payload::Bytes("GET /".into())).expect("room");
    pair.run_until(at(3_000));
    assert_eq!(pair.server.bytes, b"GET /");
    assert_eq!(pair.server.last_read_at, at(900));
    assert_eq!(pair.client.conn().fast_open_cookie(), None);
}

#[test]
fn fast_open_with_a_wrong_cookie_falls_back_to_the_ordinary_handshake() {
    let server = bentpipe_tcp::Config { fast_open: FastOpen::Server(CookieKey::drawn(5)), ..cubic() };
    let wrong = FastOpen::Client { cookie: bentpipe_tcp::Cookie::new(&[0; 8]), mss: None };
    let client = bentpipe_tcp::Config { fast_open: wrong, ..cubic() };
    let mut pair = Pair::new(client, server, Direction::delay(ms(300)), Direction::delay(ms(300)));
    pair.client.conn().write(at(0), &Payload::Bytes("GET /".into())).expect("room");
    pair.run_until(at(3000));
    assert_eq!(pair.server.bytes, b"GET /");
    assert_eq!(pair.server.last_read_at, at(900));
    assert!(pair.client.conn().fast_open_cookie().is_some());
}

#[test]
fn a_reader_that_pauses_hears_of_data_once_it_came() {
    let mut pair = Pair::symmetric(ms(100));
    pair.server.reading = Reading::Paused;
    pair.open();
    pair.send(Side::Client, Payload::Bytes("ping".into()));
    pair.run_until(at(500));
    assert_eq!(pair.server.time_of(Event::Readable), Some(at(200)));
    assert_eq!(pair.server.conn().unread(), 4);
}

#[test]
fn data_and_the_end_that_come_with_a_syn_ack_are_taken() {
    // RFC 9293 section 3.10.7.3, fourth step: "If there are other controls or text in the segment, then continue processing
    // at the sixth step". (Linux's client leaves them to be retransmitted, tcp_rcv_synsent_state_process.)
    let mut pair = Pair::symmetric(ms(100));
    let syn = pair.client.conn().poll_transmit(at(0)).expect("a SYN");
    let config = pair.server.config.clone();
    let answer =
        bentpipe_tcp::Connection::accept(&config, &syn, at(50)).poll_transmit(at(50)).expect("a SYN-ACK");
    let flags = answer.flags.with(Flags::FIN);
    let answer = Segment { payload: Payload::Bytes("hello".into()), flags, ..answer };
    pair.client.conn().handle_segment(at(100), &answer);
    assert_eq!(pair.client.conn().state(), State::CloseWait);
    let ack = pair.client.conn().poll_transmit(at(100)).expect("an acknowledgement");
    assert_eq!(ack.ack.0.wrapping_sub(answer.seq.0), 1 + 5 + 1);
    assert_eq!(pair.client.conn().read(at(100), 100), Ok(Read::Data(Payload::Bytes("hello".into()))));
    assert_eq!(pair.client.conn().read(at(100), 100), Ok(Read::End));
}

#[test]
fn syns_that_were_repeated_needlessly_leave_the_initial_window_as_it_is() {
    // tcp_try_undo_spurious_syn: the echo is that of the first SYN. Its answer takes 2500 ms, before which it was repeated twice.
    let (up, down) = (Direction::delay(ms(1_250)), Direction::delay(ms(1_250)));
    let mut pair = Pair::new(cubic(), cubic(), down, up);
    pair.run_until(at(2_600));
    let info = pair.client.conn().info();
    assert_eq!((info.retransmitted_segments, info.srtt), (2, Some(ms(2_500))));
    assert_eq!(info.cwnd.get(), 10 * common::MSS);
}
