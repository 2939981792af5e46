//! Two hosts on a link in virtual time: a rate, a delay, a drop-tail queue, and what a test does to single segments.

pub mod server;

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::net::{Ipv4Addr, SocketAddrV4};

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{
    Config, Connection, ConnectionId, Endpoint, Event, Flags, Payload, Read, Route, Segment, TcpSpec,
};
use bentpipe_units::{Bytes, Duration, Rate, Switch, Time};

pub const PORT: u16 = 80;
/// Payload of a full segment: 1500 less 20, 20 and 12 of timestamps.
pub const MSS: u64 = 1448;

pub fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// When a timer expires that is set at `now` for `wait`, by the table at the head of kernel/time/timer.c for HZ 250, less than a
/// minute from time zero: a level's reach and the length of its slots, in jiffies of 4 ms. It expires with the slot after the one
/// in which it falls.
pub fn expiry(now: Time, wait: Duration) -> Time {
    const LEVELS: [(u64, u64); 4] = [(63, 1), (504, 8), (4_032, 64), (32_256, 512)];
    let wait = wait.as_nanos().div_ceil(4_000_000);
    let (_, slot) =
        LEVELS.into_iter().find(|(reach, _)| wait < *reach).expect("a wait of two minutes at most");
    let falls = now.as_nanos() / 4_000_000 + wait;
    at((falls / slot + 1) * slot * 4)
}

pub fn spec() -> TcpSpec {
    TcpSpec {
        initial_window: 10,
        initial_receive_window: None,
        receive_buffer_bytes: Bytes::new(64 << 20),
        send_buffer_bytes: Bytes::new(64 << 20),
        slow_start_after_idle: true,
        fast_open: Switch::Off,
        nagle: Switch::Off,
        pacing: Switch::Off,
        max_pacing_rate_bps: None,
        timestamps: None,
        ecn: Switch::Off,
        quick_ack: Switch::Off,
        connect_retry_ns: None,
        connect_retries: None,
        idle_reset_ns: None,
        idle_fallback: Switch::Off,
    }
}

pub fn config(cc: Algorithm) -> Config {
    Config::new(&spec(), cc, 7)
}

pub fn cubic() -> Config {
    config(Algorithm::Cubic)
}

/// As Windows has it: no timestamps (RFC 7323).
pub fn without_timestamps() -> Config {
    Config { timestamps: Switch::Off, ..cubic() }
}

/// One direction of the link.
#[derive(Clone, Debug, Default)]
pub struct Direction {
    /// Infinite when there is none.
    pub rate: Option<Rate>,
    pub delay: Duration,
    /// Bytes that may wait; as many as come when there is none.
    pub queue: Option<u64>,
    /// Segments that are lost, by their number in this direction from zero.
    pub lose: BTreeSet<u64>,
    /// Segments that take longer.
    pub hold: BTreeMap<u64, Duration>,
    /// Segments that arrive twice.
    pub double: BTreeSet<u64>,
    /// What leaves between these times is lost.
    pub dark: Option<(Time, Time)>,
    sent: u64,
    free_at: Time,
    pub dropped: u64,
}

impl Direction {
    pub fn delay(delay: Duration) -> Self {
        Self { delay, ..Self::default() }
    }

    pub fn rate(mbit: u64, delay: Duration) -> Self {
        Self { rate: Some(Rate::from_bps(mbit * 1_000_000)), delay, ..Self::default() }
    }

    pub fn with_queue(self, bytes: u64) -> Self {
        Self { queue: Some(bytes), ..self }
    }

    /// When the segment arrives, if it does.
    fn carry(&mut self, now: Time, segment: &Segment) -> Vec<Time> {
        let number = self.sent;
        self.sent += 1;
        let in_the_dark = self.dark.is_some_and(|(from, to)| (from..to).contains(&now));
        if self.lose.contains(&number) || in_the_dark {
            self.dropped += 1;
            return Vec::new();
        }
        let size = Bytes::new(u64::from(segment.wire_bytes()));
        if let Some(rate) = self.rate {
            let backlog = rate.volume_in(self.free_at.since(now));
            if self.queue.is_some_and(|limit| backlog.get() + size.get() > limit) {
                self.dropped += 1;
                return Vec::new();
            }
            self.free_at = self.free_at.max(now) + rate.time_for(size);
        } else {
            self.free_at = now;
        }
        let arrival = self.free_at + self.delay + self.hold.get(&number).copied().unwrap_or(Duration::ZERO);
        let copies = if self.double.contains(&number) { 2 } else { 1 };
        vec![arrival; copies]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Client,
    Server,
}

use Side::{Client, Server};

impl Side {
    pub fn other(self) -> Self {
        match self {
            Client => Server,
            Server => Client,
        }
    }
}

/// What was sent, without the bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub at: Time,
    pub from: Side,
    pub flags: Flags,
    pub seq: u32,
    pub ack: u32,
    pub window: u16,
    pub payload: u64,
    pub wire: u32,
    pub sacks: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The application reads whatever comes at once.
    Eager,
    Paused,
}

