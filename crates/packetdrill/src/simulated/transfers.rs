//! Reading and writing, with the errors of Linux.

use bentpipe_tcp::{Boundary, Payload, Read, StreamError};
use bentpipe_units::{Duration, Time};

use super::error_queue::{Sending, TX_RECORDED, Written};
use super::socket::{Kind, SocketOptions, peer_finished};
use super::sockets::{Attempt, done, error};
use super::{Connected, Simulated};
use crate::call::Transfer;
use crate::outcome::{ControlData, ControlMessage, Missing, Outcome, Output};
use crate::symbols::{TCP_CM_INQ, TCP_INQ, flag_names};

/// Flags of a transfer that the endpoint understands.
const FLAGS: i32 = libc::MSG_DONTWAIT
    | libc::MSG_NOSIGNAL
    | libc::MSG_MORE
    | libc::MSG_EOR
    | libc::MSG_FASTOPEN
    | libc::MSG_ZEROCOPY;

/// So many places in memory has a buffer of the kernel for what is not copied (`MAX_SKB_FRAGS`).
const MOST_FRAGMENTS: usize = 17;

impl Simulated<'_> {
    /// Whether a transfer does not wait, or no longer than until now.
    fn waits_no_more(
        &mut self,
        transfer: &Transfer,
        limit: impl Fn(&SocketOptions) -> Option<Duration>,
    ) -> Result<bool, Missing> {
        let nonblocking = self.flags_of(transfer)?;
        let limit = self.sockets.get(&transfer.socket).and_then(|socket| limit(&socket.options));
        let is_over = limit.is_some_and(|limit| *self.deadline.get_or_insert(self.now + limit) <= self.now);
        Ok(nonblocking || is_over)
    }

    fn flags_of(&self, transfer: &Transfer) -> Result<bool, Missing> {
        if transfer.has(!FLAGS) {
            return Err(Missing(flag_names(transfer.flags.unwrap_or(0) & !FLAGS)));
        }
        let is_nowhere = transfer.buffers.iter().any(|buffer| buffer.pointer.is_some());
        let is_syn_data = transfer.has(libc::MSG_FASTOPEN)
            || self.sockets.get(&transfer.socket).is_some_and(|socket| socket.is_deferred);
        if is_nowhere && (is_syn_data || transfer.buffers.len() > 1) {
            return Err(Missing("buffers at an address that is written".to_owned()));
        }
        let socket = self.sockets.get(&transfer.socket);
        Ok(transfer.has(libc::MSG_DONTWAIT) || socket.is_some_and(|socket| socket.nonblocking))
    }

    /// `tcp_recvmsg_locked`.
    pub(super) fn read(&mut self, transfer: &Transfer) -> Attempt {
        let nonblocking = self.waits_no_more(transfer, |options| options.read_limit)?;
        let no_reads = self.sockets.get(&transfer.socket).is_some_and(|socket| socket.no_reads);
        if nonblocking && self.sockets.get(&transfer.socket).is_some_and(|socket| socket.is_deferred) {
            return error(libc::EAGAIN);
        }
        let now = self.now;
        let connected = match self.connected(transfer.socket) {
            Ok(connected) => connected,
            Err(errno) => return error(errno),
        };
        if connected.is_opening() {
            return if nonblocking { error(libc::EAGAIN) } else { Ok(None) };
        }
        if is_nowhere(transfer) && connected.connection.unread() > 0 {
            return error(libc::EFAULT);
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
    pub(super) fn receive(&mut self, transfer: &Transfer, with_control: bool) -> Attempt {
        if transfer.has(libc::MSG_ERRQUEUE) {
            return self.receive_error(transfer, with_control);
        }
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

    /// `tcp_sendmsg_fastopen`: connects, with what the SYN may carry.
    pub(super) fn send_to(&mut self, transfer: &Transfer) -> Attempt {
        let nonblocking = self.flags_of(transfer)?;
        let Some(found) = self.sockets.get(&transfer.socket) else { return error(libc::EBADF) };
        let is_bound = match found.kind {
            Kind::Fresh => false,
            Kind::Bound => true,
            Kind::Connection(_) if self.blocked.is_none() => match self.connected(transfer.socket) {
                Ok(connected) if connected.is_opening() => return error(libc::EALREADY),
                _ => return self.write(transfer),
            },
            _ => return self.write(transfer),
        };
        let Some(config) = self.host.connecting_fast(&found.options) else {
            return error(libc::EOPNOTSUPP);
        };
        match self.open_connection(transfer.socket, &config, is_bound, Some(transfer)) {
            Err(errno) => error(errno),
            Ok(0) if nonblocking => error(libc::EINPROGRESS),
            Ok(carried) if nonblocking => done(Outcome::of(carried as i64)),
            Ok(carried) => {
                // inet_wait_for_connect: as long as there is more to write.
                if carried < transfer.length()
                    && let Ok(connected) = self.connected(transfer.socket)
                {
                    connected.connection.expect_write();
                }
                self.written = carried;
                Ok(None)
            }
        }
    }

    /// `sock_cmsg_send`: what a call asks for by itself.
    pub(super) fn send_with(&mut self, transfer: &Transfer, control: &[ControlMessage]) -> Attempt {
        let mut recorded = None;
        for message in control {
            match (message.level as i32, message.kind as i32, &message.data) {
                (libc::SOL_SOCKET, libc::SO_TIMESTAMPING, ControlData::Number(flags)) => {
                    recorded = Some(*flags as u32);
                }
                (libc::SOL_SOCKET, ..) => {
                    return Err(Missing(format!("sendmsg with the control message {message}")));
                }
                // TCP passes over those of other levels.
                _ => {}
            }
        }
        self.write_with(transfer, recorded)
    }

    /// Writes, and tells of times as the socket has it.
    pub(super) fn write(&mut self, transfer: &Transfer) -> Attempt {
        self.write_with(transfer, None)
    }

    /// `tcp_sendmsg_locked`. With `recorded` the call itself says which times are told of.
    fn write_with(&mut self, transfer: &Transfer, recorded: Option<u32>) -> Attempt {
        if self.sockets.get(&transfer.socket).is_some_and(|socket| socket.is_deferred) {
            return self.send_to(transfer);
        }
        let nonblocking = self.waits_no_more(transfer, |options| options.write_limit)?;
        let (now, written) = (self.now, self.written);
        let options = self.sockets.get(&transfer.socket).map(|socket| &socket.options);
        let is_without_copy = options.is_some_and(|options| options.has_no_copy(transfer));
        let timestamping = options.map_or(0, |options| options.timestamping);
        let timestamping = recorded.map_or(timestamping, |flags| timestamping & !TX_RECORDED | flags);
        let connected = match self.connected(transfer.socket) {
            Ok(connected) => connected,
            Err(libc::ENOTCONN) => return error(libc::EPIPE),
            Err(errno) => return error(errno),
        };
        if connected.is_opening() {
            return if nonblocking { error(libc::EAGAIN) } else { Ok(None) };
        }
        if is_nowhere(transfer) && connected.connection.is_writable() {
            return error(libc::EFAULT);
        }
        let left = transfer.length() - written;
        let sending = Sending { goes_on: written > 0, is_without_copy };
        match connected.write(now, &parts_of(transfer, written, is_without_copy), sending) {
            Ok(0) if left > 0 && nonblocking && written == 0 => error(libc::EAGAIN),
            Ok(taken) if taken == left || nonblocking => {
                if written + taken > 0 {
                    connected.errors.on_call_ended(timestamping);
                }
                self.written = 0;
                done(Outcome::of((written + taken) as i64))
            }
            // The rest follows when there is room.
            Ok(taken) => {
                self.written = written + taken;
                Ok(None)
            }
            // do_error: what was taken before the end is told of first, but not what a SYN without an answer carried.
            Err(_) if written > 0 && connected.connection.is_open() => {
                self.written = 0;
                done(Outcome::of(written as i64))
            }
            Err(StreamError::ShutDown) => error(libc::EPIPE),
            // An error is told once.
            Err(StreamError::Closed(_)) => {
                let errno = connected.error.take().unwrap_or(libc::EPIPE);
                self.written = 0;
                error(errno)
            }
        }
    }
}

impl Connected {
    /// Writes part after part, as far as they are taken; returns how many bytes that was.
    pub(super) fn write(
        &mut self,
        now: Time,
        parts: &[(u64, Boundary)],
        sending: Sending,
    ) -> Result<u64, StreamError> {
        let unsent_before = self.connection.unsent();
        let mut bytes = 0;
        for (length, boundary) in parts {
            let taken = self.connection.write_up_to(now, &Payload::Length(*length), *boundary)?;
            bytes += taken;
            if taken < *length {
                break;
            }
        }
        if bytes > 0 {
            self.errors.on_written(Written { bytes, unsent_before, sending });
        }
        Ok(bytes)
    }
}

/// Whether bytes would come from or go to an address that no process has.
fn is_nowhere(transfer: &Transfer) -> bool {
    transfer.length() > 0 && transfer.buffers.iter().any(|buffer| buffer.pointer.is_some())
}

/// What is left of a write, as the kernel's buffers hold it: in one part, but for what is not copied from more places
/// than a buffer has room for (`tcp_sendmsg_locked`: `skb_zerocopy_iter_stream` returns `EMSGSIZE`).
fn parts_of(transfer: &Transfer, written: u64, is_without_copy: bool) -> Vec<(u64, Boundary)> {
    let last = boundary_of(transfer);
    if !is_without_copy || transfer.buffers.len() <= MOST_FRAGMENTS {
        return vec![(transfer.length() - written, last)];
    }
    let mut skipped = written;
    let mut parts: Vec<(u64, Boundary)> = Vec::new();
    for buffers in transfer.buffers.chunks(MOST_FRAGMENTS) {
        let length: u64 = buffers.iter().map(|buffer| buffer.length).sum();
        let done = skipped.min(length);
        skipped -= done;
        if length > done {
            parts.push((length - done, Boundary::Record));
        }
    }
    if let Some((_, boundary)) = parts.last_mut() {
        *boundary = last;
    }
    parts
}

/// What a write says of its end.
const fn boundary_of(transfer: &Transfer) -> Boundary {
    match transfer.flags {
        Some(flags) if flags & libc::MSG_EOR != 0 => Boundary::Record,
        Some(flags) if flags & libc::MSG_MORE != 0 => Boundary::More,
        _ => Boundary::Push,
    }
}

/// The option that has `recvmsg` tell how many bytes are left.
const TELLS_LEFT: (i64, i64) = (libc::SOL_TCP as i64, TCP_INQ as i64);
