//! Why a proxy could not start.

use std::io;

/// Why a proxy could not start.
#[derive(Debug, thiserror::Error)]
pub enum PepError {
    /// A listening socket.
    #[error("proxy socket: {0}")]
    Socket(#[from] io::Error),
    /// The certificate.
    #[error("proxy certificate: {0}")]
    Tls(#[from] rustls::Error),
}
