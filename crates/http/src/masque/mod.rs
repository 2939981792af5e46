//! Proxying UDP in HTTP (RFC 9298): the parts without input or output.
//!
//! A client asks an HTTP/3 proxy by extended CONNECT for a [`Target`]; UDP packets go between them in QUIC's DATAGRAM
//! frames as [HTTP Datagrams](HttpDatagram) then (RFC 9297), or in [capsules](Capsules) on the stream of the request.

mod capsule;
mod datagram;
mod target;

pub use capsule::{CapsuleError, Capsules};
pub use datagram::{DatagramError, HttpDatagram, MOST_UDP_BYTES, udp_packet};
pub use target::{Target, TargetError};

/// The longest UDP payload that fits into an HTTP Datagram of a QUIC connection whose own UDP payloads have `outer` bytes.
///
/// What stands before it and behind it: a short header (RFC 9000 section 17.3.1) of one byte, a connection id of eight
/// and a packet number of four at most, the tag of the AEAD of 16 (RFC 9001 section 5.3), the type of the DATAGRAM frame
/// and its length, for which the library sets nine aside (RFC 9221 section 4), the quarter stream id, two bytes for the
/// first 16,384 requests (RFC 9297 section 2.1), and the context id, one byte (RFC 9298 section 5).
pub const fn inner_payload(outer: u64) -> u64 {
    outer.saturating_sub(1 + 8 + 4 + 16 + 9 + 2 + 1)
}
