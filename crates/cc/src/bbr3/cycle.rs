//! ProbeBW: how the phases follow each other, and what they do to the upper bound.

use bentpipe_units::{Bytes, Rate, Time};

use super::bounds::{BETA, UNBOUNDED, is_too_high, scaled};
use super::probe::{Feedback, Finding, Phase, Samples, Stop};
use super::{Bbr3, Mode, Sample};
use crate::round::Boundary;

impl Bbr3 {
    pub(super) fn start_down(&mut self, now: Time) {
        self.reset_congestion_signals();
        self.probe.start_down(now, &mut self.rng);
        self.rounds.restart(self.delivered);
    }

    pub(super) fn start_cruise(&mut self) {
        if self.bounds.inflight_lo != UNBOUNDED {
            self.bounds.inflight_lo = self.bounds.inflight_lo.min(self.bounds.inflight_hi);
        }
        self.probe.phase = Phase::Cruise;
    }

    fn start_refill(&mut self) {
        self.bounds.reset_short_term();
        self.probe.start_refill();
        self.rounds.restart(self.delivered);
    }

    fn start_up(&mut self, sample: &Sample<'_>) {
        self.probe.start_up(sample.ack.now, self.window.cwnd, self.window.mss);
        self.full.restart(sample.bandwidth());
        self.rounds.restart(self.delivered);
    }

    /// BBRHandleInflightTooHigh.
    pub(super) fn on_inflight_too_high(&mut self, now: Time, in_flight: Bytes, app_limited: bool) {
        self.probe.finding = Finding::TooHigh;
        // React once per probe.
        self.probe.samples = Samples::Other;
        if !app_limited {
            self.bounds.inflight_hi = in_flight.max(scaled(self.target_inflight(), BETA));
        }
        if self.is_in(Phase::Up) {
            self.start_down(now);
        }
    }

    /// BBRAdaptLongTermModel; whether it changed the phase.
    fn adapt_upper_bound(&mut self, sample: &Sample<'_>) -> bool {
        let round = sample.boundary == Boundary::Start;
        if self.probe.feedback == Feedback::Starting && round {
            self.probe.feedback = Feedback::Arriving;
        }
        if self.probe.feedback == Feedback::Stopping && round && self.end_of_probe(sample) {
            return true;
        }
        let Some(flight) = sample.flight else { return false };
        if is_too_high(flight) {
            if self.probe.samples == Samples::OfProbe {
                self.on_inflight_too_high(sample.ack.now, flight.in_flight, sample.is_app_limited());
            }
        } else if self.bounds.inflight_hi != UNBOUNDED {
            // A level without harm is safe in whatever phase it is seen.
            self.bounds.inflight_hi = self.bounds.inflight_hi.max(flight.in_flight);
            if self.is_in(Phase::Up) {
                self.probe_upward(sample);
            }
        }
        false
    }

    /// The last samples of a probe have arrived; whether the next one starts at once.
    fn end_of_probe(&mut self, sample: &Sample<'_>) -> bool {
        self.probe.samples = Samples::Other;
        self.probe.feedback = Feedback::None;
        if self.mode != Mode::ProbeBw {
            return false;
        }
        // BBRAdvanceMaxBwFilter.
        if !sample.is_app_limited() && self.max_bandwidth[1] > Rate::ZERO {
            self.max_bandwidth = [self.max_bandwidth[1], Rate::ZERO];
        }
        let again = self.probe.stop == Stop::Risky && self.probe.finding == Finding::Safe;
        if again {
            self.start_refill();
        }
        again
    }

    fn probe_upward(&mut self, sample: &Sample<'_>) {
        if !self.fills_inflight_hi(sample) {
            return;
        }
        self.bounds.inflight_hi += self.probe.growth(sample.ack.acked, self.window.mss);
        if sample.boundary == Boundary::Start {
            self.probe.raise_slope(self.window.cwnd, self.window.mss);
        }
    }

    fn fills_inflight_hi(&self, sample: &Sample<'_>) -> bool {
        sample.ack.usage.is_cwnd_limited && self.window.cwnd >= self.bounds.inflight_hi
    }

    /// BBRUpdateProbeBWCyclePhase.
    pub(super) fn update_cycle(&mut self, sample: &Sample<'_>) {
        if !self.full.was_reached() || self.adapt_upper_bound(sample) || self.mode != Mode::ProbeBw {
            return;
        }
        match self.probe.phase {
            Phase::Down | Phase::Cruise if self.is_time_to_probe(sample.ack.now) => self.start_refill(),
            Phase::Down if self.is_time_to_cruise(sample.ack.prior_in_flight) => self.start_cruise(),
            Phase::Refill if sample.boundary == Boundary::Start => self.start_up(sample),
            Phase::Up => self.check_up(sample),
            Phase::Down | Phase::Cruise | Phase::Refill => {}
        }
    }

    fn is_time_to_probe(&self, now: Time) -> bool {
        self.probe.is_due(now, self.target_inflight(), self.window.mss)
    }

    fn is_time_to_cruise(&self, in_flight: Bytes) -> bool {
        in_flight <= self.bounds.with_headroom(self.window.mss, self.window.floor())
            && in_flight <= self.inflight(self.max_bw(), 1.0)
    }

    /// BBRIsTimeToGoDown.
    fn check_up(&mut self, sample: &Sample<'_>) {
        let mut done = false;
        if self.probe.finding == Finding::TooHigh && sample.ack.prior_in_flight >= self.bounds.inflight_hi {
            self.probe.stop = Stop::Risky;
            done = true;
        } else if self.fills_inflight_hi(sample) {
            // The bound holds delivery back, so a plateau says nothing.
            self.full.restart(sample.bandwidth());
        } else if self.full.is_reached() {
            done = true;
        }
        if done {
            self.probe.finding = Finding::Safe;
            self.start_down(sample.ack.now);
        }
    }

    /// BBRTargetInflight.
    fn target_inflight(&self) -> Bytes {
        self.inflight(self.bw(), 1.0).min(self.window.cwnd)
    }
}
