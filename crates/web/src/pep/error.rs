//! Why a proxy could not start.

use std::io;

use bentpipe_units::Duration;

/// Why a proxy could not start.
#[derive(Debug, thiserror::Error)]
pub enum PepError {
    /// A listening socket.
    #[error("proxy socket: {0}")]
    Socket(#[from] io::Error),
    /// Standing connections were missing when time was up.
    #[error("standing connections of terminal and gateway: expected all within {limit}, found some missing")]
    NotStanding {
        /// The time that they had.
        limit: Duration,
    },
    /// An endpoint of QUIC.
    #[error("proxy: {0}")]
    Quic(#[from] bentpipe_http::quic::QuicError),
    /// The certificate.
    #[error("proxy certificate: {0}")]
    Tls(#[from] rustls::Error),
}
