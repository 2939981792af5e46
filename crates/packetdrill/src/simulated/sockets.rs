//! Sockets over the simulated endpoint, with the errors of Linux.

use std::collections::VecDeque;
use std::net::SocketAddrV4;

use bentpipe_tcp::{Nagle, Payload, PortError, Read, State, StreamError};
use bentpipe_units::Bytes;

use super::socket::{Kind, Socket, peer_finished};
use super::{Connected, Simulated, host};
use crate::call::{Address, Call, Domain, OptionValue, SocketOption, Transfer};
use crate::outcome::{ControlData, ControlMessage, Handle, Missing, Outcome, Output};
use crate::settings::IpVersion;
use crate::symbols::{TCP_CM_INQ, TCP_INQ, flag_names, option_name};

/// Flags of a transfer that the endpoint understands.
const FLAGS: i32 = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;

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
            Call::Connect(..) => Err(Missing("connections to an address that is written".to_owned())),
            Call::Name(socket, end) => self.name(*socket, *end),
            Call::Read(transfer) => self.read(transfer),
            Call::Receive { transfer, with_control } => self.receive(transfer, *with_control),
            Call::Write(transfer) => self.write(transfer),
            Call::Send(..) => Err(Missing("control messages".to_owned())),
            Call::SendTo(_) => Err(Missing("Fast Open by sendto".to_owned())),
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
            Call::Pipe | Call::Open(..) | Call::Splice { .. } | Call::SendFile { .. } => {
                Err(Missing("files and pipes".to_owned()))
            }
            Call::Poll { entries, timeout_ms } => self.poll(entries, *timeout_ms),
            Call::EpollControl { epoll, operation, socket, events } => {
                self.epoll_control(*epoll, *operation, *socket, *events)
            }
            Call::EpollWait { epoll, most, timeout_ms } => self.epoll_wait(*epoll, *most, *timeout_ms),
        }
    }

    fn open(&mut self, kind: Kind, nonblocking: bool) -> Outcome {
        self.opened += 1;
        self.sockets.insert(Handle(self.opened), Socket::new(kind, nonblocking));
        Outcome::of(self.opened)
    }

    /// The connection of a socket.
    fn connected(&mut self, socket: Handle) -> Result<&mut Connected, i32> {
        let found = self.sockets.get(&socket).ok_or(libc::EBADF)?;
        match found.kind {
            Kind::Connection(id) => self.connections.get_mut(&id).ok_or(libc::ENOTCONN),
            Kind::Epoll(_) => Err(libc::ENOTSOCK),
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
            _ => return error(libc::EINVAL),
        }
        let config = self.host.config_of(found.options.congestion_control, found.options.nagle);
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
        if let (Some(connected), Some(send_buffer)) = (self.connections.get_mut(&id), options.send_buffer) {
            connected.connection.set_send_buffer(send_buffer);
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
            Kind::Epoll(_) => return error(libc::ENOTSOCK),
            Kind::Connection(_) => return self.connect_again(socket, nonblocking),
            Kind::Fresh | Kind::Bound => {}
        }
        let options = found.options.clone();
        let config = self.host.config_of(options.congestion_control, options.nagle);
        let remote = SocketAddrV4::new(self.remote, self.settings.connect_port);
        let opened = if is_bound {
            let local = SocketAddrV4::new(self.local, self.settings.bind_port);
            self.endpoint.connect_from(self.now, local, remote, &config)
        } else {
            self.endpoint.connect(self.now, remote, &config)
        };
        let (id, mut connection) = match opened {
            Ok(opened) => opened,
            Err(PortError::Taken(_) | PortError::Exhausted(_)) => return error(libc::EADDRNOTAVAIL),
        };
        if let Some(send_buffer) = options.send_buffer {
            connection.set_send_buffer(send_buffer);
        }
        self.connections.insert(id, Connected { connection, listener: None, error: None });
        if let Some(found) = self.sockets.get_mut(&socket) {
            found.kind = Kind::Connection(id);
            // The second call of one that does not block tells how the first went.
            found.options.kept.insert(CONNECTING, 1);
        }
        if nonblocking { error(libc::EINPROGRESS) } else { Ok(None) }
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

    // ---- data ----------------------------------------------------------------------------------------------

    fn flags_of(&self, transfer: &Transfer) -> Result<bool, Missing> {
        if transfer.has(!FLAGS) {
            return Err(Missing(flag_names(transfer.flags.unwrap_or(0) & !FLAGS)));
        }
        if transfer.buffers.iter().any(|buffer| buffer.pointer.is_some()) {
            return Err(Missing("buffers at an address that is written".to_owned()));
        }
        let socket = self.sockets.get(&transfer.socket);
        Ok(transfer.has(libc::MSG_DONTWAIT) || socket.is_some_and(|socket| socket.nonblocking))
    }

    /// `tcp_recvmsg_locked`.
    fn read(&mut self, transfer: &Transfer) -> Attempt {
        let nonblocking = self.flags_of(transfer)?;
        let no_reads = self.sockets.get(&transfer.socket).is_some_and(|socket| socket.no_reads);
        let now = self.now;
        let connected = match self.connected(transfer.socket) {
            Ok(connected) => connected,
            Err(errno) => return error(errno),
        };
        match connected.connection.state() {
            State::SynSent | State::SynReceived => {
                return if nonblocking { error(libc::EAGAIN) } else { Ok(None) };
            }
            _ => {}
        }
        match connected.connection.read(now, transfer.length()) {
            Ok(Read::Data(payload)) => done(Outcome::of(payload.len() as i64)),
            Ok(Read::End) => done(Outcome::of(0)),
            Ok(Read::Pending) if no_reads => done(Outcome::of(0)),
            Ok(Read::Pending) if nonblocking => error(libc::EAGAIN),
            Ok(Read::Pending) => Ok(None),
            Err(StreamError::ShutDown) => done(Outcome::of(0)),
            // An error is told once.
            Err(StreamError::Closed(_)) => match connected.error.take() {
                Some(errno) => error(errno),
                None => done(Outcome::of(0)),
            },
        }
    }

    /// Beside what is read, the number of bytes that are left is told where it is asked for (`tcp_inq_hint`).
    fn receive(&mut self, transfer: &Transfer, with_control: bool) -> Attempt {
        let Some(outcome) = self.read(transfer)? else { return Ok(None) };
        let asks =
            self.sockets.get(&transfer.socket).is_some_and(|socket| socket.options.kept(TELLS_LEFT) != 0);
        let told = match self.connected(transfer.socket) {
            Ok(connected) if asks => {
                let left = connected.connection.unread() as i64;
                // The end counts as a byte.
                let left = if left == 0 && peer_finished(&connected.connection) { 1 } else { left };
                let (level, kind) = (TELLS_LEFT.0, i64::from(TCP_CM_INQ));
                vec![ControlMessage { level, kind, data: ControlData::Number(left) }]
            }
            _ => Vec::new(),
        };
        let output = match told {
            told if with_control => Output::Message(0, told),
            told if told.is_empty() => Output::Message(0, told),
            _ => Output::Message(i64::from(libc::MSG_CTRUNC), Vec::new()),
        };
        done(Outcome { output, ..outcome })
    }

    /// `tcp_sendmsg_locked`.
    fn write(&mut self, transfer: &Transfer) -> Attempt {
        let nonblocking = self.flags_of(transfer)?;
        let (now, written) = (self.now, self.written);
        let connected = match self.connected(transfer.socket) {
            Ok(connected) => connected,
            Err(libc::ENOTCONN) => return error(libc::EPIPE),
            Err(errno) => return error(errno),
        };
        match connected.connection.state() {
            State::SynSent | State::SynReceived => {
                return if nonblocking { error(libc::EAGAIN) } else { Ok(None) };
            }
            _ => {}
        }
        let left = transfer.length() - written;
        match connected.connection.write(now, &Payload::Length(left)) {
            Ok(0) if left > 0 && nonblocking => error(libc::EAGAIN),
            Ok(taken) if taken == left || nonblocking => {
                self.written = 0;
                done(Outcome::of((written + taken) as i64))
            }
            // The rest follows when there is room.
            Ok(taken) => {
                self.written = written + taken;
                Ok(None)
            }
            Err(StreamError::ShutDown) => error(libc::EPIPE),
            // An error is told once.
            Err(StreamError::Closed(_)) => error(connected.error.take().unwrap_or(libc::EPIPE)),
        }
    }

    // ---- options -------------------------------------------------------------------------------------------

    fn set_option(&mut self, option: SocketOption, value: &OptionValue) -> Attempt {
        let Some(found) = self.sockets.get_mut(&option.socket) else { return error(libc::EBADF) };
        let connection = match found.kind {
            Kind::Connection(id) => self.connections.get_mut(&id).map(|connected| &mut connected.connection),
            _ => None,
        };
        let (level, name) = (option.level as i32, option.name as i32);
        match (level, name, value) {
            (libc::SOL_SOCKET, libc::SO_SNDBUF, OptionValue::Integer(bytes)) => {
                // Twice what is asked for, for what the kernel keeps beside the bytes (socket(7)).
                let bytes = Bytes::new(2 * (*bytes).max(0) as u64);
                found.options.send_buffer = Some(bytes);
                if let Some(connection) = connection {
                    connection.set_send_buffer(bytes);
                }
            }
            (libc::SOL_SOCKET, libc::SO_LINGER, OptionValue::Linger(on, seconds)) => {
                found.options.linger = (*on != 0).then_some(*seconds);
            }
            (libc::SOL_TCP, libc::TCP_NODELAY, OptionValue::Integer(on)) => {
                found.options.nagle = if *on == 0 { Nagle::On } else { Nagle::Off };
                if let Some(connection) = connection {
                    connection.set_nagle(found.options.nagle);
                }
                found.options.kept.insert((option.level, option.name), *on);
            }
            (libc::SOL_TCP, libc::TCP_CONGESTION, OptionValue::Text(text)) if connection.is_none() => {
                found.options.congestion_control = Some(host::algorithm(text)?);
            }
            (libc::SOL_SOCKET, libc::SO_REUSEADDR | libc::SO_REUSEPORT, OptionValue::Integer(on))
            | (libc::SOL_TCP, TCP_INQ, OptionValue::Integer(on)) => {
                found.options.kept.insert((option.level, option.name), *on);
            }
            _ => return Err(Missing(option_name(option.level, option.name))),
        }
        done(Outcome::of(0))
    }

    fn get_option(&mut self, option: SocketOption) -> Attempt {
        let Some(found) = self.sockets.get(&option.socket) else { return error(libc::EBADF) };
        let kept = found.options.kept.get(&(option.level, option.name)).copied();
        let integer = |number: i64| done(Outcome { output: Output::Integer(number), ..Outcome::of(0) });
        match (option.level as i32, option.name as i32) {
            (libc::SOL_SOCKET, libc::SO_ERROR) => {
                let error = self.connected(option.socket).ok().and_then(|connected| connected.error.take());
                integer(error.map_or(0, i64::from))
            }
            (libc::SOL_TCP, libc::TCP_MAXSEG) => match self.connected(option.socket) {
                Ok(connected) => integer(connected.connection.info().mss.get() as i64),
                Err(_) => Err(Missing("TCP_MAXSEG without a connection".to_owned())),
            },
            (libc::SOL_TCP, libc::TCP_CONGESTION) => {
                let chosen = found.options.congestion_control.unwrap_or(self.host.config.congestion_control);
                let name = chosen.kernel_name().unwrap_or_default().to_owned();
                done(Outcome { output: Output::Text(name), ..Outcome::of(0) })
            }
            _ => match kept {
                Some(number) => integer(number),
                None => Err(Missing(option_name(option.level, option.name))),
            },
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
            _ => return Err(Missing(format!("the request {request:#x} of ioctl"))),
        };
        done(Outcome { output: Output::Integer(count as i64), ..Outcome::of(0) })
    }

    // ---- closing -------------------------------------------------------------------------------------------

    fn shutdown(&mut self, socket: Handle, how: i32) -> Attempt {
        let connected = match self.connected(socket) {
            Ok(connected) => connected,
            Err(errno) => return error(errno),
        };
        if connected.connection.is_closed() {
            return error(libc::ENOTCONN);
        }
        let may_send = connected.connection.state().may_send();
        let Some(found) = self.sockets.get_mut(&socket) else { return error(libc::EBADF) };
        // What comes when nobody may write or read is answered by a reset, which the endpoint has with a close alone.
        if how == libc::SHUT_RDWR
            || (how == libc::SHUT_RD && !may_send)
            || (how == libc::SHUT_WR && found.no_reads)
        {
            return Err(Missing("shutdown of both directions".to_owned()));
        }
        if how == libc::SHUT_RD {
            found.no_reads = true;
        } else if let Ok(connected) = self.connected(socket) {
            connected.connection.shutdown();
        }
        done(Outcome::of(0))
    }

    /// `tcp_close`, `inet_csk_listen_stop`.
    fn close(&mut self, socket: Handle) -> Attempt {
        let Some(found) = self.sockets.remove(&socket) else { return error(libc::EBADF) };
        match found.kind {
            Kind::Connection(id) => {
                if let Some(connected) = self.connections.get_mut(&id) {
                    match found.options.linger {
                        Some(0) => connected.connection.abort(),
                        Some(_) => return Err(Missing("a close that lingers".to_owned())),
                        None => connected.connection.close(self.now),
                    }
                }
            }
            Kind::Listening { .. } => {
                self.endpoint.close_listener(self.settings.bind_port);
                for connected in self.connections.values_mut() {
                    if connected.listener == Some(socket) && !self.sockets.is_empty() {
                        connected.listener = None;
                    }
                }
            }
            _ => {}
        }
        done(Outcome::of(0))
    }
}

/// The option that has `recvmsg` tell how many bytes are left.
const TELLS_LEFT: (i64, i64) = (libc::SOL_TCP as i64, TCP_INQ as i64);
/// Marks a socket whose first connect has not been asked about.
const CONNECTING: (i64, i64) = (-1, -1);
