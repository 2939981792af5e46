//! The origin's end of TLS.

use std::io;
use std::sync::Arc;

use bentpipe_net::{ByteStream, Processor};
use rustls::ServerConfig;
use tokio_rustls::TlsAcceptor;

use super::early::EarlyStream;
use super::{EarlyData, Identity, Processing, Secured, TlsSettings};

/// Takes up TLS on the streams that an origin has accepted.
#[derive(Clone)]
pub struct Acceptor {
    config: Arc<ServerConfig>,
    settings: TlsSettings,
    processor: Option<Processor>,
}

/// A stream over which application data may flow.
pub struct Accepted {
    /// Its plaintext.
    pub stream: Box<dyn ByteStream>,
    /// The application protocol (RFC 7301).
    pub protocol: Vec<u8>,
}

impl Acceptor {
    /// Offers `alpn` in this order, as host number `host`, whose processor, where the run has one, takes its time.
    ///
    /// # Errors
    /// As [`TlsSettings::server`].
    pub fn new(
        settings: TlsSettings,
        identity: &Identity,
        host: usize,
        alpn: &[&str],
        processor: Option<Processor>,
    ) -> Result<Self, rustls::Error> {
        Ok(Self { config: Arc::new(settings.server(identity, host, alpn)?), settings, processor })
    }

    /// Returns when the handshake is complete, or, where clients may send requests with their first flight, as soon as
    /// that has come. `on_secured` is told when the handshake is complete.
    ///
    /// # Errors
    /// When the handshake fails.
    pub async fn accept<S: ByteStream + 'static>(
        &self,
        stream: S,
        on_secured: impl FnOnce(Secured) + 'static,
    ) -> io::Result<Accepted> {
        let stream = Processing::new(stream, self.processor.clone());
        if self.settings.has_early_data() {
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
