//! What a single segment of the peer is answered with; `tests/packetdrill` has the kernel answer the same.

use std::net::{Ipv4Addr, SocketAddrV4};

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{
    Config, Connection, Flags, Offload, Options, Payload, SackPermitted, Segment, SeqNumber, SynOptions,
};
use bentpipe_units::Bytes;

use crate::common::{at, config};

const MSS: u64 = 1000;

/// A server's connection, and the number of its SYN.
struct Server {
    connection: Connection,
    isn: u32,
}

impl Server {
    /// Opens it by a SYN at 0 ms and its acknowledgement at 100 ms.
    fn open(config: &Config, sack: SackPermitted) -> Self {
        let syn = SynOptions { mss: MSS as u16, window_scale: None, sack, fast_open: None };
        Self::open_by(config, Options { syn: Some(syn), ..Options::default() })
    }

    /// The same by a SYN with these options.
    fn open_by(config: &Config, options: Options) -> Self {
        let opening = Segment { flags: Flags::SYN, options, ..segment(0, 0, 65_535, 0) };
        let mut connection = Connection::accept(config, &opening, at(0));
        let answer = connection.poll_transmit(at(0)).expect("a SYN-ACK");
        let mut server = Self { connection, isn: answer.seq.0 };
        server.receive(100, 1, 1, 65_535, 0);
        server
    }

    /// The answers to a segment that acknowledges below `ack`, in the server's own numbers.
    fn receive(&mut self, at_ms: u64, seq: u32, ack: u32, window: u16, length: u64) -> Vec<Segment> {
        let segment = segment(seq, self.isn.wrapping_add(ack), window, length);
        self.connection.handle_segment(at(at_ms), &segment);
        self.sent(at_ms)
    }

    fn write(&mut self, at_ms: u64, length: u64) -> Vec<Segment> {
        self.connection.write(at(at_ms), &Payload::Length(length)).expect("open");
        self.sent(at_ms)
    }

    fn sent(&mut self, at_ms: u64) -> Vec<Segment> {
        std::iter::from_fn(|| self.connection.poll_transmit(at(at_ms))).collect()
    }
}

fn segment(seq: u32, ack: u32, window: u16, length: u64) -> Segment {
    let end = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    Segment {
        source: end(40_000),
        destination: end(80),
        flags: Flags::ACK,
        seq: SeqNumber(seq),
        ack: SeqNumber(ack),
        window,
        options: Options::default(),
        ecn: 0,
        payload: Payload::Length(length),
    }
}

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
        let settings = Config { offload, ..config(Algorithm::Cubic) };
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
