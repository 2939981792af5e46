//! What TLS takes of a host's processor.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bentpipe_net::{ByteStream, Processor};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream below TLS at a host whose processor takes time for it: bytes wait until that is idle, both ways.
///
/// Nothing is held back that the processor has not to do with: while it works at the peer's first flight, the answer
/// waits, and so does all that comes.
pub struct Processing<S> {
    io: S,
    processor: Option<Processor>,
    has_begun: bool,
}

impl<S: ByteStream> Processing<S> {
    /// Puts `io` under the processor of its host, if that is modelled.
    pub fn new(io: S, processor: Option<Processor>) -> Self {
        Self { io, processor, has_begun: false }
    }

    fn poll_idle(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.processor.as_ref().map_or(Poll::Ready(()), |processor| processor.poll_idle(cx))
    }

    /// Bytes have come from the peer, at first those that make the handshake's work.
    fn received(&mut self, bytes: usize) {
        let Some(processor) = self.processor.as_ref().filter(|_| bytes > 0) else { return };
        if !std::mem::replace(&mut self.has_begun, true) {
            processor.handle_handshake();
        }
        processor.handle_records(bytes);
    }

    fn sent(&self, bytes: usize) {
        if let Some(processor) = &self.processor {
            processor.handle_records(bytes);
        }
    }
}

impl<S: ByteStream> AsyncRead for Processing<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_idle(cx));
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.io).poll_read(cx, buffer))?;
        self.received(buffer.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl<S: ByteStream> AsyncWrite for Processing<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_idle(cx));
        let written = ready!(Pin::new(&mut self.io).poll_write(cx, data))?;
        self.sent(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_idle(cx));
        let written = ready!(Pin::new(&mut self.io).poll_write_vectored(cx, pieces))?;
        self.sent(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_idle(cx));
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
