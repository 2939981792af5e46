//! What an application says of its writes, its buffers and its patience; `tests/packetdrill` has the kernel do the same.

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{
    Boundary, BufferLimits, Closed, Config, Connection, CookieKey, Event, FastOpen, FastOpenForm,
    FastOpenOption, Flags, LossRecovery, Nagle, Options, Payload, Read, SackPermitted, Segment, SeqNumber,
    State, SynOptions,
};
use bentpipe_units::{Bytes, Duration, Switch};

use crate::common::server::{MSS, Server, segment};
use crate::common::{at, config};

fn server() -> Server {
    Server::open(&config(Algorithm::Cubic), SackPermitted::Yes)
}

fn write(server: &mut Server, at_ms: u64, length: u64, boundary: Boundary) -> Vec<Segment> {
    let taken = server.connection.write_up_to(at(at_ms), &Payload::Length(length), boundary);
    assert_eq!(taken, Ok(length));
    server.sent(at_ms)
}

/// Where segments start, as positions, and how long they are; a push is a length below 0.
fn shapes(server: &Server, segments: &[Segment]) -> Vec<(u32, i64)> {
    let shape = |segment: &Segment| {
        let length = segment.payload.len() as i64;
        let is_push = segment.flags.contains(Flags::PSH);
        (segment.seq.0.wrapping_sub(server.isn), if is_push { -length } else { length })
    };
    segments.iter().map(shape).collect()
}

// ---- the ends of writes ------------------------------------------------------------------------------------------

#[test]
fn nothing_is_added_to_the_end_of_a_record() {
    // tcp_skb_can_collapse_to; a segment before the last is not held back by Nagle's rule (tcp_write_xmit).
    let mut server = server();
    let full = write(&mut server, 100, 10 * MSS, Boundary::Push);
    assert_eq!(full.len(), 10);
    for (length, boundary) in [(300, Boundary::Record), (200, Boundary::Record), (MSS, Boundary::Push)] {
        assert!(write(&mut server, 100, length, boundary).is_empty());
    }
    let later = server.receive(200, 1, 10_001, 65_535, 0);
    assert_eq!(shapes(&server, &later), [(10_001, -300), (10_301, -200), (10_501, -1_000)]);
}

#[test]
fn a_record_is_retransmitted_with_what_is_before_it_but_not_with_what_is_behind() {
    // tcp_retrans_try_collapse: tcp_skb_can_collapse, !TCP_SKB_CB(to)->eor.
    let mut server = server();
    server.connection.set_nagle(Nagle::Off);
    for (length, boundary) in [(100, Boundary::Push), (200, Boundary::Record), (300, Boundary::Push)] {
        assert_eq!(write(&mut server, 100, length, boundary).len(), 1);
    }
    // The tail loss probe is the last of them, the timeout repeats the first.
    let (_, probe) = server.expire();
    assert_eq!(shapes(&server, &probe), [(301, -300)]);
    let (_, repeated) = server.expire();
    assert_eq!(shapes(&server, &repeated), [(1, -300)]);
}

#[test]
fn more_that_follows_is_waited_for_until_the_next_event() {
    // tcp_push: TCP_NAGLE_CORK for this push alone, and no mark.
    let mut server = server();
    assert!(write(&mut server, 100, 100, Boundary::More).is_empty());
    let both = write(&mut server, 150, 100, Boundary::Push);
    assert_eq!(shapes(&server, &both), [(1, -200)]);
    server.receive(200, 1, 201, 65_535, 0);
    let full = write(&mut server, 200, 1_500, Boundary::More);
    assert_eq!(shapes(&server, &full), [(201, 1_000)]);
    let rest = server.receive(300, 1, 1_201, 65_535, 0);
    assert_eq!(shapes(&server, &rest), [(1_201, 500)]);
}

