//! How much of what was sent is acknowledged or lost.

use bentpipe_units::Bytes;

use crate::AckSample;

/// Counts bytes sent, retransmissions too, and how many of them are no longer in flight: delivered or given up.
///
/// Packets are acknowledged or lost nearly in the order in which they left, so this count tells which
/// packets an acknowledgement is about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckedOrLost {
    sent: u64,
    acked_or_lost: u64,
}

impl AckedOrLost {
    pub fn on_sent(&mut self, bytes: Bytes) {
        self.sent += bytes.get();
    }

    pub fn on_ack(&mut self, ack: &AckSample) {
        self.acked_or_lost = self.acked_or_lost.max(self.sent.saturating_sub(ack.in_flight.get()));
    }

    /// Bytes sent since the connection started.
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes of them that are delivered or given up.
    pub const fn acked_or_lost(&self) -> u64 {
        self.acked_or_lost
    }
}
