//! ECN against RFC 3168 section 6.1: two ends whose segments a test passes on, marks and loses.

use std::net::{Ipv4Addr, SocketAddrV4};

use crate::common::{MSS, at, cubic};
use bentpipe_tcp::{Config, Connection, Flags, Payload, Read, Segment};
use bentpipe_units::{Bytes, Switch};

/// The ECN field (RFC 3168 section 5).
const NOT_ECT: u8 = 0b00;
const ECT_0: u8 = 0b10;
const CE: u8 = 0b11;

const SYN_ASKS: Flags = Flags::ECE.with(Flags::CWR);

struct Ends {
    client: Connection,
    server: Connection,
    now_ms: u64,
    syn: Segment,
    syn_ack: Segment,
}

fn config(ecn: Switch) -> Config {
    Config { ecn, ..cubic() }
}

impl Ends {
    /// Both established, after a round trip of 100 ms.
    fn open(client: Switch, server: Switch) -> Self {
        let end = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let mut client = Connection::connect(&config(client), end(40_000), end(80), at(0));
        let syn = client.poll_transmit(at(0)).expect("a SYN");
        let mut server = Connection::accept(&config(server), &syn, at(50));
        let syn_ack = server.poll_transmit(at(50)).expect("its answer");
        client.handle_segment(at(100), &syn_ack);
        let mut ends = Self { client, server, now_ms: 100, syn, syn_ack };
        for ack in ends.sent_by_client() {
            ends.server.handle_segment(at(150), &ack);
        }
        ends.now_ms = 150;
        ends
    }

    fn agreed() -> Self {
        Self::open(Switch::On, Switch::On)
    }

    fn sent_by_client(&mut self) -> Vec<Segment> {
        let now = at(self.now_ms);
        std::iter::from_fn(|| self.client.poll_transmit(now)).collect()
    }

    /// Takes these segments to the server, 50 ms later, and its answers to the client after as long again.
    fn exchange(&mut self, segments: &[Segment]) -> Vec<Segment> {
        self.now_ms += 50;
        let mut answers = Vec::new();
        for segment in segments {
            self.server.handle_segment(at(self.now_ms), segment);
            answers.extend(std::iter::from_fn(|| self.server.poll_transmit(at(self.now_ms))));
            while let Ok(Read::Data(_)) = self.server.read(at(self.now_ms), u64::MAX) {}
        }
        self.now_ms += 50;
        for answer in &answers {
            self.client.handle_segment(at(self.now_ms), answer);
        }
        answers
    }

    fn write(&mut self, segments: u64) {
        let taken = self.client.write(at(self.now_ms), &Payload::Length(segments * MSS));
        assert_eq!(taken, Ok(segments * MSS));
    }
}

#[test]
fn both_ends_agree_with_their_syns() {
    // Section 6.1.1: SYN with ECE and CWR, SYN-ACK with ECE alone; neither they nor pure acknowledgements are ECN-capable.
    let mut ends = Ends::agreed();
    assert!(ends.syn.flags.contains(SYN_ASKS) && ends.syn.ecn == NOT_ECT);
    assert!(ends.syn_ack.flags.contains(Flags::ECE) && !ends.syn_ack.flags.contains(Flags::CWR));
    assert_eq!(ends.syn_ack.ecn, NOT_ECT);
    ends.write(4);
    let data = ends.sent_by_client();
    assert!(data.iter().all(|segment| segment.ecn == ECT_0 && !segment.flags.contains(Flags::ECE)));
    let answers = ends.exchange(&data);
    assert!(!answers.is_empty() && answers.iter().all(|answer| answer.ecn == NOT_ECT));
}

#[test]
fn where_one_end_takes_no_part_neither_does() {
    for (client, server) in [(Switch::Off, Switch::On), (Switch::On, Switch::Off), (Switch::Off, Switch::Off)]
    {
        let mut ends = Ends::open(client, server);
        assert_eq!(ends.syn.flags.contains(SYN_ASKS), client.is_on());
        assert!(!ends.syn_ack.flags.contains(Flags::ECE));
        ends.write(2);
        assert!(ends.sent_by_client().iter().all(|segment| segment.ecn == NOT_ECT), "{client:?} {server:?}");
    }
}

