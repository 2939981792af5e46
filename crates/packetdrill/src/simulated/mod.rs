//! The simulated endpoint in virtual time.

mod host;
mod info;
mod names;
mod readiness;
mod segments;
mod socket;
mod sockets;

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr};

use bentpipe_tcp::{Closed, Connection, ConnectionId, Endpoint, Event, Route};
use bentpipe_units::{Duration, Time};

use crate::backend::{Backend, Captured, Ended, Progress, TcpInfo};
use crate::call::Call;
use crate::commands::{Effect, ReadFile, effects};
use crate::icmp::Icmp;
use crate::outcome::{Handle, Missing, Outcome};
use crate::packet::Packet;
use crate::settings::Settings;
use host::HostSettings;
use socket::{Kind, Socket};

/// Longer than the longest timer of TCP: waiting costs nothing.
const PATIENCE: Duration = Duration::from_secs(150);

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
    opened: i64,
    sent: VecDeque<Captured>,
    /// The call that blocks, and its end once it has one.
    blocked: Option<(Call, Option<(Time, Outcome)>)>,
    /// When it ends by itself.
    deadline: Option<Time>,
    /// Bytes of the write that blocks which were taken already.
    written: u64,
    read_file: &'a ReadFile<'a>,
}

/// A connection, and what its socket has to know of it.
struct Connected {
    connection: Connection,
    /// The listening socket, until the connection is accepted.
    listener: Option<Handle>,
    /// An error that was not told yet (`sk_err`).
    error: Option<i32>,
}

impl<'a> Simulated<'a> {
    /// A host with Linux's own settings.
    ///
    /// # Errors
    /// For a version of IP that it does not have.
    pub fn new(settings: &Settings, read_file: &'a ReadFile<'a>) -> Result<Self, Missing> {
        let (IpAddr::V4(local), IpAddr::V4(remote)) = (settings.local, settings.remote) else {
            return Err(Missing("IPv6".to_owned()));
        };
        Ok(Self {
            now: Time::ZERO,
            settings: settings.clone(),
            local,
            remote,
            host: HostSettings::new(settings.mtu)?,
            endpoint: Endpoint::new(local),
            connections: BTreeMap::new(),
            sockets: BTreeMap::new(),
            opened: 0,
            sent: VecDeque::new(),
            blocked: None,
            deadline: None,
            written: 0,
            read_file,
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
            while let Some(segment) = connected.connection.poll_transmit(self.now) {
                self.sent.push_back(segments::captured(self.now, &segment));
            }
        }
        let ids: Vec<_> = self.connections.keys().copied().collect();
        for id in ids {
            self.hear(id);
        }
        self.retry_blocked();
    }

    fn hear(&mut self, id: ConnectionId) {
        let Some(connected) = self.connections.get_mut(&id) else { return };
        while let Some(event) = connected.connection.poll_event() {
            match event {
                Event::Connected => {
                    if let Some(Kind::Listening { ready, .. }) = connected
                        .listener
                        .and_then(|handle| self.sockets.get_mut(&handle))
                        .map(|it| &mut it.kind)
                    {
                        ready.push_back(id);
                    }
                }
                Event::Closed(reason) => connected.error = errno_of(reason),
                Event::Readable | Event::Writable => {}
            }
        }
        let is_owned = self.sockets.values().any(|socket| socket.kind == Kind::Connection(id));
        if connected.connection.is_closed() {
            self.endpoint.forget(&connected.connection);
            if !is_owned && connected.connection.is_released() {
                self.connections.remove(&id);
            }
        }
    }

    fn retry_blocked(&mut self) {
        let Some((call, None)) = self.blocked.clone() else { return };
        if let Ok(Some(outcome)) = self.attempt(&call) {
            self.blocked = Some((call, Some((self.now, outcome))));
            self.settle();
        }
    }
}

/// `sk_err` of Linux for the end of a connection (`tcp_reset`, `tcp_write_err`).
const fn errno_of(reason: Closed) -> Option<i32> {
    match reason {
        Closed::Finished | Closed::Aborted => None,
        Closed::Reset => Some(libc::ECONNRESET),
        Closed::Refused => Some(libc::ECONNREFUSED),
        Closed::TimedOut => Some(libc::ETIMEDOUT),
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
        let segment = segments::segment_of(packet, self.remote, self.local)?;
        if let Some(mss) = self.settings.mss.filter(|mss| segments::is_super_segment(&segment, *mss)) {
            return Err(Missing(format!("a segment of {} bytes with --mss={mss}", packet.length)));
        }
        if self.host.has_fast_open_for(&segment) {
            return Err(Missing("Fast Open of all servers (tcp_fastopen)".to_owned()));
        }
        match self.endpoint.route(self.now, &segment) {
            Route::To(id) => {
                if let Some(connected) = self.connections.get_mut(&id) {
                    connected.connection.handle_segment(self.now, &segment);
                }
            }
            Route::Accepted(id, connection) => {
                let listener = self.listener();
                self.connections.insert(id, Connected { connection: *connection, listener, error: None });
            }
            Route::Reset(reset) => {
                self.sent.push_back(segments::captured(self.now, &reset));
            }
            Route::Ignored => {}
        }
        self.settle();
        Ok(())
    }

    fn inject_icmp(&mut self, _icmp: &Icmp) -> Result<(), Missing> {
        Err(Missing("ICMP".to_owned()))
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
        for effect in effects(command, self.read_file) {
            match effect {
                Effect::Sleep(span) => self.wait_until(self.now + span),
                effect => self.host.apply(&effect)?,
            }
        }
        Ok(Ended::Well)
    }

    fn tcp_info(&mut self, socket: Handle) -> Option<TcpInfo> {
        let Kind::Connection(id) = self.sockets.get(&socket)?.kind else { return None };
        Some(info::tcp_info(&self.connections.get(&id)?.connection))
    }
}
