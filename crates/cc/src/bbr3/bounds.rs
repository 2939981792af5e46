//! What the model allows in flight: `inflight_hi` in the long run, `inflight_lo` and `bw_lo` since the last probe.

use bentpipe_units::{Bytes, Rate};

use super::flight::Flight;

/// Not bounded.
pub(super) const UNBOUNDED: Bytes = Bytes::new(u64::MAX);
/// Lost bytes per byte in flight that are too many (draft: LossThresh).
const LOSS_THRESHOLD: f64 = 0.02;
/// What is left of a short-term bound after a round with losses (draft: Beta).
pub(super) const BETA: f64 = 0.7;
/// What is left of `inflight_hi` to others when cruising (draft: Headroom 0.15).
const HEADROOM: f64 = 0.15;

/// The bounds; `Rate::MAX` and [`UNBOUNDED`] where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub bandwidth_lo: Rate,
    pub inflight_lo: Bytes,
    pub inflight_hi: Bytes,
}

/// What the latest round trip delivered (draft section 5.5.10: `bw_latest`, `inflight_latest`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Latest {
    pub bandwidth: Rate,
    pub inflight: Bytes,
}

impl Latest {
    pub const NOTHING: Self = Self { bandwidth: Rate::ZERO, inflight: Bytes::ZERO };
}

impl Bounds {
    pub const NONE: Self = Self { bandwidth_lo: Rate::MAX, inflight_lo: UNBOUNDED, inflight_hi: UNBOUNDED };

    /// BBRResetShortTermModel.
    pub const fn reset_short_term(&mut self) {
        self.bandwidth_lo = Rate::MAX;
        self.inflight_lo = UNBOUNDED;
    }

    /// BBRInitLowerBounds and BBRLossLowerBounds: a round with losses that no probe caused.
    pub fn on_lossy_round(&mut self, max_bandwidth: Rate, cwnd: Bytes, latest: Latest) {
        if self.bandwidth_lo == Rate::MAX {
            self.bandwidth_lo = max_bandwidth;
        }
        if self.inflight_lo == UNBOUNDED {
            self.inflight_lo = cwnd;
        }
        self.bandwidth_lo = latest.bandwidth.max(self.bandwidth_lo.mul_f64(BETA));
        self.inflight_lo = latest.inflight.max(scaled(self.inflight_lo, BETA));
    }

    /// BBRInflightWithHeadroom.
    pub fn with_headroom(&self, mss: Bytes, floor: Bytes) -> Bytes {
        if self.inflight_hi == UNBOUNDED {
            return UNBOUNDED;
        }
        let headroom = scaled(self.inflight_hi, HEADROOM).max(mss);
        Bytes::new(self.inflight_hi.get().saturating_sub(headroom.get())).max(floor)
    }

    /// The reduction was not warranted: whatever was higher before it is so again.
    pub fn undo(&mut self, before: Self) {
        self.bandwidth_lo = self.bandwidth_lo.max(before.bandwidth_lo);
        self.inflight_lo = self.inflight_lo.max(before.inflight_lo);
        self.inflight_hi = self.inflight_hi.max(before.inflight_hi);
    }
}

/// IsInflightTooHigh.
pub(super) fn is_too_high(flight: Flight) -> bool {
    flight.lost > scaled(flight.in_flight, LOSS_THRESHOLD)
}

/// BBRInflightHiFromLostPacket: the flight at which the losses became too many, somewhere in the last packet:
/// (lost before + prefix) / (in flight before + prefix) = threshold.
pub(super) fn inflight_at_loss(flight: Flight, packet: Bytes) -> Bytes {
    let in_flight = flight.in_flight.get().saturating_sub(packet.get()) as f64;
    let lost = flight.lost.get().saturating_sub(packet.get()) as f64;
    let prefix = (LOSS_THRESHOLD * in_flight - lost).max(0.0) / (1.0 - LOSS_THRESHOLD);
    Bytes::new((in_flight + prefix) as u64)
}

pub(super) fn scaled(bytes: Bytes, factor: f64) -> Bytes {
    Bytes::new((bytes.get() as f64 * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::packets;

    // Section 2.4 of the draft: LossThresh 2 %, Beta 0.7, Headroom 0.15.

    #[test]
    fn the_flight_at_a_loss_is_the_one_at_which_two_per_cent_were_lost() {
        // (1500 + 479.6) / (98 500 + 479.6) = 0.02: so much of the last packet was too much.
        let flight = |lost| Flight { in_flight: Bytes::new(100_000), lost: Bytes::new(lost) };
        assert_eq!(inflight_at_loss(flight(3_000), Bytes::new(1_500)), Bytes::new(98_979));
        // Too many before it already: all of the packet was.
        assert_eq!(inflight_at_loss(flight(4_500), Bytes::new(1_500)), Bytes::new(98_500));
    }

    #[test]
    fn two_per_cent_of_the_flight_may_be_lost() {
        let flight = |lost| Flight { in_flight: Bytes::new(100_000), lost: Bytes::new(lost) };
        assert!(!is_too_high(flight(2_000)));
        assert!(is_too_high(flight(2_001)));
    }

    #[test]
    fn a_round_with_losses_leaves_seven_tenths_of_rate_and_window() {
        let mut bounds = Bounds::NONE;
        bounds.on_lossy_round(Rate::from_bps(10_000_000), Bytes::new(100_000), Latest::NOTHING);
        assert_eq!(bounds.bandwidth_lo, Rate::from_bps(7_000_000));
        assert_eq!(bounds.inflight_lo, Bytes::new(70_000));
    }

    #[test]
    fn cruising_leaves_fifteen_per_cent_to_others() {
        let bounds = Bounds { inflight_hi: Bytes::new(100_000), ..Bounds::NONE };
        assert_eq!(bounds.with_headroom(packets(1), packets(4)), Bytes::new(85_000));
    }
}
