//! Sockets over the simulated endpoint, with the errors of Linux.

use std::collections::VecDeque;
use std::net::SocketAddrV4;

use bentpipe_tcp::{Boundary, Config, FastOpen, PortError, State};

use super::error_queue::Sending;
use super::socket::{Kind, Socket};
use super::{Connected, Simulated};
use crate::call::{Address, Call, Domain, Transfer};
use crate::outcome::{Handle, Missing, Outcome, Output};
use crate::settings::IpVersion;
use crate::symbols::SIOCOUTQNSD;

/// What comes of a call: nothing while it blocks.
pub(super) type Attempt = Result<Option<Outcome>, Missing>;

pub(super) fn done(outcome: Outcome) -> Attempt {
    Ok(Some(outcome))
}

pub(super) fn error(errno: i32) -> Attempt {
    done(Outcome::error(errno))
}

impl Simulated<'_> {
    /// The listening socket.
    pub(super) fn listener(&self) -> Option<Handle> {
        let mut listening = self.sockets.iter().filter(|(_, it)| matches!(it.kind, Kind::Listening { .. }));
        listening.next().map(|(handle, _)| *handle)
    }

    /// Does what a call asks for, as far as it does not block.
    pub(super) fn attempt(&mut self, call: &Call) -> Attempt {
        match call {
            Call::Socket { domain: Domain::V6, .. } if self.settings.ip_version == IpVersion::V4 => {
                Err(Missing("sockets of IPv6".to_owned()))
            }
            Call::Socket { nonblocking, .. } => done(self.open(Kind::Fresh, *nonblocking)),
            Call::EpollCreate => done(self.open(Kind::Epoll(Vec::new()), false)),
            Call::Bind(socket, address) => self.bind(*socket, *address),
            Call::Listen(socket, backlog) => self.listen(*socket, *backlog),
            Call::Accept { socket, nonblocking } => self.accept(*socket, *nonblocking),
            Call::Connect(socket, Address::Script) => self.connect(*socket),
            Call::Connect(socket, Address::Unspecified) => self.disconnect(*socket),
            Call::Connect(..) => Err(Missing("connections to an address that is written".to_owned())),
            Call::Name(socket, end) => self.name(*socket, *end),
            Call::Read(transfer) if self.is_file(transfer.socket) => self.read_file(transfer),
            Call::Read(transfer) => self.read(transfer),
            Call::Receive { transfer, with_control } => self.receive(transfer, *with_control),
            Call::Write(transfer) if self.is_file(transfer.socket) => self.write_file(transfer),
            Call::Write(transfer) => self.write(transfer),
            Call::Send(transfer, control) => self.send_with(transfer, control),
            Call::SendTo(transfer) => self.send_to(transfer),
            Call::SetOption(option, value) => self.set_option(*option, value),
            Call::GetOption(option, _) => self.get_option(*option),
            Call::GetFlags(socket) => self.get_flags(*socket),
            Call::SetFlags(socket, flags) => match self.sockets.get_mut(socket) {
                Some(found) => {
                    found.nonblocking = flags & libc::O_NONBLOCK != 0;
                    done(Outcome::of(0))
                }
                None => error(libc::EBADF),
            },
            Call::Ioctl(socket, request) => self.ioctl(*socket, *request),
            Call::Shutdown(socket, how) => self.shutdown(*socket, *how),
            Call::Close(socket) => self.close(*socket),
            Call::Pipe => self.open_pipe(),
            Call::Open(path, flags) => self.open_file(path, *flags),
            Call::Splice { from, to, length, flags } => self.splice(*from, *to, *length, *flags),
            Call::SendFile { to, from, offset, length } => self.send_file(*to, *from, *offset, *length),
            Call::Poll { entries, timeout_ms } => self.poll(entries, *timeout_ms),
            Call::EpollControl { epoll, operation, socket, events } => {
                self.epoll_control(*epoll, *operation, *socket, *events)
            }
            Call::EpollWait { epoll, most, timeout_ms } => self.epoll_wait(*epoll, *most, *timeout_ms),
        }
    }

    pub(super) fn open(&mut self, kind: Kind, nonblocking: bool) -> Outcome {
        self.opened += 1;
        self.sockets.insert(Handle(self.opened), Socket::new(kind, nonblocking));
        Outcome::of(self.opened)
    }

    /// The connection of a socket.
    pub(super) fn connected(&mut self, socket: Handle) -> Result<&mut Connected, i32> {
        let found = self.sockets.get(&socket).ok_or(libc::EBADF)?;
        match found.kind {
            Kind::Connection(id) => self.connections.get_mut(&id).ok_or(libc::ENOTCONN),
            _ if !found.kind.is_socket() => Err(libc::ENOTSOCK),
            _ => Err(libc::ENOTCONN),
        }
    }

    // ---- opening -------------------------------------------------------------------------------------------

    fn listen(&mut self, socket: Handle, backlog: i32) -> Attempt {
        let port = self.settings.bind_port;
        let Some(found) = self.sockets.get_mut(&socket) else { return error(libc::EBADF) };
        match &mut found.kind {
            Kind::Listening { .. } => return done(Outcome::of(0)),
            Kind::Bound => {}
            Kind::Fresh => return Err(Missing("to listen at a port that was not bound".to_owned())),
            kind if !kind.is_socket() => return error(libc::ENOTSOCK),
            _ => return error(libc::EINVAL),
        }
        let config = self.host.listening(&found.options)?;
        if self.endpoint.listen(port, config).is_err() {
            return error(libc::EADDRINUSE);
        }
        found.kind = Kind::Listening { backlog: backlog.max(0) as usize, ready: VecDeque::new() };
        done(Outcome::of(0))
    }

    fn accept(&mut self, socket: Handle, nonblocking: bool) -> Attempt {
        let Some(found) = self.sockets.get_mut(&socket) else { return error(libc::EBADF) };
        let Kind::Listening { ready, .. } = &mut found.kind else { return error(libc::EINVAL) };
        let Some(id) = ready.pop_front() else {
            return if found.nonblocking { error(libc::EAGAIN) } else { Ok(None) };
        };
        let options = found.options.clone();
        let accepted = self.open(Kind::Connection(id), nonblocking);
        if let Some(connected) = self.connections.get_mut(&id) {
            self.host.apply_options(&options, &mut connected.connection, self.now);
            connected.connection.adopt();
        }
        if let Some(socket) = self.sockets.get_mut(&Handle(accepted.result)) {
            socket.options = options;
        }
        done(accepted)
    }

    /// `__inet_stream_connect`.
    fn connect(&mut self, socket: Handle) -> Attempt {
        let Some(found) = self.sockets.get(&socket) else { return error(libc::EBADF) };
        let (nonblocking, is_bound) = (found.nonblocking, found.kind == Kind::Bound);
        match found.kind {
            Kind::Listening { .. } => return error(libc::EISCONN),
            Kind::Connection(_) => return self.connect_again(socket, nonblocking),
            Kind::Fresh | Kind::Bound => {}
            _ => return error(libc::ENOTSOCK),
        }
        let options = found.options.clone();
        // tcp_fastopen_defer_connect
        let fast = self.host.connecting_fast(&options).filter(|_| options.defers_connecting);
        if let Some(FastOpen::Client { .. }) = fast.as_ref().map(|config| config.fast_open) {
            if let Some(found) = self.sockets.get_mut(&socket) {
                found.is_deferred = true;
            }
            return done(Outcome::of(0));
        }
        let config = fast.unwrap_or_else(|| self.host.connecting(&options));
        match self.open_connection(socket, &config, is_bound, None) {
            Err(errno) => error(errno),
            Ok(_) if nonblocking => error(libc::EINPROGRESS),
            Ok(_) => Ok(None),
        }
    }

    /// Opens a connection whose SYN may carry bytes; returns how many it will, or the error.
    pub(super) fn open_connection(
        &mut self,
        socket: Handle,
        config: &Config,
        is_bound: bool,
        data: Option<&Transfer>,
    ) -> Result<u64, i32> {
        let remote = SocketAddrV4::new(self.remote, self.settings.connect_port);
        let opened = if is_bound {
            let local = SocketAddrV4::new(self.local, self.settings.bind_port);
            self.endpoint.connect_from(self.now, local, remote, config)
        } else {
            self.endpoint.connect(self.now, remote, config)
        };
        let (id, mut connection) = opened.map_err(|error| match error {
            PortError::Taken(_) | PortError::Exhausted(_) => libc::EADDRNOTAVAIL,
        })?;
        let Some(found) = self.sockets.get_mut(&socket) else { return Err(libc::EBADF) };
        self.host.apply_options(&found.options, &mut connection, self.now);
        connection.set_cork(found.options.is_corked);
        found.kind = Kind::Connection(id);
        found.is_deferred = false;
        // The second call of one that does not block tells how the first went.
        found.options.kept.insert(CONNECTING, 1);
        let is_without_copy = data.is_some_and(|data| found.options.has_no_copy(data));
        let carried = data.map_or(0, Transfer::length).min(connection.syn_data_room());
        let mut connected = Connected::new(connection, found.options.ip, None);
        let sending = Sending { is_without_copy, ..Sending::default() };
        let carried = connected.write(self.now, &[(carried, Boundary::Push)], sending).unwrap_or(0);
        self.connections.insert(id, connected);
        Ok(carried)
    }

    /// `connect` with `AF_UNSPEC` (`tcp_disconnect`): the socket may connect again.
    fn disconnect(&mut self, socket: Handle) -> Attempt {
        let connected = match self.connected(socket) {
            Ok(connected) => connected,
            Err(libc::ENOTCONN) => return done(Outcome::of(0)),
            Err(errno) => return error(errno),
        };
        connected.connection.abort();
        connected.is_abandoned = true;
        let port = connected.connection.local().port();
        if let Some(found) = self.sockets.get_mut(&socket) {
            found.kind = if port == self.settings.bind_port { Kind::Bound } else { Kind::Fresh };
        }
        done(Outcome::of(0))
    }

    fn connect_again(&mut self, socket: Handle, nonblocking: bool) -> Attempt {
        let connected = match self.connected(socket) {
            Ok(connected) => connected,
            Err(errno) => return error(errno),
        };
        if let Some(errno) = connected.error.take() {
            return error(errno);
        }
        let state = connected.connection.state();
        let found = self.sockets.get_mut(&socket).map(|found| &mut found.options.kept);
        match state {
            State::SynSent | State::SynReceived if nonblocking => error(libc::EALREADY),
            State::SynSent | State::SynReceived => Ok(None),
            _ if found.is_some_and(|kept| kept.remove(&CONNECTING).is_some()) => done(Outcome::of(0)),
            _ => error(libc::EISCONN),
        }
    }

    fn get_flags(&self, socket: Handle) -> Attempt {
        let Some(found) = self.sockets.get(&socket) else { return error(libc::EBADF) };
        let nonblocking = if found.nonblocking { libc::O_NONBLOCK } else { 0 };
        done(Outcome::of(i64::from(libc::O_RDWR | nonblocking)))
    }

    fn ioctl(&mut self, socket: Handle, request: i64) -> Attempt {
        let connection = match self.connected(socket) {
            Ok(connected) => &connected.connection,
            Err(errno) => return error(errno),
        };
        let count = match request as u64 {
            // SIOCINQ, SIOCOUTQ.
            libc::FIONREAD => connection.unread(),
            libc::TIOCOUTQ => connection.unacknowledged(),
            request if request == SIOCOUTQNSD as u64 => connection.unsent(),
            _ => return Err(Missing(format!("the request {request:#x} of ioctl"))),
        };
        done(Outcome { output: Output::Integer(count as i64), ..Outcome::of(0) })
    }
}

/// Marks a socket whose first connect has not been asked about.
const CONNECTING: (i64, i64) = (-1, -1);
