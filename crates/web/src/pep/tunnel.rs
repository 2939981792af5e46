//! A stream of HTTP/2 as one of bytes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use h2::{Reason, RecvStream, SendStream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that one write hands over at most: what the window does not let out yet is held in memory.
const WRITE_BYTES: usize = 64 * 1024;

/// A stream of HTTP/2 that CONNECT has made one of bytes (RFC 9113 section 8.5).
#[derive(Debug)]
pub(crate) struct Tunnel {
    sender: SendStream<Bytes>,
    receiver: RecvStream,
    /// What has come and was not read yet.
    unread: Bytes,
    is_shut_down: bool,
}

impl Tunnel {
    pub(crate) fn new(sender: SendStream<Bytes>, receiver: RecvStream) -> Self {
        Self { sender, receiver, unread: Bytes::new(), is_shut_down: false }
    }

    /// Ends both directions at once, as the reset of a TCP connection that was carried here.
    pub(crate) fn reset(mut self) {
        self.sender.send_reset(Reason::CONNECT_ERROR);
    }
}

impl AsyncRead for Tunnel {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.unread.is_empty() {
            match ready!(self.receiver.poll_data(cx)) {
                // A frame may be empty.
                Some(Ok(chunk)) => self.unread = chunk,
                Some(Err(error)) if !is_closing(&error) => return Poll::Ready(Err(reset(error))),
                Some(Err(_)) | None => return Poll::Ready(Ok(())),
            }
        }
        let bytes = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread[..bytes]);
        self.unread.advance(bytes);
        // The window opens as bytes are taken on, not as they come.
        self.receiver.flow_control().release_capacity(bytes).map_err(reset)?;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Tunnel {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let wanted = data.len().min(WRITE_BYTES);
        self.sender.reserve_capacity(wanted);
        while self.sender.capacity() == 0 {
            match ready!(self.sender.poll_capacity(cx)) {
                Some(granted) => granted.map_err(reset)?,
                None => return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
            };
        }
        let bytes = wanted.min(self.sender.capacity());
        self.sender.send_data(Bytes::copy_from_slice(&data[..bytes]), false).map_err(reset)?;
        Poll::Ready(Ok(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The connection's own task sends.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut_down {
            self.is_shut_down = true;
            // It fails where the peer has let go already and expects no end.
            let _ = self.sender.send_data(Bytes::new(), true);
        }
        Poll::Ready(Ok(()))
    }
}

/// Whether the peer has let go of the stream, as a socket is closed: what it had to say it has said.
fn is_closing(error: &h2::Error) -> bool {
    error.is_reset() && matches!(error.reason(), Some(Reason::NO_ERROR | Reason::CANCEL))
}

fn reset(error: h2::Error) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, error)
}
