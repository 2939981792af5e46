//! How much more than the estimated bandwidth explains is acknowledged at once, by links and receivers that
//! gather acknowledgements.

use bentpipe_units::{Bytes, Duration, Rate, Time};

use super::CongestionWindow;
use crate::AckSample;
use crate::round::Boundary;

/// The maximum is kept for five to ten rounds, in two halves.
pub(crate) const HALF_ROUNDS: u32 = 5;
/// At most what the bandwidth delivers in 100 ms is granted beyond the BDP.
const MAX_SPAN: Duration = Duration::from_millis(100);
/// An epoch ends after this many packets at the latest.
const MAX_EPOCH_PACKETS: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Aggregation {
    epoch_start: Time,
    epoch_acked: Bytes,
    /// Maxima of the present and the previous half.
    present: Bytes,
    previous: Bytes,
    rounds: u32,
}

impl Aggregation {
    pub const fn new(now: Time) -> Self {
        Self {
            epoch_start: now,
            epoch_acked: Bytes::ZERO,
            present: Bytes::ZERO,
            previous: Bytes::ZERO,
            rounds: 0,
        }
    }

    /// A pause is not aggregation.
    pub fn restart_epoch(&mut self, now: Time) {
        self.epoch_start = now;
        self.epoch_acked = Bytes::ZERO;
    }

    pub fn on_ack(
        &mut self,
        ack: &AckSample,
        boundary: Boundary,
        bandwidth: Rate,
        limits: AggregationLimits,
    ) {
        if boundary == Boundary::Start {
            self.rounds += 1;
            if self.rounds >= limits.half_rounds {
                self.rounds = 0;
                self.previous = self.present;
                self.present = Bytes::ZERO;
            }
        }
        let mut expected = bandwidth.volume_in(ack.now.since(self.epoch_start));
        let too_long = (self.epoch_acked + ack.acked).get() >= MAX_EPOCH_PACKETS * limits.window.mss.get();
        if self.epoch_acked <= expected || too_long {
            self.restart_epoch(ack.now);
            expected = Bytes::ZERO;
        }
        self.epoch_acked += ack.acked;
        let extra = Bytes::new(self.epoch_acked.get().saturating_sub(expected.get())).min(limits.window.cwnd);
        self.present = self.present.max(extra);
    }

    /// What the window needs beyond the BDP.
    pub fn allowance(&self, bandwidth: Rate) -> Bytes {
        self.present.max(self.previous).min(bandwidth.volume_in(MAX_SPAN))
    }
}

/// Bounds of one update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AggregationLimits {
    pub window: CongestionWindow,
    /// Rounds in half of the time for which a maximum is kept.
    pub half_rounds: u32,
}
