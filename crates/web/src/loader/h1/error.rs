//! Why HTTP/1.x had no response.

use std::io;

use bentpipe_http::http1::Malformed;

/// Why HTTP/1.x had no response.
#[derive(Debug, thiserror::Error)]
pub(crate) enum H1Error {
    #[error("connection closed before the response")]
    Unanswered,
    #[error("connection lost within the response: {0}")]
    Lost(#[from] io::Error),
    #[error(transparent)]
    Malformed(#[from] Malformed),
}
