//! What becomes of the packets of QUIC between its ends.

/// How the ends of a network protect the packets of QUIC once a handshake has given them keys for data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protection {
    /// By the cipher that the handshake has settled (RFC 9001 section 5).
    #[default]
    Cipher,
    /// By nothing but their length: packets are as long as with the cipher and their payload stays as it is. For a
    /// network on which nobody reads them but the two ends, and both do so.
    Length,
}
