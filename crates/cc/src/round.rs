//! Round trips counted in delivered bytes.

use bentpipe_units::Bytes;

use crate::AckSample;

/// Whether an acknowledgement opened a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    Start,
    Inside,
}

/// A round ends when a packet is delivered that left after the round started
/// (draft-cardwell-iccrg-bbr-congestion-control-00, BBRUpdateRound).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounds {
    end: Bytes,
    count: u64,
}

impl Rounds {
    pub fn on_ack(&mut self, ack: &AckSample) -> Boundary {
        match ack.rate {
            Some(rate) if rate.prior_delivered >= self.end => {
                self.restart(ack.delivered);
                self.count += 1;
                Boundary::Start
            }
            _ => Boundary::Inside,
        }
    }

    /// Lets the present round start now, at `delivered`.
    pub fn restart(&mut self, delivered: Bytes) {
        self.end = delivered;
    }

    pub const fn count(&self) -> u64 {
        self.count
    }
}