#[test]
fn a_mark_is_echoed_until_the_sender_has_answered_and_reduces_its_window_once() {
    let mut ends = Ends::agreed();
    ends.write(30);
    let mut flight = ends.sent_by_client();
    let before = ends.client.info().cwnd;
    flight[2].ecn = CE;
    flight[5].ecn = CE;
    let answers = ends.exchange(&flight);
    // Section 6.1.3: every acknowledgement from the first mark on.
    let echoes: Vec<bool> = answers.iter().map(|answer| answer.flags.contains(Flags::ECE)).collect();
    let first = echoes.iter().position(|echo| *echo).expect("an echo");
    assert!(echoes[first..].iter().all(|echo| *echo), "{echoes:?}");
    let ssthresh = ends.client.info().ssthresh.expect("a reduction");
    // RFC 9438 section 4.6: 0.7 of the window, which slow start had grown by what was acknowledged before; once only.
    let least = before.get() * 7 / 10 - MSS;
    assert!((least..=2 * before.get() * 7 / 10).contains(&ssthresh.get()), "{ssthresh:?} of {before:?}");
    // Section 6.1.2: the first new data has CWR, later data has not.
    let next = ends.sent_by_client();
    let confirmed: Vec<bool> = next.iter().map(|segment| segment.flags.contains(Flags::CWR)).collect();
    assert!(confirmed[0] && confirmed[1..].iter().all(|confirms| !confirms), "{confirmed:?}");
    let answers = ends.exchange(&next);
    assert!(answers.iter().all(|answer| !answer.flags.contains(Flags::ECE)), "the sender has answered");
    assert_eq!(ends.client.info().ssthresh, Some(ssthresh), "one reduction for both marks");
}

#[test]
fn what_is_retransmitted_is_not_ecn_capable() {
    // Section 6.1.5.
    let mut ends = Ends::agreed();
    ends.write(1);
    assert_eq!(ends.sent_by_client().len(), 1, "it is lost");
    let due = ends.client.poll_timeout().expect("a probe or a timeout");
    ends.client.handle_timeout(due);
    let again = ends.client.poll_transmit(due).expect("a retransmission");
    assert_eq!((again.payload.len(), again.ecn), (MSS, NOT_ECT));
}

#[test]
fn a_syn_that_is_repeated_does_not_ask() {
    // Section 6.1.1.1.
    let end = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    let mut client = Connection::connect(&config(Switch::On), end(40_000), end(80), at(0));
    assert!(client.poll_transmit(at(0)).expect("a SYN").flags.contains(SYN_ASKS));
    let due = client.poll_timeout().expect("a timeout");
    client.handle_timeout(due);
    assert!(!client.poll_transmit(due).expect("the SYN again").flags.contains(Flags::ECE));
}

#[test]
fn a_mark_on_what_left_after_a_reduction_reduces_again() {
    // RFC 3168 section 6.1.2: once for each window of data; tcp_fastretrans_alert: TCP_CA_CWR ends when something beyond high_seq is
    // acknowledged. RFC 9438 section 4.6: 0.7 of the window each time.
    let mut ends = Ends::agreed();
    ends.client.set_send_buffer(Bytes::new(400_000));
    ends.write(100);
    let mut reductions = Vec::new();
    for round in 0..6 {
        let mut flight = ends.sent_by_client();
        if round == 0 || round == 3 {
            flight[0].ecn = CE;
        }
        ends.exchange(&flight);
        reductions.push(ends.client.info().ssthresh.map(Bytes::get));
    }
    assert!(reductions[0].is_some() && reductions[..3].iter().all(|ssthresh| *ssthresh == reductions[0]));
    assert!(reductions[3] < reductions[0] && reductions[5] == reductions[3], "{reductions:?}");
}
