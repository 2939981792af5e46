//! What a single segment of the peer is answered with; `tests/packetdrill` has the kernel answer the same.

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{
    Connection, Flags, Offload, Options, Read, SackPermitted, Segment, SeqNumber, State, SynOptions,
    Timestamps,
};
use bentpipe_units::Bytes;

use crate::common::server::{MSS, Server, segment};
use crate::common::{at, config};

fn server() -> Server {
    Server::open(&config(Algorithm::Cubic), SackPermitted::Yes)
}

#[test]
fn what_is_out_of_order_is_reported_to_peers_alone_that_welcome_it() {
    // RFC 2018 section 2.
    for (sack, blocks) in [(SackPermitted::Yes, 1), (SackPermitted::No, 0)] {
        let mut server = Server::open(&config(Algorithm::Cubic), sack);
        let answers = server.receive(100, 1001, 1, 65_535, MSS);
        assert_eq!(answers[0].options.sack.as_slice().len(), blocks, "{sack:?}");
    }
}

#[test]
fn an_acknowledgement_of_what_was_not_sent_is_answered() {
    // RFC 9293 section 3.10.7.4, fifth check.
    let mut server = server();
    let answers = server.receive(100, 1, 5001, 65_535, 0);
    assert_eq!(answers.len(), 1);
    assert_eq!((answers[0].flags, answers[0].ack), (Flags::ACK, SeqNumber(1)));
    // No more often than twice a second (tcp_invalid_ratelimit).
    assert!(server.receive(200, 1, 5001, 65_535, 0).is_empty());
}

#[test]
fn data_that_nobody_will_read_is_reset_with_the_number_that_it_acknowledges() {
    // RFC 1122 section 4.2.2.13; tcp_v4_send_reset.
    let mut server = server();
    server.connection.close(at(100));
    server.sent(100);
    server.receive(200, 1, 2, 65_535, 0);
    let answers = server.receive(200, 1, 2, 65_535, MSS);
    assert_eq!((answers[0].flags, answers[0].seq.0), (Flags::RST, server.isn.wrapping_add(2)));
    assert!(server.connection.is_closed());
}

#[test]
fn a_window_that_opens_after_an_idle_time_restarts_the_congestion_window() {
    // tcp_ack_update_window: tcp_slow_start_after_idle_check where something waits.
    let mut server = server();
    server.connection.set_send_buffer(Bytes::new(400_000));
    server.write(100, 10 * MSS);
    server.receive(200, 1, 10_001, 65_535, 0);
    server.write(200, 10 * MSS);
    server.receive(300, 1, 20_001, 0, 0);
    server.write(300, 20 * MSS);
    let cwnd = |server: &Server| server.connection.info().cwnd.get() / MSS;
    assert!(cwnd(&server) > 10);
    server.receive(5000, 1, 20_001, 65_535, 0);
    assert_eq!(cwnd(&server), 10);
}

#[test]
fn gso_packets_have_as_many_segments_as_the_host_says() {
    // tcp_min_tso_segs: a push ends each GSO packet of several segments.
    for (min_segments, pushes) in [(2, 5), (5, 2)] {
        let offload = Offload { min_segments, ..Offload::LINUX };
        let settings = bentpipe_tcp::Config { offload, ..config(Algorithm::Cubic) };
        let mut server = Server::open(&settings, SackPermitted::Yes);
        let sent = server.write(100, 20 * MSS);
        assert_eq!(sent.len(), 10);
        assert_eq!(sent.iter().filter(|segment| segment.flags.contains(Flags::PSH)).count(), pushes);
    }
}

#[test]
fn strays_are_answered_twice_a_second() {
    // tcp_invalid_ratelimit: HZ / 2.
    let mut server = server();
    let answers = [100, 599, 600].map(|at_ms| server.receive(at_ms, 1, 5001, 65_535, 0).len());
    assert_eq!(answers, [1, 0, 1]);
}

/// Lengths of what a server sends of 1000 bytes to a peer whose SYN announced this MSS.
fn lengths_to_a_peer_with(mss: Option<u16>) -> Vec<u64> {
    let syn =
        mss.map(|mss| SynOptions { mss, window_scale: None, sack: SackPermitted::Yes, fast_open: None });
    let mut server = Server::open_by(&config(Algorithm::Cubic), Options { syn, ..Options::default() });
    server.write(100, 1000).iter().map(|segment| segment.payload.len()).collect()
}

#[test]
fn a_peer_that_announces_no_mss_gets_536_bytes() {
    // RFC 9293 section 3.7.1: MUST-15.
    assert_eq!(lengths_to_a_peer_with(None), [536, 464]);
}

#[test]
fn no_peer_gets_less_than_88_bytes() {
    // TCP_MIN_MSS.
    assert_eq!(lengths_to_a_peer_with(Some(20))[0], 88);
    assert_eq!(lengths_to_a_peer_with(Some(90))[0], 90);
}

