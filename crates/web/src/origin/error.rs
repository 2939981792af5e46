//! Why an origin could not start.

use std::io;

use bentpipe_http::quic::QuicError;

use crate::page::PageError;

/// Why an origin could not start.
#[derive(Debug, thiserror::Error)]
pub enum OriginError {
    /// A TCP or UDP socket.
    #[error("origin socket: {0}")]
    Socket(#[from] io::Error),
    /// The certificate.
    #[error("origin certificate: {0}")]
    Tls(#[from] rustls::Error),
    /// QUIC.
    #[error(transparent)]
    Quic(#[from] QuicError),
    /// The page.
    #[error(transparent)]
    Page(#[from] PageError),
    /// What its resolver does not know it has to ask for.
    #[error("dns.recursion_ns: expected how long a cold resolver at the gateway asks others, found nothing")]
    NoRecursion,
    /// iperf3 speaks to itself alone.
    #[error("iperf3 brings its own client and server, which run on the emulate engine")]
    Iperf3,
}
