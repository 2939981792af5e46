//! The client's end of TLS.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bentpipe_net::{ByteStream, Processor};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::{EarlyData, Processing, Secured};

/// Starts TLS with the host `name` on an open stream.
///
/// With a ticket for early data it returns at once, and what is written first travels with the first flight; otherwise
/// it returns when the handshake is complete. `on_secured` is told when that is. The host's `processor`, where the run has
/// one, takes its time for all of it.
///
/// # Errors
/// When the name is none, or the handshake fails.
pub async fn connect<S: ByteStream + 'static>(
    config: ClientConfig,
    name: &str,
    stream: S,
    processor: Option<Processor>,
    on_secured: impl FnOnce(Secured) + 'static,
) -> io::Result<Box<dyn ByteStream>> {
    let connector = TlsConnector::from(Arc::new(config)).early_data(true);
    let below = Processing::new(stream, processor.clone());
    let stream = connector.connect(server_name(name)?, below).await?;
    let session = stream.get_ref().1;
    if session.is_handshaking() {
        return Ok(Box::new(Watched { stream, on_secured: Some(on_secured) }));
    }
    let secured = Secured::of(session, EarlyData::NotTried);
    if let Some(processor) = processor {
        processor.idle().await;
    }
    on_secured(secured);
    Ok(Box::new(stream))
}

/// A host's name as TLS has it (RFC 6066 section 3).
///
/// # Errors
/// When it is no name of a host.
pub fn server_name(host: &str) -> io::Result<ServerName<'static>> {
    ServerName::try_from(host.to_owned())
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, format!("{host}: {error}")))
}

/// A stream whose handshake goes on beside its first requests.
struct Watched<S, F> {
    stream: TlsStream<S>,
    on_secured: Option<F>,
}

impl<S, F: FnOnce(Secured)> Watched<S, F> {
    fn look(&mut self) {
        let session = self.stream.get_ref().1;
        if session.is_handshaking() {
            return;
        }
        if let Some(on_secured) = self.on_secured.take() {
            let early_data = match session.is_early_data_accepted() {
                true => EarlyData::Accepted,
                false => EarlyData::Refused,
            };
            on_secured(Secured::of(session, early_data));
        }
    }
}

impl<S, F> Unpin for Watched<S, F> {}

impl<S: ByteStream, F: FnOnce(Secured)> AsyncRead for Watched<S, F> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.look();
        result
    }
}

impl<S: ByteStream, F: FnOnce(Secured)> AsyncWrite for Watched<S, F> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(cx, data);
        self.look();
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.look();
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(cx);
        self.look();
        result
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.look();
        result
    }
}
