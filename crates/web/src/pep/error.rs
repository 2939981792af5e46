//! Why a proxy could not start.

use std::io;

use bentpipe_http::quic::QuicError;
use bentpipe_units::{Bytes, Duration};

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
    Quic(#[from] QuicError),
    /// The packets of the hosts are too long for the datagrams of the connection to the proxy.
    #[error(
        "run.quic.udp_payload: expected at most {most}, what a datagram to the proxy has room for (mtu), found {found}"
    )]
    TooSmall {
        /// What there is room for.
        most: Bytes,
        /// What the hosts would send.
        found: Bytes,
    },
    /// The certificate.
    #[error("proxy certificate: {0}")]
    Tls(#[from] rustls::Error),
}
