//! After the exit: the window comes down to the path's BDP while one packet leaves for three that arrive.

use bentpipe_units::Bytes;

use super::step::Step;
use crate::AckSample;

/// Packets that arrive for each that leaves (`SEARCH_DRAIN_ACKEDSEG_THRESH` of the authors' version 4.0 for Linux).
const ARRIVALS_PER_DEPARTURE: u64 = 3;

#[derive(Clone, Debug)]
pub(super) struct Drain {
    cwnd: Bytes,
    /// The window at which it is over.
    target: Bytes,
    /// Delivered bytes for which nothing has left yet.
    delivered: u64,
}

impl Drain {
    pub const fn new(cwnd: Bytes, target: Bytes) -> Self {
        Self { cwnd, target, delivered: 0 }
    }

    /// The sender's window is `cwnd`: after a pause less than what this left it with (RFC 2861, RFC 9002 section 7.8).
    pub fn on_ack(&mut self, ack: &AckSample, cwnd: Bytes, mss: Bytes) -> Step {
        self.delivered += ack.acked.get();
        let price = ARRIVALS_PER_DEPARTURE * mss.get();
        let departures = Bytes::new(self.delivered / price * mss.get());
        self.delivered %= price;
        // Never above what it was: a sender that used less than its window has less in flight.
        self.cwnd = (ack.in_flight + departures).max(self.target).min(self.cwnd).min(cwnd);
        if self.cwnd <= self.target { Step::Leave(self.cwnd) } else { Step::Drain(self.cwnd) }
    }
}
