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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, packets};

    /// 8.3 million packets of 1500 bytes in 100 ms.
    const FAST: Rate = Rate::from_bps(1_000_000_000_000);

    fn limits() -> AggregationLimits {
        let (mss, huge) = (packets(1), packets(1 << 30));
        let window = CongestionWindow { mss, initial: huge, cwnd: huge, prior: huge };
        AggregationLimits { window, half_rounds: HALF_ROUNDS }
    }

    /// Several packets acknowledged at one instant.
    fn take(aggregation: &mut Aggregation, n: u64, boundary: Boundary) {
        aggregation.on_ack(&ack(Time::ZERO, packets(n)), boundary, FAST, limits());
    }

    #[test]
    fn an_aggregate_is_remembered_for_five_to_ten_rounds() {
        // bbr_extra_acked_win_rtts: 5, in two halves.
        for (rounds_before, rounds_kept) in [(5, 9), (9, 5)] {
            let mut aggregation = Aggregation::new(Time::ZERO);
            let round = |aggregation: &mut Aggregation| {
                aggregation.restart_epoch(Time::ZERO);
                take(aggregation, 1, Boundary::Start);
                aggregation.allowance(FAST)
            };
            (0..rounds_before).for_each(|_| {
                round(&mut aggregation);
            });
            take(&mut aggregation, 49, Boundary::Inside);
            for _ in 0..rounds_kept {
                assert_eq!(round(&mut aggregation), packets(50));
            }
            assert_eq!(round(&mut aggregation), packets(1));
        }
    }

    #[test]
    fn at_most_what_100_ms_deliver_is_granted() {
        // bbr_extra_acked_max_us: 100 ms; of 1.2 Mbit/s ten packets.
        let mut aggregation = Aggregation::new(Time::ZERO);
        take(&mut aggregation, 50, Boundary::Inside);
        assert_eq!(aggregation.allowance(Rate::from_bps(1_200_000)), packets(10));
        assert_eq!(aggregation.allowance(Rate::from_bps(12_000_000)), packets(50));
    }

    #[test]
    fn an_epoch_has_less_than_2_to_the_20th_packets() {
        // bbr_ack_epoch_acked_reset_thresh: 1 << 20.
        let mut aggregation = Aggregation::new(Time::ZERO);
        for n in [(1 << 20) - 2, 1, 1] {
            take(&mut aggregation, n, Boundary::Inside);
        }
        assert_eq!(aggregation.allowance(FAST), packets((1 << 20) - 1));
    }
}
