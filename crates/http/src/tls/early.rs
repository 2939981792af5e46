//! Early data at the origin (RFC 8446 section 2.3).

use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bentpipe_net::ByteStream;
use rustls::{ServerConfig, ServerConnection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{EarlyData, Secured};

/// The origin's end of a TLS connection that reads the client's early data, and answers them, before the handshake is
/// complete (RFC 8446 section 2.3).
pub(super) struct EarlyStream<S, F> {
    io: S,
    session: ServerConnection,
    on_secured: Option<F>,
    has_closed: bool,
}

impl<S: ByteStream, F: FnOnce(Secured)> EarlyStream<S, F> {
    /// Returns when early data may be read, or else when the handshake is complete.
    pub(super) async fn accept(config: Arc<ServerConfig>, io: S, on_secured: F) -> io::Result<Self> {
        let session = ServerConnection::new(config).map_err(io::Error::other)?;
        let mut stream = Self { io, session, on_secured: Some(on_secured), has_closed: false };
        poll_fn(|cx| stream.poll_accept(cx)).await?;
        Ok(stream)
    }

    /// The application protocol (RFC 7301).
    pub(super) fn protocol(&self) -> Vec<u8> {
        self.session.alpn_protocol().unwrap_or_default().to_vec()
    }

    fn poll_accept(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.session.is_handshaking() && self.session.early_data().is_none() {
            if ready!(self.poll_receive(cx))? == 0 {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Takes records from below, answers what TLS itself answers, and returns the number of bytes; zero at the end.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        // What was not taken before may be taken now, and nobody else may ask.
        let _ = self.poll_send(cx)?;
        let received = match self.session.read_tls(&mut Below { io: &mut self.io, cx }) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
            result => result?,
        };
        let processed = self.session.process_new_packets();
        // An alert as well.
        let _ = self.poll_send(cx)?;
        processed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        self.look();
        Poll::Ready(Ok(received))
    }

    /// Hands all records down.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut Below { io: &mut self.io, cx }) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                result => result?,
            };
        }
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn look(&mut self) {
        if self.session.is_handshaking() {
            return;
        }
        if let Some(on_secured) = self.on_secured.take() {
            let early_data = match self.session.early_data() {
                Some(_) => EarlyData::Accepted,
                None => EarlyData::NotTried,
            };
            on_secured(Secured::of(&self.session, early_data));
        }
    }

    /// Plaintext that has come: early data first. Zero at the end; `WouldBlock` when there is none yet.
    fn read_plaintext(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(mut early_data) = self.session.early_data() {
            let length = early_data.read(buffer)?;
            if length > 0 {
                return Ok(length);
            }
        }
        self.session.reader().read(buffer)
    }

    fn poll_give(
        &mut self,
        cx: &mut Context<'_>,
        mut give: impl FnMut(&mut rustls::Writer<'_>) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            let taken = give(&mut self.session.writer())?;
            let sent = self.poll_send(cx)?;
            if taken > 0 {
                return Poll::Ready(Ok(taken));
            }
            // The session's buffer is full until what is below takes more.
            ready!(sent);
        }
    }
}

impl<S, F> Unpin for EarlyStream<S, F> {}

impl<S: ByteStream, F: FnOnce(Secured)> AsyncRead for EarlyStream<S, F> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match this.read_plaintext(buffer.initialize_unfilled()) {
                Ok(length) => {
                    buffer.advance(length);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
            ready!(this.poll_receive(cx))?;
        }
    }
}

impl<S: ByteStream, F: FnOnce(Secured)> AsyncWrite for EarlyStream<S, F> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        self.get_mut().poll_give(cx, |writer| writer.write(data))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if pieces.iter().all(|piece| piece.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        self.get_mut().poll_give(cx, |writer| writer.write_vectored(pieces))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_send(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.has_closed {
            this.session.send_close_notify();
            this.has_closed = true;
        }
        ready!(this.poll_send(cx))?;
        Pin::new(&mut this.io).poll_shutdown(cx)
    }
}

/// What is below TLS as the library reads and writes it: pending is `WouldBlock`.
struct Below<'a, 'b, S> {
    io: &'a mut S,
    cx: &'a mut Context<'b>,
}

impl<S: ByteStream> Read for Below<'_, '_, S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut buffer = ReadBuf::new(bytes);
        match Pin::new(&mut *self.io).poll_read(self.cx, &mut buffer) {
            Poll::Ready(result) => result.map(|()| buffer.filled().len()),
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl<S: ByteStream> Write for Below<'_, '_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match Pin::new(&mut *self.io).poll_write(self.cx, bytes) {
            Poll::Ready(result) => result,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
