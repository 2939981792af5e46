//! Pipes and files, of which there are only lengths: `pipe`, `open`, `splice`, `sendfile`, and reads and writes of them
//! (pipe(7), splice(2), sendfile(2)).

use bentpipe_tcp::{Boundary, Read, StreamError};

use super::Simulated;
use super::error_queue::Sending;
use super::socket::{Kind, Pipe, PipeEnd, Socket};
use super::sockets::{Attempt, done, error};
use crate::call::Transfer;
use crate::outcome::{Handle, Missing, Outcome, Output};

/// Whether a call that could do nothing waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    Waits,
    None,
}

/// So many bytes were moved; none of them: none now, or none ever.
enum Moved {
    Bytes(u64),
    NotYet,
    End,
    Error(i32),
}

impl Simulated<'_> {
    /// `pipe(2)`.
    pub(super) fn open_pipe(&mut self) -> Attempt {
        let pipe = self.opened;
        self.pipes.insert(pipe, Pipe { bytes: 0, has_reader: true, has_writer: true });
        let [from, to] =
            [PipeEnd::Read, PipeEnd::Write].map(|end| self.open(Kind::Pipe { pipe, end }, false).result);
        done(Outcome { output: Output::Descriptors([from, to]), ..Outcome::of(0) })
    }

    /// `open(2)` of a file that is there: in virtual time no command makes one.
    pub(super) fn open_file(&mut self, path: &str, flags: i32) -> Attempt {
        if flags & libc::O_ACCMODE != libc::O_RDONLY {
            return Err(Missing("files to be written".to_owned()));
        }
        match std::fs::metadata(path) {
            Ok(found) if found.is_file() => done(self.open(Kind::File { left: found.len() }, false)),
            _ => Err(Missing(format!("the file {path}"))),
        }
    }

    /// Whether a descriptor is no socket, and what reads and writes it then.
    pub(super) fn is_file(&self, handle: Handle) -> bool {
        let kind = self.sockets.get(&handle).map(|found| &found.kind);
        kind.is_some_and(|kind| matches!(kind, Kind::Pipe { .. } | Kind::File { .. }))
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
        let is_pipe = |handle: Handle| {
            self.sockets.get(&handle).is_some_and(|found| matches!(found.kind, Kind::Pipe { .. }))
        };
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
        let size = match self.sockets.get(&from).map(|found| &found.kind) {
            Some(Kind::File { left }) => *left,
            Some(_) => return error(libc::EINVAL),
            None => return error(libc::EBADF),
        };
        let Some(offset) = offset else {
            let moved = self.transport(from, to, length, Boundary::Push);
            return self.moved(moved, to, Patience::Waits);
        };
        let Ok(offset) = u64::try_from(offset) else { return error(libc::EINVAL) };
        let moved = self.put(to, length.min(size.saturating_sub(offset)), Boundary::Push);
        self.moved(moved, to, Patience::Waits)
    }

    /// Closes one end of a pipe.
    pub(super) fn close_pipe(&mut self, pipe: i64, end: PipeEnd) {
        if let Some(pipe) = self.pipes.get_mut(&pipe) {
            match end {
                PipeEnd::Read => pipe.has_reader = false,
                PipeEnd::Write => pipe.has_writer = false,
            }
        }
    }

    /// What a pipe is ready for (`pipe_poll`).
    pub(super) fn pipe_events(&self, pipe: i64, end: PipeEnd) -> i64 {
        let Some(pipe) = self.pipes.get(&pipe) else { return 0 };
        let events = [
            (end == PipeEnd::Read && pipe.bytes > 0, libc::POLLIN | libc::POLLRDNORM),
            (end == PipeEnd::Read && !pipe.has_writer, libc::POLLHUP),
            (end == PipeEnd::Write && pipe.room() > 0, libc::POLLOUT | libc::POLLWRNORM),
            (end == PipeEnd::Write && !pipe.has_reader, libc::POLLERR),
        ];
        events.into_iter().filter(|(is_set, _)| *is_set).map(|(_, event)| i64::from(event)).sum()
    }

    /// From one descriptor to another, as much as there is and fits.
    fn transport(&mut self, from: Handle, to: Handle, length: u64, boundary: Boundary) -> Moved {
        let room = match self.pipe_at(to, PipeEnd::Write) {
            Some(pipe) if !pipe.has_reader => return Moved::Error(libc::EPIPE),
            Some(pipe) => pipe.room().min(length),
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
        if let Some(pipe) = self.pipe_at(from, PipeEnd::Read) {
            return Ok(pipe.bytes);
        }
        match self.sockets.get(&from).map(|found| &found.kind) {
            Some(Kind::File { left }) => Ok(*left),
            Some(Kind::Pipe { .. }) | None => Err(libc::EBADF),
            Some(_) => self.connected(from).map(|connected| connected.connection.unread()),
        }
    }

    fn pipe_at(&self, handle: Handle, wanted: PipeEnd) -> Option<Pipe> {
        match self.sockets.get(&handle).map(|found| &found.kind) {
            Some(Kind::Pipe { pipe, end }) if *end == wanted => self.pipes.get(pipe).copied(),
            _ => None,
        }
    }

    fn take(&mut self, from: Handle, length: u64) -> Moved {
        let now = self.now;
        match self.sockets.get_mut(&from).map(|found| &mut found.kind) {
            Some(Kind::Pipe { pipe, end: PipeEnd::Read }) => match self.pipes.get_mut(pipe) {
                Some(pipe) if pipe.bytes == 0 && pipe.has_writer => Moved::NotYet,
                Some(pipe) => {
                    let bytes = length.min(pipe.bytes);
                    pipe.bytes -= bytes;
                    Moved::Bytes(bytes)
                }
                None => Moved::End,
            },
            Some(Kind::File { left }) => {
                let bytes = length.min(*left);
                *left -= bytes;
                Moved::Bytes(bytes)
            }
            Some(Kind::Pipe { .. }) | None => Moved::Error(libc::EBADF),
            Some(_) => match self.connected(from).map(|connected| connected.connection.read(now, length)) {
                Ok(Ok(Read::Data(payload))) => Moved::Bytes(payload.len()),
                Ok(Ok(Read::Pending)) => Moved::NotYet,
                Ok(Ok(Read::End) | Err(StreamError::ShutDown | StreamError::Closed(_))) => Moved::End,
                Err(errno) => Moved::Error(errno),
            },
        }
    }

    fn put(&mut self, to: Handle, length: u64, boundary: Boundary) -> Moved {
        let now = self.now;
        match self.sockets.get(&to).map(|found| &found.kind) {
            Some(Kind::Pipe { pipe, end: PipeEnd::Write }) => match self.pipes.get_mut(pipe) {
                Some(pipe) if !pipe.has_reader => Moved::Error(libc::EPIPE),
                Some(pipe) if pipe.room() == 0 => Moved::NotYet,
                Some(pipe) => {
                    let bytes = length.min(pipe.room());
                    pipe.bytes += bytes;
                    Moved::Bytes(bytes)
                }
                None => Moved::End,
            },
            Some(Kind::Pipe { .. } | Kind::File { .. }) | None => Moved::Error(libc::EBADF),
            Some(_) => {
                let sending = Sending::default();
                let written =
                    self.connected(to).map(|connected| connected.write(now, &[(length, boundary)], sending));
                match written {
                    Ok(Ok(0)) if length > 0 => Moved::NotYet,
                    Ok(Ok(bytes)) => Moved::Bytes(bytes),
                    Ok(Err(_)) | Err(libc::ENOTCONN) => Moved::Error(libc::EPIPE),
                    Err(errno) => Moved::Error(errno),
                }
            }
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
