//! How much of what was sent has met its fate.

use bentpipe_units::Bytes;

use crate::AckSample;

/// Counts bytes sent, retransmissions too, and how many of them are no longer in flight: delivered or given up.
///
/// Packets meet their fate nearly in the order in which they left, so the count of resolved bytes tells which
/// packets an acknowledgement is about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resolved {
    sent: u64,
    resolved: u64,
}

impl Resolved {
    pub fn on_sent(&mut self, bytes: Bytes) {
        self.sent += bytes.get();
    }

    pub fn on_ack(&mut self, ack: &AckSample) {
        self.resolved = self.resolved.max(self.sent.saturating_sub(ack.in_flight.get()));
    }

    /// Bytes sent since the connection began.
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes of them that are delivered or given up.
    pub const fn resolved(&self) -> u64 {
        self.resolved
    }
}