#[derive(Debug)]
pub struct Host {
    pub endpoint: Endpoint,
    pub config: Config,
    pub connection: Option<Connection>,
    pub reading: Reading,
    /// Bytes read.
    pub received: u64,
    /// Real bytes read.
    pub bytes: Vec<u8>,
    /// What the application still wants to write.
    pub backlog: Vec<Payload>,
    /// The application finishes when everything is written.
    pub finishes: bool,
    /// The application waits until it may write.
    is_blocked: bool,
    pub ended: bool,
    pub events: Vec<(Time, Event)>,
    /// When the last byte was read.
    pub last_read_at: Time,
}

impl Host {
    fn new(address: Ipv4Addr, config: Config) -> Self {
        Self {
            endpoint: Endpoint::new(address),
            config,
            connection: None,
            reading: Reading::Eager,
            received: 0,
            bytes: Vec::new(),
            backlog: Vec::new(),
            finishes: false,
            is_blocked: false,
            ended: false,
            events: Vec::new(),
            last_read_at: Time::ZERO,
        }
    }

    pub fn conn(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("a connection")
    }

    pub fn unacknowledged(&self) -> u64 {
        self.connection.as_ref().map_or(0, Connection::unacknowledged)
    }

    pub fn time_of(&self, event: Event) -> Option<Time> {
        self.events.iter().find(|(_, seen)| *seen == event).map(|(at, _)| *at)
    }

    /// The application's turn: reads and writes what it can.
    fn run_application(&mut self, now: Time) -> bool {
        let Some(connection) = &mut self.connection else { return false };
        let mut acted = false;
        while let Some(event) = connection.poll_event() {
            self.is_blocked &= event != Event::Writable || !connection.poll_writable();
            self.events.push((now, event));
            acted = true;
        }
        if self.reading == Reading::Eager {
            while let Ok(Read::Data(payload)) = connection.read(now, u64::MAX) {
                self.received += payload.len();
                self.last_read_at = now;
                if let Payload::Bytes(bytes) = payload {
                    self.bytes.extend_from_slice(&bytes);
                }
                acted = true;
            }
            self.ended |= matches!(connection.read(now, 1), Ok(Read::End));
        }
        while let Some(next) = self.backlog.first_mut().filter(|_| !self.is_blocked) {
            let Ok(taken) = connection.write(now, next) else { break };
            self.is_blocked = taken < next.len();
            if taken == 0 {
                break;
            }
            acted = true;
            next.split_to(taken);
            if next.is_empty() {
                self.backlog.remove(0);
            }
        }
        if self.finishes && self.backlog.is_empty() {
            connection.shutdown();
        }
        acted
    }
}

struct Arrival {
    at: Time,
    order: u64,
    to: Side,
    segment: Segment,
}

impl PartialEq for Arrival {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Arrival {}
impl PartialOrd for Arrival {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Arrival {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

pub struct Pair {
    pub now: Time,
    pub client: Host,
    pub server: Host,
    /// From the server.
    pub down: Direction,
    /// From the client.
    pub up: Direction,
    flying: BinaryHeap<Arrival>,
    order: u64,
    pub log: Vec<Record>,
    pub keep_log: bool,
}

impl Pair {
    /// Both hosts with these settings; the client has started to connect.
    pub fn new(client: Config, server: Config, down: Direction, up: Direction) -> Self {
        let mut pair = Self {
            now: Time::ZERO,
            client: Host::new(Ipv4Addr::new(10, 0, 0, 1), client),
            server: Host::new(Ipv4Addr::new(10, 0, 0, 2), server),
            down,
            up,
            flying: BinaryHeap::new(),
            order: 0,
            log: Vec::new(),
            keep_log: true,
        };
        let listening = pair.server.config.clone();
        pair.server.endpoint.listen(PORT, listening).expect("a free port");
        let remote = SocketAddrV4::new(pair.server.endpoint.address(), PORT);
        let config = pair.client.config.clone();
        let (_, connection) = pair.client.endpoint.connect(pair.now, remote, &config).expect("a free port");
        pair.client.connection = Some(connection);
        pair
    }

    /// A link that is fast beside its delay.
    pub fn symmetric(rtt: Duration) -> Self {
        Self::new(cubic(), cubic(), Direction::delay(rtt / 2), Direction::delay(rtt / 2))
    }