#[test]
fn what_the_application_holds_leaves_by_a_probe_when_nothing_is_out() {
    // tcp_check_probe_timer, tcp_write_wakeup: with a push, after the RTO of 300 ms (a round trip of 100) and at most a slot of
    // the wheel, 32 ms, and two ticks.
    let mut server = server();
    server.connection.set_cork(true);
    assert!(write(&mut server, 100, 400, Boundary::Push).is_empty());
    let (due, probe) = server.expire();
    assert_eq!(shapes(&server, &probe), [(1, -400)]);
    assert!(due >= at(400) && due <= at(440), "{due:?}");
    server.receive(500, 1, 401, 65_535, 0);
    assert!(write(&mut server, 500, 300, Boundary::Push).is_empty());
    server.connection.set_cork(false);
    let rest = server.sent(550);
    assert_eq!(shapes(&server, &rest), [(401, -300)]);
}

// ---- buffers -----------------------------------------------------------------------------------------------------

#[test]
fn little_waits_unsent_where_that_is_limited() {
    // tcp_stream_memory_free: unsent < lowat to take more, 2 * unsent < lowat to tell of space.
    let mut server = server();
    server.connection.set_max_unsent(Bytes::new(2_000));
    assert!(server.connection.has_space());
    server.write(100, 10 * MSS);
    for (unsent, (takes, tells)) in [(999, (true, true)), (1_000, (true, false)), (2_000, (false, false))] {
        let waiting = server.connection.unacknowledged() - 10 * MSS;
        server.connection.write(at(100), &Payload::Length(unsent - waiting)).unwrap();
        // A buffer that has begun is filled whatever waits.
        let has = (takes, server.connection.has_space());
        assert_eq!(has, (takes, tells), "{unsent} bytes");
    }
}

#[test]
fn a_fixed_receive_buffer_scales_its_window_by_what_it_holds() {
    // tcp_select_initial_window: ilog2(space) - 15, of half the memory at first.
    let scale = |memory: u64| {
        let receive_buffer = BufferLimits::fixed(Bytes::new(memory));
        let config = Config { receive_buffer, ..config(Algorithm::Cubic) };
        let syn = SynOptions { mss: 1000, window_scale: Some(7), sack: SackPermitted::No, fast_open: None };
        let options = Options { syn: Some(syn), ..Options::default() };
        let opening = Segment { flags: Flags::SYN, options, ..segment(0, 0, 65_535, 0) };
        let answer = Connection::accept(&config, &opening, at(0)).poll_transmit(at(0)).unwrap();
        answer.options.syn.unwrap().window_scale
    };
    assert_eq!([20_000, 262_142, 262_144, 1 << 22].map(scale), [Some(0), Some(1), Some(2), Some(6)]);
}

#[test]
fn a_receive_buffer_that_shrinks_takes_nothing_back_and_its_acknowledgements_wait_while_there_is_little_room()
{
    // tcp_select_window; __tcp_select_window ends quick acknowledgements when a segment leaves, and not before.
    let fixed = BufferLimits::fixed(Bytes::new(20_000));
    let config = Config { receive_buffer: fixed, timestamps: Switch::Off, ..config(Algorithm::Cubic) };
    let mut server = Server::open(&config, SackPermitted::Yes);
    let first = u64::from(server.connection.info().receive_window.get() as u32);
    server.connection.set_receive_buffer(Bytes::new(2_400));
    let answers = server.receive(200, 1, 1, 65_535, 1_000);
    assert_eq!(answers.len(), 1, "the first data is acknowledged at once");
    assert_eq!(server.connection.info().receive_window.get(), first - 1_000);
    server.connection.read(at(200), 1_000).expect("data");
    assert!(server.receive(200, 1_001, 1, 65_535, 1_000).is_empty());
    let (due, answers) = server.expire();
    assert!((at(240)..=at(250)).contains(&due) && answers.len() == 1, "{due:?}");
    assert_eq!(server.connection.info().receive_window.get(), first - 2_000);
    assert_eq!(server.connection.info().receive_buffer.get(), 2_400);
}

