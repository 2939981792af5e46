//! A session on a byte stream.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Event, Session, SessionError};

/// What is handed to the stream at once: a TLS record (RFC 8446 section 5.1).
const MOST_WRITTEN: usize = 16 * 1024;
const MOST_READ: usize = 16 * 1024;

/// Why a connection has ended.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The stream below failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The peer broke the protocol.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// A session and the stream that carries it.
#[derive(Debug)]
pub struct Driver<S> {
    stream: S,
    /// Takes commands; what they send goes out with the next [`Driver::event`].
    pub session: Session,
    out: BytesMut,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Driver<S> {
    /// Lets `stream` carry `session`.
    pub fn new(stream: S, session: Session) -> Self {
        Self { stream, session, out: BytesMut::new() }
    }

    /// What the peer did next; none when it has closed. Sends meanwhile what is to be sent, after all that has
    /// arrived was made known, so that commands compete by their priorities. Dropping the future loses nothing.
    pub async fn event(&mut self) -> Result<Option<Event>, ConnectionError> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    /// [`Driver::event`] for who waits for something else too.
    pub fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Event>, ConnectionError>> {
        loop {
            match self.session.poll_event() {
                Ok(Some(event)) => return Poll::Ready(Ok(Some(event))),
                Ok(None) => {}
                Err(error) => {
                    // The peer is told why, if it listens.
                    let _ = ready!(self.poll_send(cx));
                    return Poll::Ready(Err(error.into()));
                }
            }
            // Reading goes on while the stream takes no more.
            if let Poll::Ready(Err(error)) = self.poll_send(cx) {
                return Poll::Ready(Err(error.into()));
            }
            let mut buffer = [0; MOST_READ];
            let mut buffer = ReadBuf::new(&mut buffer);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(None));
            }
            self.session.receive(buffer.filled());
        }
    }

    /// Says goodbye and closes this end.
    pub async fn close(mut self) -> io::Result<()> {
        self.session.close();
        poll_fn(|cx| self.poll_send(cx)).await?;
        poll_fn(|cx| Pin::new(&mut self.stream).poll_shutdown(cx)).await
    }

    /// Sends all there is to send.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.out.is_empty() {
                self.session.transmit(&mut self.out, MOST_WRITTEN);
            }
            if self.out.is_empty() {
                return Pin::new(&mut self.stream).poll_flush(cx);
            }
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.out))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.out.advance(written);
        }
    }
}
