//! What the handshake says to the sender.

use bentpipe_units::Duration;

use crate::options::SackPermitted;

/// How the handshake went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handshake {
    /// RTT of the SYN or SYN-ACK; `None` when it is ambiguous.
    pub rtt: Option<Duration>,
    /// Segments of the first window.
    pub window: InitialWindow,
    /// Payload of a full segment.
    pub mss: u64,
    /// Whether the peer acknowledges selectively.
    pub sack_permitted: SackPermitted,
}

/// Segments of the first window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialWindow {
    /// As configured.
    Configured,
    /// One, because the SYN or SYN-ACK was lost more than once (RFC 6928 section 2).
    One,
}
