//! Pipes and files, of which there are only lengths: `pipe`, `open`, `splice`, `sendfile`, and reads and writes of them
//! (pipe(7), splice(2), sendfile(2)).

use bentpipe_tcp::{Boundary, Read, StreamError};

use super::Simulated;
use super::error_queue::Sending;
use super::pipe::{Moved, Pipe, PipeEnd};
use super::socket::{Kind, Socket};
use super::sockets::{Attempt, done, error};
use crate::call::Transfer;
use crate::outcome::{Handle, Missing, Outcome, Output};

/// To wake whoever waits, for whatever (`wake_up_all`).
const ALL_EVENTS: i64 = -1;

/// Whether a call that could do nothing waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    Waits,
    None,
}

impl Simulated<'_> {
    /// `pipe(2)`.
    pub(super) fn open_pipe(&mut self) -> Attempt {
        let pipe = self.opened;
        self.pipes.insert(pipe, Pipe::new());
        let [from, to] =
            [PipeEnd::Read, PipeEnd::Write].map(|end| self.open(Kind::Pipe { pipe, end }, false).result);
        done(Outcome { output: Output::Descriptors([from, to]), ..Outcome::of(0) })
    }

    /// `open(2)` of a file that is there: in virtual time no command makes one.
    pub(super) fn open_file(&mut self, path: &str, flags: i32) -> Attempt {
        if flags & libc::O_ACCMODE != libc::O_RDONLY {
            return Err(Missing("files to be written".to_owned()));
        }
        match (self.files.length)(path) {
            Some(length) => done(self.open(Kind::File { length, position: 0 }, false)),
            None => Err(Missing(format!("the file {path}"))),
        }
    }

    /// Whether a descriptor is no socket, and what reads and writes it then.
    pub(super) fn is_file(&self, handle: Handle) -> bool {
        matches!(self.kind(handle), Some(Kind::Pipe { .. } | Kind::File { .. }))
    }

    /// `read(2)`.
    pub(super) fn read_file(&mut self, transfer: &Transfer) -> Attempt {
        if transfer.flags.is_some() {
            return error(libc::ENOTSOCK);
        }
        let moved = self.take(transfer.socket, transfer.length());
        self.moved(moved, transfer.socket, Patience::Waits)
    }

    /// `write(2)`.
    pub(super) fn write_file(&mut self, transfer: &Transfer) -> Attempt {
        if transfer.flags.is_some() {
            return error(libc::ENOTSOCK);
        }
        let moved = self.put(transfer.socket, transfer.length(), Boundary::Push);
        self.moved(moved, transfer.socket, Patience::Waits)
    }

    /// `splice(2)`.
    pub(super) fn splice(&mut self, from: Handle, to: Handle, length: u64, flags: u32) -> Attempt {
        let is_pipe = |handle: Handle| matches!(self.kind(handle), Some(Kind::Pipe { .. }));
        if !is_pipe(from) && !is_pipe(to) {
            return error(libc::EINVAL);
        }
        let more = flags & libc::SPLICE_F_MORE != 0;
        let patience = if flags & libc::SPLICE_F_NONBLOCK == 0 { Patience::Waits } else { Patience::None };
        let moved = self.transport(from, to, length, if more { Boundary::More } else { Boundary::Push });
        self.moved(moved, from, patience)
    }

    /// `sendfile(2)`. An offset leaves the file where it is.
    pub(super) fn send_file(
        &mut self,
        to: Handle,
        from: Handle,
        offset: Option<i64>,
        length: u64,
    ) -> Attempt {
        let file_length = match self.kind(from) {
            Some(Kind::File { length, .. }) => *length,
            Some(_) => return error(libc::EINVAL),
            None => return error(libc::EBADF),
        };
        let Some(offset) = offset else {
            let moved = self.transport(from, to, length, Boundary::Push);
            return self.moved(moved, to, Patience::Waits);
        };
        let Ok(offset) = u64::try_from(offset) else { return error(libc::EINVAL) };
        let moved = self.put(to, length.min(file_length.saturating_sub(offset)), Boundary::Push);
        self.moved(moved, to, Patience::Waits)
    }

    /// Closes one end of a pipe, of which the other hears (`pipe_release`).
    pub(super) fn close_pipe(&mut self, pipe: i64, end: PipeEnd) {
        if let Some(pipe) = self.pipes.get_mut(&pipe) {
            pipe.close(end);
        }
        for other in [PipeEnd::Read, PipeEnd::Write] {
            self.wake_at(pipe, other, ALL_EVENTS);
        }
    }

    fn kind(&self, handle: Handle) -> Option<&Kind> {
        self.sockets.get(&handle).map(|found| &found.kind)
    }

    /// From one descriptor to another, as much as there is and fits.
    fn transport(&mut self, from: Handle, to: Handle, length: u64, boundary: Boundary) -> Moved {
        let room = match self.pipe_at(to, PipeEnd::Write).map(Pipe::room) {
            Some(Err(errno)) => return Moved::Error(errno),
            Some(Ok(room)) => room.min(length),
            None => length,
        };
        let there = match self.available(from) {
            Ok(there) => there.min(room),
            Err(errno) => return Moved::Error(errno),
        };
        if room == 0 {
            return Moved::NotYet;
        }
        if there == 0 {
            return self.take(from, room);
        }
        match self.put(to, there, boundary) {
            Moved::Bytes(bytes) => self.take(from, bytes),
            other => other,
        }
    }

    /// Bytes that could be taken from a descriptor now.
    fn available(&mut self, from: Handle) -> Result<u64, i32> {
        match self.kind(from) {
            Some(Kind::Pipe { pipe, end: PipeEnd::Read }) => {
                Ok(self.pipes.get(pipe).map_or(0, |pipe| pipe.bytes()))
            }
            Some(Kind::File { length, position }) => Ok(length - position),
            Some(Kind::Pipe { .. }) | None => Err(libc::EBADF),
            Some(_) => self.connected(from).map(|connected| connected.connection.unread()),
        }
    }

    fn pipe_at(&self, handle: Handle, wanted: PipeEnd) -> Option<Pipe> {
        match self.kind(handle) {
            Some(Kind::Pipe { pipe, end }) if *end == wanted => self.pipes.get(pipe).copied(),
            _ => None,
        }
    }

    fn take(&mut self, from: Handle, length: u64) -> Moved {
        match self.sockets.get_mut(&from).map(|found| &mut found.kind) {
            Some(&mut Kind::Pipe { pipe, end: PipeEnd::Read }) => self.take_from_pipe(pipe, length),
            Some(Kind::File { length: all, position }) => {
                let bytes = length.min(*all - *position);
                *position += bytes;
                Moved::Bytes(bytes)
            }
            Some(Kind::Pipe { .. }) | None => Moved::Error(libc::EBADF),
            Some(_) => self.take_from_connection(from, length),
        }
    }

    fn put(&mut self, to: Handle, length: u64, boundary: Boundary) -> Moved {
        match self.kind(to) {
            Some(&Kind::Pipe { pipe, end: PipeEnd::Write }) => self.put_into_pipe(pipe, length),
            Some(Kind::Pipe { .. } | Kind::File { .. }) | None => Moved::Error(libc::EBADF),
            Some(_) => self.put_into_connection(to, length, boundary),
        }
    }

    /// Those that write to a pipe hear when it was full (`pipe_read`).
    fn take_from_pipe(&mut self, pipe: i64, length: u64) -> Moved {
        let Some(found) = self.pipes.get_mut(&pipe) else { return Moved::End };
        let was_full = found.room() == Ok(0);
        let moved = found.take(length);
        if was_full {
            self.wake_at(pipe, PipeEnd::Write, i64::from(libc::EPOLLOUT | libc::EPOLLWRNORM));
        }
        moved
    }

    /// Those that watch the other end hear of every write (`pipe_write`: `poll_usage`).
    fn put_into_pipe(&mut self, pipe: i64, length: u64) -> Moved {
        let moved = self.pipes.get_mut(&pipe).map_or(Moved::End, |found| found.put(length));
        if let Moved::Bytes(_) = moved {
            self.wake_at(pipe, PipeEnd::Read, i64::from(libc::EPOLLIN | libc::EPOLLRDNORM));
        }
        moved
    }

    fn take_from_connection(&mut self, from: Handle, length: u64) -> Moved {
        let now = self.now;
        match self.connected(from).map(|connected| connected.connection.read(now, length)) {
            Ok(Ok(Read::Data(payload))) => Moved::Bytes(payload.len()),
            Ok(Ok(Read::Pending)) => Moved::NotYet,
            Ok(Ok(Read::End) | Err(StreamError::ShutDown | StreamError::Closed(_))) => Moved::End,
            Err(errno) => Moved::Error(errno),
        }
    }

    fn put_into_connection(&mut self, to: Handle, length: u64, boundary: Boundary) -> Moved {
        let (now, sending) = (self.now, Sending::default());
        match self.connected(to).map(|connected| connected.write(now, &[(length, boundary)], sending)) {
            Ok(Ok(0)) if length > 0 => Moved::NotYet,
            Ok(Ok(bytes)) => Moved::Bytes(bytes),
            Ok(Err(_)) | Err(libc::ENOTCONN) => Moved::Error(libc::EPIPE),
            Err(errno) => Moved::Error(errno),
        }
    }

    /// What watches one end of a pipe looks at it.
    fn wake_at(&mut self, pipe: i64, end: PipeEnd, events: i64) {
        let at = Kind::Pipe { pipe, end };
        let found = self.sockets.iter().find(|(_, socket)| socket.kind == at);
        if let Some(handle) = found.map(|(handle, _)| *handle) {
            self.wake_watchers(handle, events);
        }
    }

    /// What a call returns that has moved something, or would have.
    fn moved(&self, moved: Moved, waits_at: Handle, patience: Patience) -> Attempt {
        let nonblocking = self.sockets.get(&waits_at).is_some_and(|found: &Socket| found.nonblocking);
        match moved {
            Moved::Bytes(bytes) => done(Outcome::of(bytes as i64)),
            Moved::End => done(Outcome::of(0)),
            Moved::Error(errno) => error(errno),
            Moved::NotYet if nonblocking || patience == Patience::None => error(libc::EAGAIN),
            Moved::NotYet => Ok(None),
        }
    }
}