    pub fn host(&mut self, side: Side) -> &mut Host {
        match side {
            Client => &mut self.client,
            Server => &mut self.server,
        }
    }

    pub fn send(&mut self, from: Side, payload: Payload) {
        self.host(from).backlog.push(payload);
        self.turn(from);
    }

    /// Lets one host transmit, its application run, and what follows leave.
    pub fn turn(&mut self, side: Side) {
        loop {
            self.drain(side);
            let now = self.now;
            if !self.host(side).run_application(now) {
                break;
            }
        }
        self.drain(side);
        let host = self.host(side);
        if let Some(connection) = host.connection.as_ref().filter(|connection| connection.is_closed()) {
            host.endpoint.forget(connection);
        }
    }

    fn drain(&mut self, side: Side) {
        let now = self.now;
        while let Some(segment) =
            self.host(side).connection.as_mut().and_then(|connection| connection.poll_transmit(now))
        {
            self.put(side, segment);
        }
    }

    /// A segment enters the link.
    pub fn put(&mut self, from: Side, segment: Segment) {
        if self.keep_log {
            self.log.push(Record {
                at: self.now,
                from,
                flags: segment.flags,
                seq: segment.seq.0,
                ack: segment.ack.0,
                window: segment.window,
                payload: segment.payload.len(),
                wire: segment.wire_bytes(),
                sacks: segment.options.sack.as_slice().len(),
            });
        }
        let now = self.now;
        let direction = if from == Server { &mut self.down } else { &mut self.up };
        for at in direction.carry(now, &segment) {
            self.order += 1;
            self.flying.push(Arrival { at, order: self.order, to: from.other(), segment: segment.clone() });
        }
    }

    fn next_at(&self) -> Option<Time> {
        let timeout = |host: &Host| host.connection.as_ref().and_then(Connection::poll_timeout);
        [self.flying.peek().map(|arrival| arrival.at), timeout(&self.client), timeout(&self.server)]
            .into_iter()
            .flatten()
            .min()
    }

    /// Handles the next event before `until`; whether there was one.
    pub fn step(&mut self, until: Time) -> bool {
        let Some(next) = self.next_at().filter(|next| *next <= until) else {
            self.now = self.now.max(until);
            return false;
        };
        self.now = self.now.max(next);
        if self.flying.peek().is_some_and(|arrival| arrival.at <= self.now) {
            let Arrival { to, segment, .. } = self.flying.pop().expect("an arrival");
            self.deliver(to, &segment);
            return true;
        }
        for side in [Client, Server] {
            let now = self.now;
            let due = |host: &Host| {
                host.connection.as_ref().and_then(Connection::poll_timeout).is_some_and(|at| at <= now)
            };
            if due(self.host(side)) {
                self.host(side).conn().handle_timeout(now);
                self.turn(side);
            }
        }
        true
    }

    fn deliver(&mut self, to: Side, segment: &Segment) {
        let now = self.now;
        let host = self.host(to);
        match host.endpoint.route(now, segment) {
            Route::To(ConnectionId(_)) => host.conn().handle_segment(now, segment),
            Route::Accepted(_, connection) => host.connection = Some(*connection),
            Route::Reset(reset) => {
                self.put(to, *reset);
                return;
            }
            Route::Ignored => return,
        }
        self.turn(to);
    }

    pub fn run_until(&mut self, until: Time) {
        self.turn(Client);
        while self.step(until) {}
    }

    /// Runs until `done`, and fails when that takes longer than `limit`.
    pub fn run_while(&mut self, limit: Time, mut busy: impl FnMut(&Self) -> bool) {
        self.turn(Client);
        while busy(self) {
            assert!(self.step(limit), "not done at {} s", limit.since(Time::ZERO).as_secs_f64());
        }
    }

    /// Runs the handshake and nothing else.
    pub fn open(&mut self) {
        self.run_while(at(60_000), |pair| pair.server.time_of(Event::Connected).is_none());
    }

    /// Sends `length` bytes down after the handshake; returns when the last was read.
    pub fn download(&mut self, length: u64) -> Time {
        self.open();
        self.send(Server, Payload::Length(length));
        self.run_while(at(3_600_000), |pair| pair.client.received < length);
        self.client.last_read_at
    }

    /// Segments with data from one side.
    pub fn data_from(&self, side: Side) -> impl Iterator<Item = &Record> {
        self.log.iter().filter(move |record| record.from == side && record.payload > 0)
    }

    /// Segments without data from one side, the handshake left out.
    pub fn acks_from(&self, side: Side) -> impl Iterator<Item = &Record> {
        self.log
            .iter()
            .filter(move |record| record.from == side && record.payload == 0 && record.flags == Flags::ACK)
    }
}
