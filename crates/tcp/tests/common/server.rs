//! A server's connection whose peer is the test: segments go in by hand, and the answers are looked at one by one.

use std::net::{Ipv4Addr, SocketAddrV4};

use bentpipe_tcp::{
    Config, Connection, Flags, Options, Payload, SackBlocks, SackPermitted, Segment, SeqNumber, SynOptions,
};
use bentpipe_units::Time;

use super::at;

/// What the peer announces in its SYN; there are no timestamps unless a test has them.
pub const MSS: u64 = 1000;

/// A server's connection, and the number of its SYN.
pub struct Server {
    pub connection: Connection,
    pub isn: u32,
}

impl Server {
    /// Opens it by a SYN at 0 ms and its acknowledgement at 100 ms.
    pub fn open(config: &Config, sack: SackPermitted) -> Self {
        let syn = SynOptions { mss: MSS as u16, window_scale: None, sack, fast_open: None };
        Self::open_by(config, Options { syn: Some(syn), ..Options::default() })
    }

    /// The same by a SYN with these options.
    pub fn open_by(config: &Config, options: Options) -> Self {
        let opening = Segment { flags: Flags::SYN, options, ..segment(0, 0, 65_535, 0) };
        let mut connection = Connection::accept(config, &opening, at(0));
        let answer = connection.poll_transmit(at(0)).expect("a SYN-ACK");
        let mut server = Self { connection, isn: answer.seq.0 };
        server.receive(100, 1, 1, 65_535, 0);
        server.connection.adopt();
        server
    }

    /// The answers to a segment that acknowledges below `ack`, in the server's own numbers.
    pub fn receive(&mut self, at_ms: u64, seq: u32, ack: u32, window: u16, length: u64) -> Vec<Segment> {
        self.take(at_ms, segment(seq, ack, window, length))
    }

    /// The answers to a bare acknowledgement below `ack` with these blocks, which lets out whatever the peer may.
    pub fn ack(&mut self, at_ms: u64, ack: u32, blocks: &[(u32, u32)]) -> Vec<Segment> {
        let mut sack = SackBlocks::default();
        for (start, end) in blocks {
            sack.push(self.number(*start), self.number(*end));
        }
        let options = Options { sack, ..Options::default() };
        self.take(at_ms, Segment { options, ..segment(1, ack, 65_535, 0) })
    }

    /// The answers to a segment whose acknowledgement is in the server's own numbers.
    pub fn take(&mut self, at_ms: u64, segment: Segment) -> Vec<Segment> {
        let ack = self.number(segment.ack.0);
        self.connection.handle_segment(at(at_ms), &Segment { ack, ..segment });
        self.sent(at_ms)
    }

    pub fn write(&mut self, at_ms: u64, length: u64) -> Vec<Segment> {
        self.connection.write(at(at_ms), &Payload::Length(length)).expect("open");
        self.sent(at_ms)
    }

    pub fn sent(&mut self, at_ms: u64) -> Vec<Segment> {
        std::iter::from_fn(|| self.connection.poll_transmit(at(at_ms))).collect()
    }

    /// Lets the next timer expire; when that was, and what left.
    pub fn expire(&mut self) -> (Time, Vec<Segment>) {
        let due = self.connection.poll_timeout().expect("a timer");
        self.connection.handle_timeout(due);
        (due, std::iter::from_fn(|| self.connection.poll_transmit(due)).collect())
    }

    /// A position of the server as a segment has it: its SYN is 0.
    pub fn number(&self, position: u32) -> SeqNumber {
        SeqNumber(self.isn.wrapping_add(position))
    }
}

/// A segment of the peer, whose SYN is 0.
pub fn segment(seq: u32, ack: u32, window: u16, length: u64) -> Segment {
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
        gso_size: None,
        payload: Payload::Length(length),
    }
}
