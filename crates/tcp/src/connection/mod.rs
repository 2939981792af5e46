//! One connection.

mod command;
mod handshake;
mod info;
mod input;
mod keep_alive;
mod keep_alive_timer;
mod output;
mod syn;
mod timeout;

use std::collections::VecDeque;
use std::net::SocketAddrV4;

use bentpipe_units::{Duration, Switch, Time};

use crate::config::{Config, Extensions, FastOpen, HandshakeRetries};
use crate::connection::keep_alive_timer::KeepAliveTimer;
use crate::connection::syn::{Handshake, Peer};
use crate::cookie::Cookie;
use crate::ecn::EcnState;
use crate::event::{Closed, Event};
use crate::options::TIMESTAMPS_LEN;
use crate::receive::{Receiver, SenderView};
use crate::segment::Segment;
use crate::send::Sender;
use crate::sequence::{SeqNumber, SequenceSpace};
use crate::state::State;
use crate::wheel::TimerWheel;

/// A TCP connection.
///
/// Methods are of four kinds:
/// - getters, which change nothing;
/// - `handle_*`: [`handle_segment`](Self::handle_segment), [`handle_timeout`](Self::handle_timeout);
/// - commands of the application: [`write`](Self::write), [`read`](Self::read), [`shutdown`](Self::shutdown),
///   [`close`](Self::close), [`abort`](Self::abort);
/// - `poll_*`, which tell what follows.
///
/// After each call of the second or third kind, in this order:
/// 1. [`poll_transmit`](Self::poll_transmit) until it returns `None`. The kernel answers a segment before the
///    application runs, so this comes before the application hears of anything;
/// 2. [`poll_event`](Self::poll_event) until it returns `None`; whatever the application does about an event starts
///    again at 1;
/// 3. [`poll_timeout`](Self::poll_timeout), and call [`handle_timeout`](Self::handle_timeout) at that time.
///
/// Time never runs backwards between calls.
#[derive(Clone, Debug)]
pub struct Connection {
    local: SocketAddrV4,
    remote: SocketAddrV4,
    /// MSS that we announce.
    announced_mss: u16,
    fast_open: FastOpen,
    wheel: TimerWheel,
    timestamps: Switch,
    extensions: Extensions,
    ecn: EcnState,
    state: State,
    ours: SequenceSpace,
    theirs: SequenceSpace,
    peer: Peer,
    handshake: Handshake,
    retries: HandshakeRetries,
    keep_alive: KeepAliveTimer,
    send: Sender,
    receive: Receiver,
    pending: Pending,
    /// End of TIME_WAIT, or of FIN_WAIT2 without an application.
    lingers_until: Option<Time>,
    reader: Reader,
    /// When a segment out of the window was answered last, and how long none is answered after it.
    out_of_window_at: Option<Time>,
    stray_interval: Duration,
    /// Segments that were refused as they ended beyond the window (`LINUX_MIB_BEYOND_WINDOW`).
    beyond_window: u64,
    events: VecDeque<Event>,
    ended: Option<Closed>,
}

/// What waits to be sent besides data.
#[derive(Clone, Debug, Default)]
struct Pending {
    syn: bool,
    acknowledgement: bool,
    /// A probe of a silent peer.
    keep_alive: bool,
    reset: Option<Reset>,
    /// Acknowledgements of what was held before what arrived since.
    reports: VecDeque<Segment>,
    /// Whether a blocked writer may have room now.
    writable: bool,
}

/// A reset that is to leave.
#[derive(Clone, Debug)]
enum Reset {
    /// To a segment that has no place here, from which it takes its numbers (`tcp_v4_send_reset`).
    Answer(Box<Segment>),
    /// Of the connection, with its numbers, window and options (`tcp_send_active_reset`).
    Own,
}

/// Whether the application still takes data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Present,
    /// It has shut the direction down (`RCV_SHUTDOWN`).
    ShutDown,
    Gone,
}

impl Connection {
    /// Opens a connection to `remote`. What is written before the first poll travels with the SYN, where a cookie
    /// allows it.
    pub fn connect(config: &Config, local: SocketAddrV4, remote: SocketAddrV4, now: Time) -> Self {
        let mut receive = Receiver::new(config, now, u64::from(config.mss()));
        receive.adopt();
        Self::new(config, (local, remote), now, State::SynSent, receive)
    }

    /// Answers `syn`, which came to a listening port.
    pub fn accept(config: &Config, syn: &Segment, now: Time) -> Self {
        // Timestamps, where both ends have them, tell already how much of a segment is payload
        // (`tcp_openreq_init_rwin`).
        let both = syn.options.timestamps.filter(|_| config.timestamps.is_on());
        let timestamps = both.map_or(0, |_| TIMESTAMPS_LEN);
        let receive =
            Receiver::new(config, now, u64::from(config.mss()).saturating_sub(u64::from(timestamps)).max(1));
        let ends = (syn.destination, syn.source);
        let mut connection = Self::new(config, ends, now, State::SynReceived, receive);
        connection.on_first_syn(now, syn);
        connection
    }

