//! Why there is no address.

use std::io;

use bentpipe_http::quic::QuicError;

/// Why a name has no address.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookupError {
    /// What cannot be asked for.
    #[error("{0} is no name of a host")]
    Name(String),
    /// Nothing came.
    #[error("the resolver has not answered in {attempts} attempts")]
    Unanswered {
        /// Questions sent.
        attempts: u32,
    },
    /// The resolver cannot or will not answer (RFC 1035 section 4.1.1).
    #[error("the resolver answers {0}")]
    Refused(String),
    /// What is longer than a datagram may be. No answer of ours is.
    #[error("the resolver's answer is truncated")]
    Truncated,
    /// What is no answer to the question, on a connection on which nothing else may come.
    #[error("the resolver's answer is none to the question")]
    Nonsense,
    /// An answer that has no address.
    #[error("the name has no address")]
    NoAddress,
    /// The record of the service says that it has not got the protocol (RFC 9460 section 7.1).
    #[error("the name's HTTPS record offers no {0}")]
    NoProtocol(String),
    /// HTTP around the answer.
    #[error("the resolver answers {0}")]
    Http(http::StatusCode),
    /// Sockets, and TLS over them.
    #[error("resolver: {0}")]
    Io(#[from] io::Error),
    /// Settings of TLS.
    #[error("resolver, TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// HTTP/2.
    #[error("resolver, HTTP/2: {0}")]
    H2(#[from] h2::Error),
    /// QUIC.
    #[error("resolver: {0}")]
    Quic(#[from] QuicError),
    /// A stream of QUIC.
    #[error("resolver, QUIC stream: {0}")]
    Stream(String),
    /// A connection over which nothing comes any more.
    #[error("the resolver has closed the connection")]
    Closed,
}
