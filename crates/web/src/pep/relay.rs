//! The bytes of two streams, carried to each other.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bentpipe_run::Direction;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Carries the bytes of two streams to each other, until both directions have ended.
///
/// At most `buffer_bytes` of a direction are held here; a full buffer is not read into, so that the sender's window
/// closes. The end of one direction is passed on and the other one goes on (RFC 9293 section 3.6). `carried` is told of
/// all bytes that were handed over.
///
/// # Errors
/// The first error of either stream. Both are then of no further use, and for their peers to learn as much the caller
/// resets them.
///
/// # Panics
/// When the buffers have no room at all.
pub async fn relay(
    client: &mut (impl AsyncRead + AsyncWrite + Unpin),
    server: &mut (impl AsyncRead + AsyncWrite + Unpin),
    buffer_bytes: usize,
    carried: impl Fn(Direction, usize),
) -> io::Result<()> {
    assert!(buffer_bytes > 0, "a relay holds a byte at least");
    let (mut up, mut down) = (Half::new(buffer_bytes), Half::new(buffer_bytes));
    poll_fn(|cx| {
        let up = up.poll_carry(cx, client, server, |bytes| carried(Direction::Up, bytes))?;
        let down = down.poll_carry(cx, server, client, |bytes| carried(Direction::Down, bytes))?;
        match (up, down) {
            (Poll::Ready(()), Poll::Ready(())) => Poll::Ready(Ok(())),
            _ => Poll::Pending,
        }
    })
    .await
}

/// One direction and what is held of it.
struct Half {
    buffer: Box<[u8]>,
    /// What is held starts here ...
    start: usize,
    /// ... and ends here; what comes next goes behind it.
    end: usize,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// There may be more.
    Open,
    /// All that the sender had has come.
    Received,
    /// The receiver has been told so.
    Ended,
}

impl Half {
    fn new(bytes: usize) -> Self {
        Self { buffer: vec![0; bytes].into_boxed_slice(), start: 0, end: 0, phase: Phase::Open }
    }

    fn poll_carry(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut (impl AsyncRead + Unpin),
        to: &mut (impl AsyncWrite + Unpin),
        carried: impl Fn(usize),
    ) -> Poll<io::Result<()>> {
        loop {
            let read = self.poll_read(cx, Pin::new(from))?;
            let written = self.poll_write(cx, Pin::new(to))?;
            if let Poll::Ready(bytes) = written {
                carried(bytes);
            }
            if read.is_pending() && written.is_pending() {
                break;
            }
        }
        if self.phase == Phase::Received && self.start == self.end {
            ready!(Pin::new(&mut *to).poll_flush(cx))?;
            ready!(Pin::new(to).poll_shutdown(cx))?;
            self.phase = Phase::Ended;
        }
        if self.phase == Phase::Ended { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// Ready when something has come; pending also when nothing more can be held or is to come.
    fn poll_read(&mut self, cx: &mut Context<'_>, from: Pin<&mut impl AsyncRead>) -> Poll<io::Result<()>> {
        if self.phase != Phase::Open || self.end == self.buffer.len() {
            return Poll::Pending;
        }
        let mut free = ReadBuf::new(&mut self.buffer[self.end..]);
        ready!(from.poll_read(cx, &mut free))?;
        match free.filled().len() {
            0 => self.phase = Phase::Received,
            bytes => self.end += bytes,
        }
        Poll::Ready(Ok(()))
    }

    /// Ready with what was handed over; pending also when there is nothing to hand over.
    fn poll_write(&mut self, cx: &mut Context<'_>, to: Pin<&mut impl AsyncWrite>) -> Poll<io::Result<usize>> {
        if self.start == self.end {
            return Poll::Pending;
        }
        let bytes = ready!(to.poll_write(cx, &self.buffer[self.start..self.end]))?;
        if bytes == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        self.start += bytes;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        Poll::Ready(Ok(bytes))
    }
}