    fn new(
        config: &Config,
        (local, remote): (SocketAddrV4, SocketAddrV4),
        now: Time,
        state: State,
        receive: Receiver,
    ) -> Self {
        let initial = SeqNumber((config.seed ^ (config.seed >> 32)) as u32);
        Self {
            local,
            remote,
            announced_mss: config.mss(),
            fast_open: config.fast_open,
            wheel: config.wheel,
            timestamps: config.timestamps,
            extensions: config.extensions,
            ecn: EcnState::new(config.ecn),
            state,
            ours: SequenceSpace::new(initial),
            theirs: SequenceSpace::new(SeqNumber(0)),
            peer: Peer::default(),
            handshake: Handshake::default(),
            retries: config.retries,
            keep_alive: KeepAliveTimer::new(now, config.keep_alive),
            send: Sender::new(config, now),
            receive,
            pending: Pending { syn: true, ..Pending::default() },
            lingers_until: None,
            reader: Reader::Present,
            out_of_window_at: None,
            beyond_window: 0,
            stray_interval: config.stray_interval,
            events: VecDeque::new(),
            ended: None,
        }
    }

    // ---- getters -------------------------------------------------------------------------------------------

    /// Our address.
    pub const fn local(&self) -> SocketAddrV4 {
        self.local
    }

    /// The peer's address.
    pub const fn remote(&self) -> SocketAddrV4 {
        self.remote
    }

    /// Where the connection is in its life.
    pub const fn state(&self) -> State {
        self.state
    }

    /// Whether nothing is left of it: it may be forgotten.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// Whether the application has let go of it.
    pub fn is_released(&self) -> bool {
        self.reader == Reader::Gone
    }

    /// Why it ended, once it has.
    pub const fn ended(&self) -> Option<Closed> {
        self.ended
    }

    /// Bytes that wait to be read.
    pub const fn unread(&self) -> u64 {
        self.receive.unread()
    }

    /// Bytes written and not yet acknowledged.
    pub const fn unacknowledged(&self) -> u64 {
        self.send.unacknowledged()
    }

    /// Whether a segment that starts there may be on its way, from SND.UNA to SND.NXT.
    pub fn has_out(&self, number: SeqNumber) -> bool {
        let is_opening = matches!(self.state, State::SynSent | State::SynReceived);
        let least = if is_opening { 0 } else { self.send.una() };
        let next = self.send.next();
        self.ours.position(number, next).is_some_and(|position| (least..=next).contains(&position))
    }

    /// Bytes written that have not left yet (`tcpi_notsent_bytes`).
    pub const fn unsent(&self) -> u64 {
        self.send.unsent()
    }

    /// Whether a write would take something.
    pub fn is_writable(&self) -> bool {
        self.ended.is_none() && !self.send.is_shut_down() && self.send.is_writable()
    }

    /// Whether there is so much room for writes that one who asks hears of it (`sk_stream_is_writeable`).
    pub fn has_space(&self) -> bool {
        self.is_writable() && self.send.has_space()
    }

    /// Whether a task that waits to write goes on when it looks (`tcp_poll`). What it was told may no longer hold: bursts
    /// that left since then have made more buffers of what waited. If not, it is told again.
    pub fn poll_writable(&mut self) -> bool {
        self.ended.is_some() || self.send.is_shut_down() || self.send.poll_space()
    }

    /// Whether data may flow: the handshake is complete, or data came with the SYN (RFC 7413).
    pub fn is_open(&self) -> bool {
        self.send.cc().is_some()
    }

    /// The cookie that the server granted (RFC 7413), for connections to come.
    pub const fn fast_open_cookie(&self) -> Option<Cookie> {
        self.handshake.granted
    }

    /// The segment size that the peer announced, once its SYN has come.
    pub const fn peer_announced_mss(&self) -> Option<u16> {
        self.peer.announced_mss()
    }

    /// The phases of Careful Resume so far, on the clock of the connection.
    pub fn resumption(&self) -> &[bentpipe_cc::careful_resume::Transition] {
        self.send.cc().map_or(&[], bentpipe_cc::CongestionControl::resumption)
    }

    // ---- events --------------------------------------------------------------------------------------------

    /// What happened since the last poll.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn tell(&mut self, event: Event) {
        if !self.events.contains(&event) {
            self.events.push_back(event);
        }
    }

    /// The connection is over for the application.
    fn end(&mut self, reason: Closed) {
        if self.ended.is_none() {
            self.ended = Some(reason);
            self.tell(Event::Closed(reason));
        }
    }

    /// Nothing is left.
    fn vanish(&mut self, reason: Closed) {
        self.end(reason);
        self.state = State::Closed;
        self.send.stop();
        self.handshake.timer = None;
        self.lingers_until = None;
        self.keep_alive.timer = None;
        self.pending.syn = false;
        self.pending.acknowledgement = false;
        self.pending.keep_alive = false;
    }

    fn sender_view(&self) -> SenderView {
        SenderView { srtt: self.send.rtt().srtt(), rto: self.send.rtt().rto() }
    }
}

/// `TCP_TIMEWAIT_LEN`, `tcp_fin_timeout`.
const LINGER: Duration = Duration::from_secs(60);