#[test]
fn what_waits_to_leave_and_what_is_under_way_is_told() {
    // tcpi_notsent_bytes; tcp_v4_err takes numbers from SND.UNA to SND.NXT.
    let mut server = server();
    assert_eq!(server.write(200, 15_000).len(), 10);
    assert_eq!((server.connection.unsent(), server.connection.unacknowledged()), (5_000, 15_000));
    server.receive(300, 1, 1_001, 1_000, 0);
    for (position, is_out) in [(0, false), (1_000, false), (1_001, true), (10_001, true), (10_002, false)] {
        assert_eq!(server.connection.has_out(server.number(position)), is_out, "{position}");
    }
    server.connection.give_up();
    assert_eq!(server.connection.ended(), Some(Closed::Aborted));
    assert!(server.sent(300).is_empty(), "it ends without a word");
    // While it opens, the SYN counts as well.
    let mut opening = client(FastOpen::Off);
    let syn = sent(&mut opening, 0).remove(0);
    assert!(opening.has_out(syn.seq) && opening.has_out(SeqNumber(syn.seq.0.wrapping_add(1))));
    assert!(!opening.has_out(SeqNumber(syn.seq.0.wrapping_add(2))));
}

#[test]
fn data_out_of_order_widens_the_buffer_of_a_connection_that_an_application_has() {
    // tcp_data_queue_ofo: if (sk->sk_socket) tcp_rcvbuf_grow.
    let buffer = |is_adopted: bool| {
        let syn = SynOptions { mss: 1000, window_scale: Some(7), sack: SackPermitted::Yes, fast_open: None };
        let options = Options { syn: Some(syn), ..Options::default() };
        let opening = Segment { flags: Flags::SYN, options, ..segment(0, 0, 65_535, 0) };
        let mut connection = Connection::accept(&config(Algorithm::Cubic), &opening, at(0));
        let isn = connection.poll_transmit(at(0)).unwrap().seq.0;
        if is_adopted {
            connection.adopt();
        }
        for seq in (1_001..60_001).step_by(1_000) {
            let data = Segment { ack: SeqNumber(isn.wrapping_add(1)), ..segment(seq, 0, 65_535, MSS) };
            connection.handle_segment(at(100), &data);
        }
        connection.info().receive_buffer.get()
    };
    assert_eq!(buffer(false), 131_072);
    assert!(buffer(true) > 131_072);
}

// ---- patience ----------------------------------------------------------------------------------------------------

#[test]
fn what_is_unanswered_ends_with_the_users_timeout() {
    // tcp_clamp_rto_to_user_timeout, retransmits_timed_out: 500 ms after the first retransmission.
    let mut server = server();
    server.connection.set_user_timeout(Some(Duration::from_millis(500)));
    server.write(100, MSS);
    let mut first_timeout = None;
    let ended = loop {
        let (due, sent) = server.expire();
        if server.connection.is_closed() {
            break due;
        }
        if server.connection.info().recovery == LossRecovery::Loss {
            assert!(!sent.is_empty());
            first_timeout.get_or_insert(due);
        }
    };
    let passed = ended.since(first_timeout.expect("a retransmission"));
    assert!((500..=540).contains(&(passed.as_nanos() / 1_000_000)), "{passed:?}");
    assert_eq!(server.connection.ended(), Some(Closed::TimedOut));
}

#[test]
fn a_window_that_stays_shut_ends_with_the_users_timeout_though_probes_are_answered() {
    // tcp_probe_timer: icsk_probes_tstamp, which an answer that opens nothing leaves.
    let mut server = server();
    server.connection.set_user_timeout(Some(Duration::from_secs(1)));
    server.write(100, MSS);
    server.receive(200, 1, 1_001, 0, 0);
    server.write(200, MSS);
    let mut first_probe = None;
    let ended = loop {
        let (due, _) = server.expire();
        if server.connection.is_closed() {
            break due;
        }
        first_probe.get_or_insert(due);
        assert_eq!(server.connection.info().unanswered_probes, 1);
        let answer = Segment { ack: server.number(1_001), ..segment(1, 0, 0, 0) };
        server.connection.handle_segment(due, &answer);
        assert_eq!(server.connection.info().unanswered_probes, 0);
    };
    let passed = ended.since(first_probe.expect("a probe"));
    assert!((1_000..=1_080).contains(&(passed.as_nanos() / 1_000_000)), "{passed:?}");
}

