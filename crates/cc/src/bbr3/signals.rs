//! What acknowledgements and losses say to the model.

use bentpipe_units::Bytes;

use super::bounds::{Latest, inflight_at_loss, is_too_high};
use super::flight::Flight;
use super::probe::Samples;
use super::{Bbr3, Sample};
use crate::bbr_common::{AggregationLimits, HALF_ROUNDS};
use crate::rate::RateSample;
use crate::round::Boundary;
use crate::{AckSample, Demand};

impl Bbr3 {
    /// BBRNoteLoss: the round is measured whole from its first loss on.
    pub(super) fn note_loss(&mut self, delivered: Bytes) {
        if !self.loss_round.any {
            self.loss_round.end = delivered;
        }
        self.loss_round.any = true;
    }

    /// BBRHandleLostPacket, for the newest packet that the acknowledgement is about.
    pub(super) fn on_lost(&mut self, ack: &AckSample, flight: Option<Flight>) {
        self.note_loss(ack.delivered);
        let Some(flight) = flight.filter(|flight| is_too_high(*flight)) else { return };
        if self.probe.samples == Samples::OfProbe {
            let limited = ack.rate.is_some_and(|rate| rate.demand == Demand::AppLimited);
            self.on_inflight_too_high(ack.now, inflight_at_loss(flight, self.window.mss), limited);
        }
    }

    /// BBRUpdateLatestDeliverySignals.
    pub(super) fn update_latest(&mut self, ack: &AckSample, rate: Option<RateSample>) -> Boundary {
        let Some(rate) = rate.filter(|_| ack.acked > Bytes::ZERO) else { return Boundary::Inside };
        self.latest.bandwidth = self.latest.bandwidth.max(rate.rate());
        self.latest.inflight = self.latest.inflight.max(rate.delivered);
        if rate.prior_delivered < self.loss_round.end {
            return Boundary::Inside;
        }
        self.loss_round.end = ack.delivered;
        Boundary::Start
    }

    /// BBRUpdateCongestionSignals.
    pub(super) fn update_congestion_signals(&mut self, sample: &Sample<'_>) {
        let Some(rate) = sample.rate.filter(|_| sample.ack.acked > Bytes::ZERO) else { return };
        if rate.demand == Demand::Backlogged || rate.rate() >= self.max_bw() {
            self.max_bandwidth[1] = self.max_bandwidth[1].max(rate.rate());
        }
        if sample.loss_boundary == Boundary::Start {
            // BBRAdaptLowerBounds: a probe's own losses are its upper bound's business.
            if self.loss_round.any && !self.is_probing() {
                self.bounds.on_lossy_round(self.max_bw(), self.window.cwnd, self.latest);
            }
            self.loss_round.any = false;
        }
    }

    /// BBRAdvanceLatestDeliverySignals.
    pub(super) fn advance_latest(&mut self, sample: &Sample<'_>) {
        if let (Boundary::Start, Some(rate)) = (sample.loss_boundary, sample.rate) {
            self.latest = Latest { bandwidth: rate.rate(), inflight: rate.delivered };
        }
    }

    /// BBRResetCongestionSignals.
    pub(super) const fn reset_congestion_signals(&mut self) {
        self.loss_round.any = false;
        self.latest = Latest::NOTHING;
    }

    pub(super) fn update_aggregation(&mut self, sample: &Sample<'_>) {
        if sample.rate.is_some() && sample.ack.acked > Bytes::ZERO {
            let half_rounds = if self.full.was_reached() { HALF_ROUNDS } else { 1 };
            let limits = AggregationLimits { window: self.window, half_rounds };
            self.aggregation.on_ack(sample.ack, sample.boundary, self.bw(), limits);
        }
    }
}
