//! A stream that counts what passes through it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bentpipe_run::Direction;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::frames::{Framing, Scanner};
use super::meter::Meter;

/// A stream that counts what passes through it.
#[derive(Debug)]
pub struct Counted<S, L> {
    stream: S,
    layer: L,
}

/// What the bytes of a stream are.
pub trait Layer: Unpin {
    /// Bytes that passed, in order.
    fn passed(&mut self, direction: Direction, bytes: &[u8]);
}

/// Content of the transport connection.
#[derive(Debug)]
pub struct Transport<T> {
    meter: Meter,
    /// Ends with the stream.
    _ending: T,
}

/// What HTTP hands over and is handed.
#[derive(Debug)]
pub struct Plain<F> {
    meter: Meter,
    down: Scanner<F>,
    up: Scanner<F>,
}

impl<S, T> Counted<S, Transport<T>> {
    /// Counts `stream` as the content of the transport connection; `ending` is dropped with it.
    pub fn transport(stream: S, meter: &Meter, ending: T) -> Self {
        Self { stream, layer: Transport { meter: meter.clone(), _ending: ending } }
    }
}

impl<S, F: Framing> Counted<S, Plain<F>> {
    /// Counts `stream` as what HTTP hands over, in frames of `F`.
    pub fn plain(stream: S, meter: &Meter) -> Self {
        let layer = Plain { meter: meter.clone(), down: Scanner::of_server(), up: Scanner::of_client() };
        Self { stream, layer }
    }
}

impl<T: Unpin> Layer for Transport<T> {
    fn passed(&mut self, direction: Direction, bytes: &[u8]) {
        self.meter.stream(direction, bytes.len());
    }
}

impl<F: Framing> Layer for Plain<F> {
    fn passed(&mut self, direction: Direction, bytes: &[u8]) {
        let block = match direction {
            Direction::Down => self.down.header_block_bytes(bytes),
            Direction::Up => self.up.header_block_bytes(bytes),
        };
        self.meter.plain(direction, bytes.len(), block);
    }
}

impl<S: AsyncRead + Unpin, L: Layer> AsyncRead for Counted<S, L> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.layer.passed(Direction::Down, &buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin, L: Layer> AsyncWrite for Counted<S, L> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(cx, data))?;
        self.layer.passed(Direction::Up, &data[..written]);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, data))?;
        let mut left = written;
        for slice in data {
            let part = left.min(slice.len());
            self.layer.passed(Direction::Up, &slice[..part]);
            left -= part;
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
