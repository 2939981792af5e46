//! What a peer may cost: bounds that no page comes near, against peers that are broken or mean harm.

use std::time::Duration;

/// Header fields of one message, uncompressed, with 32 bytes for each (RFC 9113 section 6.5.2, RFC 9114 section 4.2.2).
/// As much as nginx takes in all (`large_client_header_buffers 4 8k`), and a hundred times what the loader sends.
/// It also bounds the CONTINUATION frames of one message: five, the library's least.
pub const HEADER_LIST_BYTES: u32 = 32 << 10;

/// HTTP/2 streams that the peer has opened and reset before they were looked at (CVE-2023-44487); one more ends the
/// connection. A browser whose user leaves resets each of its requests once, long after they were.
pub(crate) const RESET_BEFORE_ACCEPTED: usize = 20;

/// HTTP/2 streams reset because of the peer's errors; one more ends the connection. Streams above the peer's limit
/// count: a client that does not know it yet may err with each object of a page, of which the largest has 642.
pub(crate) const ERROR_RESETS: usize = 1024;

/// HTTP/2 streams that are remembered after this end has reset them, so that what was under way is no error.
pub(crate) const REMEMBERED_RESETS: usize = 50;

/// How long: for ever, because the library would look at a real clock to forget one.
pub(crate) const REMEMBERED_FOR: Duration = Duration::MAX;

/// Bytes of one HTTP/2 stream that wait in the library to be sent, beside what the windows allow.
pub(crate) const SEND_BUFFER_BYTES: usize = 400 << 10;
