//! How start-up ends, and the drain after it.

use bentpipe_units::Bytes;

use super::bounds::is_too_high;
use super::{Bbr3, Episode, Mode, Sample};
use crate::Demand;
use crate::round::Boundary;

/// Acknowledgements with losses in one round that end start-up, when more than 2 % of the flight are lost.
const STARTUP_LOSSES: u32 = 6;

impl Bbr3 {
    /// BBRCheckStartupHighLoss.
    pub(super) fn check_startup_losses(&mut self, sample: &Sample<'_>) {
        if self.full.was_reached() {
            return;
        }
        if sample.ack.lost > Bytes::ZERO {
            self.loss_round.startup_losses += 1;
        }
        if sample.loss_boundary == Boundary::Start {
            let many = self.loss_round.startup_losses >= STARTUP_LOSSES;
            let recovering = matches!(self.episode, Episode::Recovery | Episode::Ended);
            if many && recovering && sample.flight.is_some_and(is_too_high) {
                self.full.declare_reached();
                self.bounds.inflight_hi = self.inflight(self.max_bw(), 1.0).max(self.latest.inflight);
            }
            self.loss_round.startup_losses = 0;
        }
    }

    pub(super) fn check_full_bandwidth(&mut self, sample: &Sample<'_>) {
        if let Some(rate) = sample.rate.filter(|rate| rate.demand == Demand::Backlogged) {
            self.full.on_sample(rate.rate(), sample.boundary);
        }
    }

    /// BBRCheckDrain.
    pub(super) fn check_drain(&mut self, sample: &Sample<'_>) {
        let one_bdp = self.inflight(self.max_bw(), 1.0);
        if self.mode == Mode::Startup && self.full.was_reached() {
            self.mode = Mode::Drain;
            self.ssthresh = Some(one_bdp);
            self.reset_congestion_signals();
        }
        if self.mode == Mode::Drain && sample.ack.in_flight <= one_bdp {
            self.mode = Mode::ProbeBw;
            self.start_down(sample.ack.now);
        }
    }
}
