//! A client's settings of TLS.

use std::sync::Arc;

use bentpipe_run::{RunSpec, Transport};
use rustls::ClientConfig;

use super::{Memory, Secrets, TlsSettings, wire};

/// How a client secures its connections.
#[derive(Clone, Copy, Debug)]
pub struct ClientTls<'a> {
    /// The run.
    pub spec: &'a RunSpec,
    /// The certificate authority to trust.
    pub authority_der: &'a [u8],
    /// Where secrets go, when they are captured.
    pub secrets: Option<&'a Arc<Secrets>>,
    /// What it knows of hosts from connections before.
    pub memory: &'a Memory,
}

impl ClientTls<'_> {
    /// The settings of a new connection, which offers one application protocol. A client speaks TLS over one transport
    /// alone.
    ///
    /// # Errors
    /// When the run's TLS settings contradict each other or the authority's certificate is malformed.
    pub fn config(self, transport: Transport, protocol: &str) -> Result<ClientConfig, rustls::Error> {
        let mut config = match self.memory.config.get() {
            Some(config) => config.clone(),
            None => {
                let settings = TlsSettings::of(self.spec, transport)?;
                let fresh =
                    settings.client(self.authority_der, self.secrets.cloned(), self.memory.store())?;
                self.memory.config.get_or_init(|| fresh).clone()
            }
        };
        config.alpn_protocols = wire(&[protocol]);
        Ok(config)
    }
}