#[test]
fn a_syn_ack_is_repeated_five_times_at_doubling_distances() {
    // tcp_synack_retries: 5; tcp_rtx_synack, after 1, 2, 4, 8 and 16 s, and 32 s later it is over. In jiffies of 4 ms, each
    // to the slot after its own, of 8, 8, 64, 64, 64 and 512: 250 from 0 to 256, 500 from there to 760, and so on.
    let opening = Segment { flags: Flags::SYN, ..segment(0, 0, 65_535, 0) };
    let mut connection = Connection::accept(&config(Algorithm::Cubic), &opening, at(0));
    let mut sent = Vec::new();
    let mut now = at(0);
    while !connection.is_closed() {
        if connection.poll_transmit(now).is_some() {
            sent.push(now);
        }
        now = connection.poll_timeout().expect("a timer");
        connection.handle_timeout(now);
    }
    let jiffies = [0, 256, 760, 1_792, 3_840, 7_872].map(|jiffy| at(jiffy * 4));
    assert_eq!((sent.as_slice(), now), (jiffies.as_slice(), at(16_384 * 4)));
}

#[test]
fn a_syn_that_comes_again_is_answered_again() {
    // RFC 9293 section 3.10.7.4, fourth check, SYN-RECEIVED: the client did not hear the answer (tcp_check_req).
    let syn = SynOptions { mss: MSS as u16, window_scale: None, sack: SackPermitted::Yes, fast_open: None };
    let options = Options { syn: Some(syn), ..Options::default() };
    let opening = Segment { flags: Flags::SYN, options, ..segment(0, 0, 65_535, 0) };
    let mut connection = Connection::accept(&config(Algorithm::Cubic), &opening, at(0));
    let first = connection.poll_transmit(at(0)).expect("a SYN-ACK");
    assert_eq!(connection.poll_transmit(at(0)), None);
    connection.handle_segment(at(500), &opening);
    assert_eq!(connection.poll_transmit(at(500)), Some(first));
    assert_eq!(connection.state(), State::SynReceived);
}

#[test]
fn what_lies_outside_of_the_window_is_acknowledged_and_left_unless_it_is_a_reset() {
    // RFC 9293 section 3.10.7.4, first check; tcp_sequence takes what begins where the window ends: 44 segments of 1460
    // behind the SYN.
    for (seq, answers) in [(64_241, 0), (64_242, 1), (100_001, 1)] {
        let mut server = server();
        assert_eq!(server.receive(100, seq, 1, 65_535, 0).len(), answers, "{seq}");
        assert_eq!(server.connection.unread(), 0);
    }
    let mut server = server();
    let reset = Segment { flags: Flags::RST, ..segment(100_001, 1, 0, 0) };
    assert!(server.take(100, reset).is_empty());
    assert_eq!(server.connection.state(), State::Established);
}

/// A server whose peer has timestamps, the last of which was 100.
fn with_timestamps() -> Server {
    let syn = SynOptions { mss: MSS as u16, window_scale: None, sack: SackPermitted::Yes, fast_open: None };
    let timestamps = Some(Timestamps { value: 100, echo: 0 });
    Server::open_by(&config(Algorithm::Cubic), Options { syn: Some(syn), timestamps, ..Options::default() })
}

fn stamped(value: u32, segment: Segment) -> Segment {
    let timestamps = Some(Timestamps { value, echo: 0 });
    Segment { options: Options { timestamps, ..Options::default() }, ..segment }
}

#[test]
fn an_older_timestamp_is_refused_and_acknowledged_unless_it_is_that_of_a_reset() {
    // RFC 7323 section 5.3, R1.
    let mut server = with_timestamps();
    let answers = server.take(200, stamped(99, segment(1, 1, 65_535, 500)));
    assert_eq!((answers.len(), answers[0].ack), (1, SeqNumber(1)));
    assert_eq!(server.connection.unread(), 0);
    server.take(200, stamped(100, segment(1, 1, 65_535, 500)));
    assert_eq!(server.connection.unread(), 500);
    let reset = Segment { flags: Flags::RST, ..segment(501, 1, 0, 0) };
    server.take(200, stamped(99, reset));
    assert!(server.connection.is_closed());
}

#[test]
fn the_timestamp_of_the_earliest_segment_that_is_not_acknowledged_is_echoed() {
    // RFC 7323 section 4.3: TS.Recent is that of a segment that begins at or before Last.ACK.sent.
    let mut server = with_timestamps();
    let echo = |answers: Vec<Segment>| answers[0].options.timestamps.map(|timestamps| timestamps.echo);
    assert_eq!(echo(server.take(200, stamped(120, segment(501, 1, 65_535, 500)))), Some(100));
    assert_eq!(echo(server.take(210, stamped(130, segment(1, 1, 65_535, 500)))), Some(130));
    assert_eq!(echo(server.take(220, stamped(140, segment(1_001, 1, 65_535, 500)))), Some(140));
}

