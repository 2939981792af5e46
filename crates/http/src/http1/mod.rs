//! HTTP/1.0 (RFC 1945) and HTTP/1.1 (RFC 9112) as bytes, without input and output: what both ends write, and what
//! each reads from a peer that may send anything.

mod head;
mod request;
mod response;

pub use head::{MAX_FIELDS, MAX_HEAD_BYTES, Malformed};
pub use request::{RequestHead, Requests};
pub use response::{Piece, ResponseHead, Responses};

pub use request::encode as encode_request;
pub use response::encode as encode_response;

/// Bytes asked for in one read.
pub const READ_BYTES: usize = 8 * 1024;
