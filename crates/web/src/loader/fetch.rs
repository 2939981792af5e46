//! What became of a request.

use bentpipe_http::quic::QuicError;
use bentpipe_units::{Bytes, Time};

use super::body::Received;
use super::h1::H1Error;
use crate::dns::LookupError;
use crate::page::PageError;
use crate::pep::MasqueError;

/// How often a request is repeated that the origin refused without having looked at it (RFC 9113 section 8.7): by then its
/// limit of streams is known, so that once is enough for an origin that keeps to it.
pub(super) const MOST_REFUSALS: u32 = 3;

/// Why an object could not be fetched.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("name lookup: {0}")]
    Name(#[from] LookupError),
    #[error("connect: {0}")]
    Connect(#[from] std::io::Error),
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    #[error(transparent)]
    Quic(#[from] QuicError),
    #[error(transparent)]
    Masque(#[from] MasqueError),
    #[error("HTTP/1: {0}")]
    H1(#[from] H1Error),
    #[error("HTTP/2: {0}")]
    H2(#[from] h2::Error),
    #[error("HTTP/3: {0}")]
    H3(String),
    #[error("SPDY: {0}")]
    Spdy(String),
    #[error(transparent)]
    Page(#[from] PageError),
    #[error("the proxy answers {0}")]
    Proxy(http::StatusCode),
}

/// One response as it came over the wire.
#[derive(Debug)]
pub(super) struct Fetched {
    pub(super) connection: usize,
    pub(super) requested: Time,
    pub(super) first_byte: Time,
    pub(super) last_byte: Time,
    pub(super) status: u16,
    pub(super) request_header_bytes: Bytes,
    pub(super) response_header_bytes: Bytes,
    pub(super) body: Received,
}
