//! Peers that say nothing: keep-alive, how often a handshake is tried, the longest timeout; and what a sender spent its
//! time on. `tests/packetdrill` has the kernel do the same.

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{
    Closed, Config, Connection, Flags, HandshakeRetries, KeepAlive, Options, Payload, SackPermitted, Segment,
    SynOptions, TimeSpent,
};
use bentpipe_units::{Bytes, Duration, Time};

use crate::common::server::{MSS, Server, segment};
use crate::common::{at, config};

const LIMITS: KeepAlive =
    KeepAlive { idle: Duration::from_secs(10), interval: Duration::from_secs(2), probes: 3 };

fn server(keep_alive: Option<KeepAlive>) -> Server {
    Server::open(&Config { keep_alive, ..config(Algorithm::Cubic) }, SackPermitted::Yes)
}

fn seconds(from: Time, to: Time) -> f64 {
    to.since(from).as_secs_f64()
}

/// Within what the kernel's timer wheel adds: an eighth at most.
fn is_about(seconds: f64, expected: f64) -> bool {
    (expected..=expected * 1.125 + 0.01).contains(&seconds)
}

// ---- keep-alive --------------------------------------------------------------------------------------------------

#[test]
fn a_peer_that_leaves_all_probes_unanswered_is_given_up_with_a_reset() {
    // RFC 9293 section 3.8.4; tcp_keepalive_timer counts the probes before it sends one more.
    let mut server = server(Some(LIMITS));
    let mut last = at(100);
    for (number, expected_s) in [(1, 10.0), (2, 2.0), (3, 2.0)] {
        let (due, sent) = server.expire();
        assert!(is_about(seconds(last, due), expected_s), "{number}: {due:?}");
        let [probe] = sent.as_slice() else { panic!("{sent:?}") };
        // Of the last acknowledged number, without data.
        assert_eq!((probe.seq, probe.payload.len()), (server.number(0), 0));
        assert_eq!(server.connection.info().unanswered_probes, number);
        last = due;
    }
    let (due, sent) = server.expire();
    assert!(is_about(seconds(last, due), 2.0));
    assert!(sent.iter().all(|one| one.flags.contains(Flags::RST)) && sent.len() == 1);
    assert_eq!(server.connection.ended(), Some(Closed::TimedOut));
}

#[test]
fn an_answer_begins_the_idle_time_anew() {
    let mut server = server(Some(LIMITS));
    let (first, _) = server.expire();
    let answer = Segment { ack: server.number(1), ..segment(1, 0, 65_535, 0) };
    server.connection.handle_segment(first, &answer);
    assert_eq!(server.connection.info().unanswered_probes, 0);
    // The timer of the next probe finds that the peer was heard of, and waits for the rest of the idle time.
    let mut due = first;
    while server.connection.info().unanswered_probes == 0 {
        due = server.expire().0;
    }
    assert!(is_about(seconds(first, due), 10.0), "{due:?}");
}

#[test]
fn with_a_users_timeout_the_first_unanswered_probe_beyond_it_is_the_last() {
    // tcp_keepalive_timer: icsk_user_timeout takes the place of the number of probes.
    let mut server = server(Some(LIMITS));
    server.connection.set_user_timeout(Some(Duration::from_secs(5)));
    server.expire();
    server.expire();
    assert_eq!(server.connection.ended(), Some(Closed::TimedOut));
}

#[test]
fn nothing_is_probed_unless_it_is_asked_for_and_no_more_when_it_is_switched_off() {
    assert_eq!(server(None).connection.poll_timeout(), None);
    let mut server = server(None);
    server.connection.set_keep_alive(at(200), Some(LIMITS));
    assert!(server.connection.poll_timeout().is_some_and(|due| is_about(seconds(at(200), due), 10.0)));
    server.connection.set_keep_alive(at(300), None);
    assert_eq!(server.connection.poll_timeout(), None);
}

#[test]
fn a_shorter_idle_time_counts_from_when_the_peer_was_heard_of() {
    // tcp_sock_set_keepidle_locked: keepalive_time_elapsed.
    let mut server = server(Some(LIMITS));
    server.connection.set_keep_alive(at(3_100), Some(KeepAlive { idle: Duration::from_secs(4), ..LIMITS }));
    let due = server.connection.poll_timeout().expect("a timer");
    assert!(is_about(seconds(at(3_100), due), 1.0), "{due:?}");
}

#[test]
fn a_peer_is_not_probed_while_data_is_out() {
    let mut server = server(Some(LIMITS));
    server.write(100, MSS);
    // Retransmissions alone, with the data's number.
    for _ in 0..6 {
        let (_, sent) = server.expire();
        assert!(sent.iter().all(|one| one.payload.len() == MSS), "{sent:?}");
    }
}

// ---- handshakes and timeouts -------------------------------------------------------------------------------------

fn times_of_syns(config: &Config) -> Vec<f64> {
    let end = |port| std::net::SocketAddrV4::new(std::net::Ipv4Addr::LOCALHOST, port);
    let mut client = Connection::connect(config, end(40_000), end(80), at(0));
    let mut times = Vec::new();
    let mut now = at(0);
    while client.ended().is_none() {
        while client.poll_transmit(now).is_some() {
            times.push(seconds(at(0), now));
        }
        now = client.poll_timeout().expect("a timer");
        client.handle_timeout(now);
    }
    assert_eq!(client.ended(), Some(Closed::TimedOut));
    times
}