#[test]
fn what_comes_when_nobody_reads_or_writes_any_more_resets_the_connection() {
    // tcp_rcv_state_process: RCV_SHUTDOWN in FIN_WAIT1 and FIN_WAIT2, with data beyond what came; the error is ECONNRESET.
    let mut server = server();
    server.connection.shutdown_reading();
    assert_eq!(server.receive(200, 1, 1, 65_535, MSS).len(), 1);
    assert_eq!(server.connection.read(at(200), 5_000), Ok(Read::Data(Payload::Length(MSS))));
    server.connection.shutdown();
    server.sent(200);
    server.receive(300, 1_001, 2, 65_535, 0);
    assert_eq!(server.connection.state(), State::FinWait2);
    let answers = server.receive(300, 1_001, 2, 65_535, MSS);
    assert!(answers[0].flags.contains(Flags::RST));
    assert_eq!(server.connection.ended(), Some(Closed::Reset));
}

// ---- Fast Open ---------------------------------------------------------------------------------------------------

fn client(fast_open: FastOpen) -> Connection {
    let config = Config { fast_open, ..config(Algorithm::Cubic) };
    let end = segment(0, 0, 0, 0);
    Connection::connect(&config, end.destination, end.source, at(0))
}

/// The answer to the SYN of a client, up to this position, by a peer of such a segment size.
fn answer(isn: SeqNumber, position: u32, mss: u16) -> Segment {
    let syn = SynOptions { mss, window_scale: None, sack: SackPermitted::Yes, fast_open: None };
    let options = Options { syn: Some(syn), ..Options::default() };
    let ack = SeqNumber(isn.0.wrapping_add(position));
    Segment { flags: Flags::SYN.with(Flags::ACK), ack, options, ..segment(0, 0, 65_535, 0) }
}

fn sent(connection: &mut Connection, at_ms: u64) -> Vec<Segment> {
    std::iter::from_fn(|| connection.poll_transmit(at(at_ms))).collect()
}

#[test]
fn data_of_a_syn_is_bounded_by_the_segment_size_that_the_server_had() {
    // tcp_send_syn_data: the cached MSS, the own at most, less MAX_TCP_OPTION_SPACE.
    let carried = |mss: Option<u16>| {
        let mut client = client(FastOpen::Client { cookie: None, mss });
        client.write(at(0), &Payload::Length(5_000)).unwrap();
        let syn = sent(&mut client, 0)[0].clone();
        assert_eq!((syn.payload.len(), syn.options.syn.unwrap().fast_open), (client.syn_data_room(), None));
        syn.payload.len()
    };
    assert_eq!([Some(940), Some(9_000), None].map(carried), [900, 1_420, 1_420]);
}

#[test]
fn data_of_a_syn_that_the_server_left_is_retransmitted_at_once_in_its_segments() {
    // tcp_rcv_fastopen_synack, tcp_non_congestion_loss_retransmit.
    let mut client = client(FastOpen::Client { cookie: None, mss: None });
    client.write(at(0), &Payload::Length(1_400)).unwrap();
    let syn = sent(&mut client, 0)[0].clone();
    client.handle_segment(at(100), &answer(syn.seq, 101, 1_000));
    let lengths: Vec<u64> = sent(&mut client, 100).iter().map(|segment| segment.payload.len()).collect();
    assert_eq!(lengths, [1_000, 300]);
    let info = client.info();
    assert_eq!(
        (info.recovery, info.retransmitted_segments, info.agreement.syn_data),
        (LossRecovery::Loss, 2, false)
    );
    let ack = SeqNumber(syn.seq.0.wrapping_add(1_401));
    client.handle_segment(at(200), &Segment { ack, ..segment(1, 0, 65_535, 0) });
    assert_eq!((client.info().recovery, client.unacknowledged()), (LossRecovery::Open, 0));
}

