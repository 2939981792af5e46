//! Pipes (pipe(7)), of which there are only lengths.

/// Bytes that a pipe holds (`PIPE_DEF_BUFFERS` pages).
const PIPE_BYTES: u64 = 65_536;

/// So many bytes were moved from one descriptor to another; none of them: none now, or none ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    Bytes(u64),
    NotYet,
    End,
    Error(i32),
}

/// What is between two descriptors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pipe {
    bytes: u64,
    has_reader: bool,
    has_writer: bool,
}

/// Which end of a pipe a descriptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PipeEnd {
    Read,
    Write,
}

impl Pipe {
    /// One with nothing in it.
    pub const fn new() -> Self {
        Self { bytes: 0, has_reader: true, has_writer: true }
    }

    /// Bytes that wait for a reader.
    pub const fn bytes(self) -> u64 {
        self.bytes
    }

    /// Bytes that may be put now; an error where nobody will read them.
    pub const fn room(self) -> Result<u64, i32> {
        if self.has_reader { Ok(PIPE_BYTES - self.bytes) } else { Err(libc::EPIPE) }
    }

    /// Takes what there is, so much at most (`pipe_read`).
    pub fn take(&mut self, length: u64) -> Moved {
        match self.bytes {
            0 if self.has_writer => Moved::NotYet,
            0 => Moved::End,
            bytes => {
                let taken = length.min(bytes);
                self.bytes -= taken;
                Moved::Bytes(taken)
            }
        }
    }

    /// Puts as much as fits (`pipe_write`).
    pub fn put(&mut self, length: u64) -> Moved {
        match self.room() {
            Err(errno) => Moved::Error(errno),
            Ok(0) => Moved::NotYet,
            Ok(room) => {
                let put = length.min(room);
                self.bytes += put;
                Moved::Bytes(put)
            }
        }
    }

    /// Closes one end.
    pub const fn close(&mut self, end: PipeEnd) {
        match end {
            PipeEnd::Read => self.has_reader = false,
            PipeEnd::Write => self.has_writer = false,
        }
    }

    /// What an end is ready for (`pipe_poll`).
    pub fn events(self, end: PipeEnd) -> i64 {
        let events = match end {
            PipeEnd::Read => {
                [(self.bytes > 0, libc::POLLIN | libc::POLLRDNORM), (!self.has_writer, libc::POLLHUP)]
            }
            PipeEnd::Write => [
                (self.bytes < PIPE_BYTES, libc::POLLOUT | libc::POLLWRNORM),
                (!self.has_reader, libc::POLLERR),
            ],
        };
        events.into_iter().filter(|(is_set, _)| *is_set).map(|(_, event)| i64::from(event)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_holds_sixteen_pages_and_what_waits_is_read_before_its_end() {
        // pipe(7): "the pipe capacity is 16 pages"; "after all write ends are closed, read returns 0".
        let mut pipe = Pipe::new();
        assert_eq!(pipe.take(1), Moved::NotYet);
        assert_eq!(pipe.put(100_000), Moved::Bytes(16 * 4096));
        assert_eq!(pipe.put(1), Moved::NotYet);
        pipe.close(PipeEnd::Write);
        assert_eq!(pipe.take(100_000), Moved::Bytes(16 * 4096));
        assert_eq!(pipe.take(1), Moved::End);
    }

    #[test]
    fn nobody_writes_to_a_pipe_that_nobody_reads() {
        // pipe(7): EPIPE.
        let mut pipe = Pipe::new();
        pipe.close(PipeEnd::Read);
        assert_eq!(pipe.put(1), Moved::Error(libc::EPIPE));
        assert_eq!(pipe.events(PipeEnd::Write) & i64::from(libc::POLLERR), i64::from(libc::POLLERR));
    }
}
