//! What connections carried, as their ends counted it.

use bentpipe_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a connection of a page load carried, as its client counted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Carried {
    /// Server to client.
    pub down: CarriedBytes,
    /// Client to server.
    pub up: CarriedBytes,
}

/// One direction of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CarriedBytes {
    /// Content of the TCP connection, or of all streams of the QUIC connection: each byte once, however often it was sent.
    pub stream_bytes: Bytes,
    /// The same without TLS. QUIC's TLS is below its streams.
    pub plain_bytes: Bytes,
    /// Of these, header fields as they were sent: compressed by HPACK, QPACK or zlib; none of HTTP/1, which has them as text.
    pub header_block_bytes: Bytes,
}
