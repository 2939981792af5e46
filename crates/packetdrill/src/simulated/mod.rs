//! The simulated endpoint in virtual time.

mod counters;
mod ending;
mod error_messages;
mod error_queue;
mod files;
mod host;
mod icmp;
mod info;
mod ip_options;
mod names;
mod options;
mod pipe;
mod readiness;
mod segments;
mod socket;
mod socket_options;
mod sockets;
mod tcp_options;
mod transfers;

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};

use bentpipe_tcp::{Closed, Connection, ConnectionId, Endpoint, Event, Route, State};
use bentpipe_units::{Duration, Time};

use crate::backend::{Backend, Captured, Ended, Progress, TcpInfo};
use crate::call::Call;
use crate::commands::{Effect, effects};
use crate::files::Files;
use crate::icmp::Icmp;
use crate::outcome::{Handle, Missing, Outcome};
use crate::packet::{IpFields, Packet};
use crate::settings::Settings;
use counters::{Counted, Counters};
use error_queue::ErrorQueue;
use host::HostSettings;
use pipe::Pipe;
use socket::{Kind, Socket};

/// Longer than the longest timer of TCP: waiting costs nothing.
const PATIENCE: Duration = Duration::from_secs(150);

/// Addresses of the endpoint and its peer for those of IPv6: TCP is the same over either (RFC 5737).
const STAND_INS: (Ipv4Addr, Ipv4Addr) = (Ipv4Addr::new(192, 0, 2, 1), Ipv4Addr::new(192, 0, 2, 2));

/// The endpoint of `bentpipe-tcp` behind sockets.
pub struct Simulated<'a> {
    now: Time,
    settings: Settings,
    local: Ipv4Addr,
    remote: Ipv4Addr,
    host: HostSettings,
    endpoint: Endpoint,
    connections: BTreeMap<ConnectionId, Connected>,
    sockets: BTreeMap<Handle, Socket>,
    pipes: BTreeMap<i64, Pipe>,
    counters: Counters,
    opened: i64,
    sent: VecDeque<Captured>,
    /// The call that blocks, and its end once it has one.
    blocked: Option<(Call, Option<(Time, Outcome)>)>,
    /// When it ends by itself.
    deadline: Option<Time>,
    /// Bytes of the write that blocks which were taken already.
    written: u64,
    files: Files<'a>,
}

/// A connection, and what its socket has to know of it.
struct Connected {
    connection: Connection,
    /// The listening socket, until the connection is accepted.
    listener: Option<Handle>,
    /// The state that it had when its socket heard of it last.
    state: State,
    /// An error that was not told yet (`sk_err`).
    error: Option<i32>,
    /// One that ends nothing, and is told if the connection ends by itself (`sk_err_soft`).
    soft_error: Option<i32>,
    /// What the headers of its packets have by its socket's options.
    ip: IpFields,
    errors: ErrorQueue,
    /// Whether a message has come to them that nobody was told of.
    has_new_errors: bool,
    /// Whether a writer that waits was woken.
    wakes_writer: bool,
    counted: Counted,
    /// Whether its socket has left it.
    is_abandoned: bool,
    /// Whether its ports are free again.
    is_forgotten: bool,
}

impl Connected {
    fn new(connection: Connection, ip: IpFields, listener: Option<Handle>) -> Self {
        Self {
            state: connection.state(),
            connection,
            listener,
            error: None,
            soft_error: None,
            ip,
            errors: ErrorQueue::default(),
            has_new_errors: false,
            wakes_writer: false,
            counted: Counted::default(),
            is_abandoned: false,
            is_forgotten: false,
        }
    }

    /// Whether nothing can be read or written yet.
    fn is_opening(&self) -> bool {
        let is_under_way = matches!(self.connection.state(), State::SynSent | State::SynReceived);
        is_under_way && !self.connection.is_open()
    }
}

impl<'a> Simulated<'a> {
    /// A host with Linux's own settings.
    ///
    /// # Errors
    /// For an interface whose packets are too small.
    pub fn new(settings: &Settings, files: Files<'a>) -> Result<Self, Missing> {
        let (local, remote) = match (settings.local, settings.remote) {
            (IpAddr::V4(local), IpAddr::V4(remote)) => (local, remote),
            _ => STAND_INS,
        };
        Ok(Self {
            now: Time::ZERO,
            settings: settings.clone(),
            local,
            remote,
            host: HostSettings::new(settings.mtu, settings.ip_version)?,
            endpoint: Endpoint::new(local),
            connections: BTreeMap::new(),
            sockets: BTreeMap::new(),
            pipes: BTreeMap::new(),
            counters: Counters::new(),
            opened: 0,
            sent: VecDeque::new(),
            blocked: None,
            deadline: None,
            written: 0,
            files,
        })
    }