#[test]
fn what_was_read_and_comes_again_after_a_close_is_acknowledged_and_does_not_reset() {
    // tcp_rcv_state_process, TCP_FIN_WAIT2: after(end_seq - fin, rcv_nxt) alone resets.
    let mut server = server();
    server.receive(100, 1, 1, 65_535, MSS);
    server.receive(100, 1001, 1, 65_535, MSS);
    while let Ok(Read::Data(_)) = server.connection.read(at(100), u64::MAX) {}
    server.connection.close(at(100));
    server.sent(100);
    server.receive(200, 2001, 2, 65_535, 0);
    assert_eq!(server.connection.state(), State::FinWait2);
    let answers = server.receive(300, 1001, 2, 65_535, MSS);
    assert_eq!(
        answers.iter().map(|answer| (answer.flags, answer.ack)).collect::<Vec<_>>(),
        [(Flags::ACK, SeqNumber(2001))]
    );
    assert_eq!(server.connection.state(), State::FinWait2);
}

#[test]
fn a_fin_that_comes_again_is_acknowledged_again_and_a_bare_acknowledgement_is_not() {
    // RFC 9293 section 3.10.7.4: an acknowledgement is never answered but where it lies outside of the window.
    let mut server = server();
    let fin = || Segment { flags: Flags::ACK.with(Flags::FIN), ..segment(1, 1, 65_535, 0) };
    server.take(100, fin());
    if server.connection.poll_timeout().is_some() {
        server.expire();
    }
    assert_eq!(server.connection.state(), State::CloseWait);
    assert!(server.receive(400, 2, 1, 65_535, 0).is_empty());
    let answers = server.take(500, fin());
    assert_eq!(answers.iter().map(|answer| answer.ack).collect::<Vec<_>>(), [SeqNumber(2)]);
    assert_eq!(server.connection.state(), State::CloseWait);
}

/// A server whose GSO packets are of five segments, with room to write.
fn with_gso_packets_of_five() -> Server {
    let offload = Offload { min_segments: 5, ..Offload::LINUX };
    let settings = bentpipe_tcp::Config { offload, ..config(Algorithm::Cubic) };
    let mut server = Server::open(&settings, SackPermitted::Yes);
    server.connection.set_send_buffer(Bytes::new(400_000));
    server
}

#[test]
fn a_gso_packet_waits_for_more_while_less_than_a_third_of_the_window_is_open() {
    // tcp_tso_should_defer: tcp_tso_win_divisor of 3, of what each acknowledgement opens by two segments in slow start. GSO
    // packets are of five segments; the first one leaves because nothing has left for a millisecond.
    let mut server = with_gso_packets_of_five();
    assert_eq!(server.write(100, 40 * MSS).len(), 10);
    let sent = [1, 2, 3, 4].map(|acked| server.ack(200, 1 + acked * MSS as u32, &[]).len());
    // Of 12 segments 2 are open, of 13 four, of 14 six.
    assert_eq!(sent, [2, 0, 0, 5]);
}

#[test]
fn what_is_sent_as_its_buffer_is_full_waits_for_no_more() {
    // tcp_sendmsg_locked: tcp_push_one, which asks no tcp_tso_should_defer. Of 12 segments 2 are open, of 13 two after the
    // acknowledgement that the test above holds back; a write of 65 segments fills the buffer that is next to leave.
    let mut server = with_gso_packets_of_five();
    assert_eq!(server.write(100, 20 * MSS).len(), 10);
    let held = [1, 2].map(|acked| server.ack(200, 1 + acked * MSS as u32, &[]).len());
    assert_eq!(held, [2, 0]);
    assert_eq!(server.write(200, 10 * MSS).len(), 0, "the buffer is not full yet");
    assert_eq!(server.write(200, 40 * MSS).len(), 2);
}

#[test]
fn an_acknowledgement_that_is_too_old_is_answered_and_its_data_left() {
    // RFC 5961 section 5.2; tcp_ack: prior_snd_una - min(max_window, bytes_acked).
    let mut server = server();
    let answers = server.receive(100, 1, 0, 65_535, 500);
    assert_eq!((answers.len(), answers[0].ack, server.connection.unread()), (1, SeqNumber(1), 0));
    // No more often than twice a second (tcp_invalid_ratelimit).
    assert!(server.receive(200, 1, 0, 65_535, 500).is_empty());
    server.write(200, MSS);
    server.receive(300, 1, 1_001, 65_535, 0);
    server.receive(300, 1, 1, 65_535, 500);
    assert_eq!(server.connection.unread(), 500);
}
