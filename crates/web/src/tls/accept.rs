use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use tokio_rustls::TlsAcceptor;

use super::early::EarlyStream;
use super::{EarlyData, Identity, Secured, Terms};
use crate::net::ByteStream;

/// Takes up TLS on the streams that an origin has accepted.
#[derive(Clone)]
pub(crate) struct Acceptor {
    config: Arc<ServerConfig>,
    terms: Terms,
}

/// A stream over which application data may flow.
pub(crate) struct Accepted {
    pub(crate) stream: Box<dyn ByteStream>,
    /// The application protocol (RFC 7301).
    pub(crate) protocol: Vec<u8>,
}

impl Acceptor {
    /// Offers `alpn` in this order, as host number `host`.
    ///
    /// # Errors
    /// As [`Terms::server`].
    pub(crate) fn new(
        terms: Terms,
        identity: &Identity,
        host: usize,
        alpn: &[&str],
    ) -> Result<Self, rustls::Error> {
        Ok(Self { config: Arc::new(terms.server(identity, host, alpn)?), terms })
    }

    /// Returns when the handshake is complete, or, where clients may send requests with their first flight, as soon as
    /// that has come. `on_secured` is told when the handshake is complete.
    pub(crate) async fn accept<S: ByteStream + 'static>(
        &self,
        stream: S,
        on_secured: impl FnOnce(Secured) + 'static,
    ) -> io::Result<Accepted> {
        if self.terms.has_early_data() {
            let stream = EarlyStream::accept(Arc::clone(&self.config), stream, on_secured).await?;
            let protocol = stream.protocol();
            return Ok(Accepted { stream: Box::new(stream), protocol });
        }
        let stream = TlsAcceptor::from(Arc::clone(&self.config)).accept(stream).await?;
        let session = stream.get_ref().1;
        let protocol = session.alpn_protocol().unwrap_or_default().to_vec();
        on_secured(Secured::of(session, EarlyData::NotTried));
        Ok(Accepted { stream: Box::new(stream), protocol })
    }
}