    /// When something happens by itself.
    fn next_timeout(&self) -> Option<Time> {
        let due = self.connections.values().filter_map(|connected| connected.connection.poll_timeout());
        let limit = self.deadline.filter(|_| matches!(self.blocked, Some((_, None))));
        due.chain(limit).map(|at| at.max(self.now)).min()
    }

    /// Lets the timers of one instant expire.
    fn expire(&mut self, at: Time) {
        self.now = at;
        for connected in self.connections.values_mut() {
            if connected.connection.poll_timeout().is_some_and(|due| due <= at) {
                connected.connection.handle_timeout(at);
            }
        }
        self.settle();
    }

    /// What follows from what happened: segments first, as the kernel has it, then what the application hears.
    fn settle(&mut self) {
        for connected in self.connections.values_mut() {
            connected.has_new_errors |= connected.errors.on_acknowledged(&connected.connection);
            while let Some(segment) = connected.connection.poll_transmit(self.now) {
                connected.has_new_errors |= connected.errors.on_sent(&segment);
                self.sent.push_back(segments::captured(self.now, &segment, connected.ip));
            }
            self.counters.ask(&connected.connection.info(), &mut connected.counted);
        }
        let ids: Vec<_> = self.connections.keys().copied().collect();
        for id in ids {
            self.hear(id);
        }
        self.retry_blocked();
    }

    fn hear(&mut self, id: ConnectionId) {
        let owner = self.sockets.iter().find(|(_, socket)| socket.kind == Kind::Connection(id));
        let owner = owner.map(|(handle, _)| *handle);
        let Some(connected) = self.connections.get_mut(&id) else { return };
        let listener = connected.listener;
        // sock_def_error_report
        let errors = std::mem::take(&mut connected.has_new_errors);
        let (mut told, mut is_ready) = (if errors { i64::from(libc::EPOLLERR) } else { 0 }, false);
        while let Some(event) = connected.connection.poll_event() {
            connected.wakes_writer |= event != Event::Readable;
            told |= wake_of(event);
            match event {
                Event::Connected => {
                    is_ready = true;
                    if connected.connection.used_fast_open() {
                        self.host.remember(&connected.connection);
                    }
                }
                Event::Closed(reason) => {
                    connected.error = errno_of(reason, connected.state, connected.soft_error)
                }
                Event::Readable | Event::Writable => {}
            }
        }
        connected.state = connected.connection.state();
        if connected.connection.is_closed() {
            if !std::mem::replace(&mut connected.is_forgotten, true) {
                self.endpoint.forget(&connected.connection);
            }
            if owner.is_none() && (connected.connection.is_released() || connected.is_abandoned) {
                self.connections.remove(&id);
            }
        }
        if let Some(owner) = owner.filter(|_| told != 0) {
            self.wake_watchers(owner, told);
        }
        if let Some(listener) = listener.filter(|_| is_ready) {
            self.enqueue(listener, id);
        }
    }

    /// A connection waits to be accepted.
    fn enqueue(&mut self, listener: Handle, id: ConnectionId) {
        if let Some(Kind::Listening { ready, .. }) = self.sockets.get_mut(&listener).map(|it| &mut it.kind) {
            ready.push_back(id);
            self.wake_watchers(listener, wake_of(Event::Readable));
        }
    }

    /// Whether a call may go on: one that writes when it was woken since the last time, or waits no longer.
    fn writer_is_woken(&mut self, call: &Call) -> bool {
        let (Call::Write(transfer) | Call::SendTo(transfer)) = call else { return true };
        if self.deadline.is_some_and(|deadline| deadline <= self.now) {
            return true;
        }
        let connected = self.connected(transfer.socket);
        connected.map_or(true, |connected| std::mem::take(&mut connected.wakes_writer))
    }

    fn retry_blocked(&mut self) {
        let Some((call, None)) = self.blocked.clone() else { return };
        if !self.writer_is_woken(&call) {
            return;
        }
        match self.attempt(&call) {
            Ok(Some(outcome)) => self.blocked = Some((call, Some((self.now, outcome)))),
            // A part of what is written may leave.
            Ok(None) if matches!(call, Call::Write(_) | Call::SendTo(_)) => {}
            _ => return,
        }
        self.settle();
    }
}

/// What is told to those that wait for a socket (`sk_data_ready`, `sk_write_space`, `sk_state_change`).
const fn wake_of(event: Event) -> i64 {
    match event {
        Event::Readable => (libc::EPOLLIN | libc::EPOLLRDNORM | libc::EPOLLRDHUP) as i64,
        Event::Writable => (libc::EPOLLOUT | libc::EPOLLWRNORM) as i64,
        Event::Connected | Event::Closed(_) => -1,
    }
}