#[test]
fn syns_leave_as_often_as_they_may_those_whose_wait_does_not_double_beside_the_others() {
    // tcp_write_timeout: tcp_syn_retries and tcp_syn_linear_timeouts.
    let with = |syn, syn_linear| {
        let retries = HandshakeRetries { syn, syn_linear, ..HandshakeRetries::LINUX };
        times_of_syns(&Config { retries, ..config(Algorithm::Cubic) })
    };
    for (times, expected) in [
        (with(2, 0), vec![0.0, 1.0, 3.0]),
        (with(2, 2), vec![0.0, 1.0, 2.0, 3.0, 5.0]),
        // No later than if all waits had doubled: 3 s for one repetition (tcp_model_timeout).
        (with(1, 4), vec![0.0, 1.0, 2.0]),
        (with(1, 0), vec![0.0, 1.0]),
    ] {
        assert_eq!(times.len(), expected.len(), "{times:?}");
        assert!(times.iter().zip(&expected).all(|(found, wanted)| is_about(*found, *wanted)), "{times:?}");
    }
}

#[test]
fn no_timeout_is_longer_than_the_host_says_but_that_of_a_request() {
    // tcp_rto_max; tcp_reqsk_timeout has TCP_RTO_MAX.
    let limited = Config { max_rto: Duration::from_secs(1), ..config(Algorithm::Cubic) };
    let retries = HandshakeRetries { syn: 3, syn_linear: 0, ..HandshakeRetries::LINUX };
    let times = times_of_syns(&Config { retries, ..limited.clone() });
    assert!(is_about(times[3], 3.0), "{times:?}");

    let mut server = Server::open(&limited, SackPermitted::Yes);
    server.write(100, MSS);
    let sent: Vec<Time> = std::iter::from_fn(|| Some(server.expire().0)).take(8).collect();
    let gaps = sent.windows(2).map(|pair| seconds(pair[0], pair[1]));
    assert!(gaps.clone().all(|gap| gap <= 1.125), "{:?}", gaps.collect::<Vec<_>>());

    let syn = SynOptions { mss: 1000, window_scale: None, sack: SackPermitted::Yes, fast_open: None };
    let options = Options { syn: Some(syn), ..Options::default() };
    let opening = Segment { flags: Flags::SYN, options, ..segment(0, 0, 65_535, 0) };
    let mut request = Connection::accept(&limited, &opening, at(0));
    request.poll_transmit(at(0)).expect("a SYN-ACK");
    let first = request.poll_timeout().expect("a timer");
    request.handle_timeout(first);
    request.poll_transmit(first).expect("a SYN-ACK");
    let second = request.poll_timeout().expect("a timer");
    assert!(is_about(seconds(first, second), 2.0), "{second:?}");
}

// ---- what time was spent on --------------------------------------------------------------------------------------

fn bytes(segments: &[Segment]) -> u32 {
    segments.iter().map(|one| one.payload.len() as u32).sum()
}

fn spent(server: &Server, at_ms: u64) -> [u64; 3] {
    let TimeSpent { busy, peer_window, send_buffer } = server.connection.time_spent(at(at_ms));
    [busy, peer_window, send_buffer].map(|time| time.as_nanos() / 1_000_000)
}

#[test]
fn a_sender_is_busy_while_data_waits_or_is_out_and_limited_while_the_peers_window_alone_holds_it() {
    // tcp_chrono_start, tcp_chrono_stop.
    let mut server = server(None);
    server.write(1_000, MSS);
    assert_eq!(spent(&server, 1_050), [50, 0, 0]);
    server.receive(1_100, 1, 1_001, 0, 0);
    assert_eq!(spent(&server, 2_000), [100, 0, 0]);
    assert!(server.write(2_000, 2 * MSS).is_empty());
    server.receive(2_300, 1, 1_001, 1_000, 0);
    // One of two segments left; the window holds the other.
    assert_eq!(spent(&server, 2_400), [500, 400, 0]);
    server.receive(2_500, 1, 2_001, 1_000, 0);
    assert_eq!(spent(&server, 2_600), [700, 500, 0]);
    server.receive(2_700, 1, 3_001, 1_000, 0);
    assert_eq!(spent(&server, 9_000), [800, 500, 0]);
}

#[test]
fn a_full_send_buffer_that_has_all_left_limits_until_the_writer_may_go_on() {
    // tcp_cwnd_validate: SOCK_NOSPACE, nothing waits and the congestion window has room; tcp_check_space.
    let mut server = server(None);
    // Slow start opens the congestion window to 79 segments: more than twice a buffer of half the peer's window.
    let mut acked: u32 = 1;
    for (at_ms, segments, window) in [(100, 10, 65_535), (200, 20, 65_535), (300, 39, 10_000)] {
        acked += bytes(&server.write(at_ms, segments * MSS));
        assert!(server.receive(at_ms + 100, 1, acked, window, 0).is_empty());
    }
    server.connection.set_send_buffer(Bytes::new(5_000));
    let taken = server.connection.write(at(500), &Payload::Length(100 * MSS)).expect("open") as u32;
    assert!((20_000..49_000).contains(&taken), "{taken}");
    assert_eq!(bytes(&server.sent(500)), 10_000);
    // The rest leaves with the window, and the writer waits for what it frees.
    let rest = server.receive(600, 1, acked + 10_000, 65_535, 0);
    assert_eq!(bytes(&rest), taken - 10_000);
    assert_eq!(spent(&server, 650), [450, 100, 50]);
    server.receive(700, 1, acked + taken, 65_535, 0);
    assert_eq!(spent(&server, 900), [500, 100, 100]);
}