#[test]
fn data_of_a_syn_that_the_server_took_is_delivered_with_it() {
    // tcp_rcv_fastopen_synack: syn_data_acked; SYN and data count as one segment delivered.
    let mut client = client(FastOpen::Client { cookie: None, mss: None });
    client.write(at(0), &Payload::Length(1_400)).unwrap();
    let syn = sent(&mut client, 0)[0].clone();
    client.handle_segment(at(100), &answer(syn.seq, 1_401, 1_000));
    let info = client.info();
    assert_eq!((info.agreement.syn_data, info.delivered_segments, client.unacknowledged()), (true, 1, 0));
}

#[test]
fn an_opening_that_a_writer_waits_for_is_acknowledged_with_what_it_writes() {
    // tcp_rcv_synsent_state_process: sk_write_pending; else after TCP_DELACK_MAX, 200 ms.
    for writes in [true, false] {
        let mut client = client(FastOpen::Off);
        let syn = sent(&mut client, 0)[0].clone();
        client.expect_write();
        client.handle_segment(at(100), &answer(syn.seq, 1, 1_000));
        assert!(sent(&mut client, 100).is_empty());
        if writes {
            client.write(at(100), &Payload::Length(100)).unwrap();
            assert_eq!(sent(&mut client, 100)[0].payload.len(), 100);
        } else {
            let due = client.poll_timeout().unwrap();
            assert!(due >= at(300) && due <= at(308), "{due:?}");
            client.handle_timeout(due);
            assert!(client.poll_transmit(due).is_some());
        }
    }
}

#[test]
fn a_server_answers_in_the_form_of_the_request_and_takes_data_without_cookies_where_it_needs_none() {
    // tcp_try_fastopen: foc->exp, tcp_fastopen_no_cookie with data or an option alone.
    let accepted = |fast_open: FastOpen, option: Option<FastOpenOption>, length: u64| {
        let syn = SynOptions { mss: 1000, window_scale: None, sack: SackPermitted::No, fast_open: option };
        let options = Options { syn: Some(syn), ..Options::default() };
        let opening = Segment { flags: Flags::SYN, options, ..segment(0, 0, 65_535, length) };
        let mut server =
            Connection::accept(&Config { fast_open, ..config(Algorithm::Cubic) }, &opening, at(0));
        let answer = server.poll_transmit(at(0)).unwrap();
        (server.poll_event() == Some(Event::Connected), answer.ack.0, answer.options.syn.unwrap().fast_open)
    };
    let request = |form| Some(FastOpenOption { form, cookie: None });
    for form in [FastOpenForm::Assigned, FastOpenForm::Experimental] {
        let (is_open, ack, option) = accepted(FastOpen::Server(CookieKey::drawn(5)), request(form), 100);
        assert_eq!((is_open, ack, option.map(|option| option.form)), (false, 1, Some(form)));
    }
    assert_eq!(accepted(FastOpen::ServerWithoutCookies, None, 100), (true, 101, None));
    assert_eq!(accepted(FastOpen::ServerWithoutCookies, request(FastOpenForm::Assigned), 0), (true, 1, None));
    assert_eq!(accepted(FastOpen::ServerWithoutCookies, None, 0), (false, 1, None));
}

#[test]
fn a_reset_before_the_handshake_of_fast_open_is_complete_resets_the_connection() {
    // tcp_check_req with fastopen: tcp_reset; else the request is refused.
    let opening = Segment { flags: Flags::SYN, ..segment(0, 0, 65_535, 100) };
    let syn = SynOptions { mss: 1000, window_scale: None, sack: SackPermitted::No, fast_open: None };
    let opening = Segment { options: Options { syn: Some(syn), ..Options::default() }, ..opening };
    for (fast_open, seq, reason) in
        [(FastOpen::ServerWithoutCookies, 101, Closed::Reset), (FastOpen::Off, 1, Closed::Refused)]
    {
        let config = Config { fast_open, ..config(Algorithm::Cubic) };
        let mut server = Connection::accept(&config, &opening, at(0));
        server.poll_transmit(at(0)).unwrap();
        server.handle_segment(at(50), &Segment { flags: Flags::RST, ..segment(seq, 0, 0, 0) });
        assert_eq!(server.ended(), Some(reason));
    }
}