/// `sk_err` of Linux for the end of a connection that was in this state (`tcp_reset`, `tcp_write_err`).
fn errno_of(reason: Closed, before: State, soft: Option<i32>) -> Option<i32> {
    match reason {
        Closed::Finished => None,
        Closed::Aborted => soft,
        Closed::Reset if matches!(before, State::CloseWait) => Some(libc::EPIPE),
        Closed::Reset => Some(libc::ECONNRESET),
        Closed::Refused => Some(libc::ECONNREFUSED),
        Closed::TimedOut => soft.or(Some(libc::ETIMEDOUT)),
    }
}

impl Backend for Simulated<'_> {
    fn patience(&self) -> Duration {
        PATIENCE
    }

    fn burst(&self) -> Duration {
        Duration::ZERO
    }

    fn now(&self) -> Time {
        self.now
    }

    fn wait_until(&mut self, at: Time) {
        while let Some(due) = self.next_timeout().filter(|due| *due <= at) {
            self.expire(due);
        }
        self.now = self.now.max(at);
    }

    fn inject(&mut self, packet: &Packet) -> Result<(), Missing> {
        let mut segment = segments::segment_of(packet, self.remote, self.local)?;
        segment.gso_size = self.settings.mss.filter(|mss| segments::is_super_segment(&segment, *mss));
        match self.endpoint.route(self.now, &segment) {
            Route::To(id) => {
                if let Some(connected) = self.connections.get_mut(&id) {
                    connected.connection.handle_segment(self.now, &segment);
                }
            }
            Route::Accepted(id, connection) => {
                let listener = self.listener();
                let options = listener.and_then(|listener| self.sockets.get(&listener)).map(|it| &it.options);
                let ip = options.map_or(segments::UNCHOSEN, |options| options.ip);
                self.connections.insert(id, Connected::new(*connection, ip, listener));
            }
            Route::Reset(reset) => {
                self.sent.push_back(segments::captured(self.now, &reset, segments::UNCHOSEN));
            }
            Route::Ignored => {}
        }
        self.settle();
        Ok(())
    }

    fn inject_icmp(&mut self, icmp: &Icmp) -> Result<(), Missing> {
        self.hear_of(icmp)
    }

    fn next_packet(&mut self, until: Time) -> Option<Captured> {
        loop {
            if let Some(first) = self.sent.front() {
                return if first.at <= until { self.sent.pop_front() } else { None };
            }
            match self.next_timeout().filter(|due| *due <= until) {
                Some(due) => self.expire(due),
                None => {
                    self.now = self.now.max(until);
                    return None;
                }
            }
        }
    }

    fn call(&mut self, call: &Call, patience: Duration) -> Result<Progress, Missing> {
        self.deadline = None;
        match self.attempt(call)? {
            Some(outcome) => {
                self.settle();
                Ok(Progress::Done(outcome))
            }
            None => {
                // What woke a writer before it waited wakes it no more.
                self.writer_is_woken(call);
                self.blocked = Some((call.clone(), None));
                self.settle();
                let limit = self.deadline.filter(|deadline| *deadline <= self.now + patience);
                let end = limit.and_then(|deadline| self.finish(deadline));
                Ok(end.map_or(Progress::Blocked, |(_, outcome)| Progress::Done(outcome)))
            }
        }
    }

    fn finish(&mut self, until: Time) -> Option<(Time, Outcome)> {
        loop {
            if let Some((_, Some(_))) = &self.blocked {
                return self.blocked.take().and_then(|(_, end)| end);
            }
            let due = self.next_timeout().filter(|due| *due <= until)?;
            self.expire(due);
        }
    }

    fn shell(&mut self, command: &str) -> Result<Ended, Missing> {
        let mut ended = Ended::Well;
        for effect in effects(command, self.files.text) {
            match effect {
                Effect::Sleep(span) => self.wait_until(self.now + span),
                Effect::Counters { look, go_on } => {
                    ended = self.counters.look(&look)?;
                    if !go_on {
                        self.counters = Counters::new();
                    }
                }
                effect => self.host.apply(&effect)?,
            }
        }
        Ok(ended)
    }

    fn tcp_info(&mut self, socket: Handle) -> Option<TcpInfo> {
        let id = match self.sockets.get(&socket)?.kind {
            Kind::Connection(id) => id,
            Kind::Fresh | Kind::Bound => return Some(info::without_connection(State::Closed)),
            _ => return None,
        };
        Some(info::tcp_info(self.now, &self.connections.get(&id)?.connection))
    }
}
