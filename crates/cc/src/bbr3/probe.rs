//! The cycle of ProbeBW: down, cruise, refill, up.

use bentpipe_units::{Bytes, Duration, Time};
use rand_core::Rng;
use rand_pcg::Pcg32;

/// Time between probes: this and up to a second more, drawn for each (draft section 5.3.3.8, BBRPickProbeWait).
const LEAST_WAIT: Duration = Duration::from_secs(2);
const MORE_WAIT_NS: u64 = 1_000_000_000;
/// Rounds between probes at most, less up to one drawn for each.
const MAX_ROUNDS: u64 = 63;
/// Rounds of growth up to which the slope doubles.
const MAX_UP_ROUNDS: u32 = 30;

/// Where the cycle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Leave room in the queue.
    Down,
    /// Keep to the model.
    Cruise,
    /// Fill the pipe, so that the probe starts from a full one.
    Refill,
    /// Put more and more in flight, to see what the path takes.
    Up,
}

/// How the acknowledgements that arrive relate to the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feedback {
    None,
    Refilling,
    Starting,
    Arriving,
    Stopping,
}

/// What the last probe found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// Nothing against it.
    Safe,
    /// Too many losses.
    TooHigh,
}

/// How the last probe ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Plain,
    /// At the level that had been too high before: whether it still is will show.
    Risky,
}

/// Whether samples that arrive are of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Samples {
    OfProbe,
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub phase: Phase,
    pub feedback: Feedback,
    pub finding: Finding,
    pub stop: Stop,
    pub samples: Samples,
    pub rounds_since: u64,
    since: Time,
    wait: Duration,
    up_rounds: u32,
    up_acked: u64,
    /// Bytes acknowledged for each segment by which `inflight_hi` grows.
    up_cost: u64,
}

impl Probe {
    pub const fn new(now: Time) -> Self {
        Self {
            phase: Phase::Down,
            feedback: Feedback::None,
            finding: Finding::Safe,
            stop: Stop::Plain,
            samples: Samples::Other,
            rounds_since: 0,
            since: now,
            wait: Duration::ZERO,
            up_rounds: 0,
            up_acked: 0,
            up_cost: u64::MAX,
        }
    }

    /// BBRStartProbeBW_DOWN.
    pub fn start_down(&mut self, now: Time, rng: &mut Pcg32) {
        self.phase = Phase::Down;
        self.feedback = Feedback::Stopping;
        self.up_cost = u64::MAX;
        self.since = now;
        self.rounds_since = u64::from(rng.next_u32() & 1);
        let more = (u64::from(rng.next_u32()) * MORE_WAIT_NS) >> 32;
        self.wait = LEAST_WAIT + Duration::from_nanos(more);
    }

    /// BBRStartProbeBW_REFILL.
    pub const fn start_refill(&mut self) {
        self.phase = Phase::Refill;
        self.feedback = Feedback::Refilling;
        self.stop = Stop::Plain;
        self.up_rounds = 0;
        self.up_acked = 0;
    }

    /// BBRStartProbeBW_UP.
    pub fn start_up(&mut self, now: Time, cwnd: Bytes, mss: Bytes) {
        self.phase = Phase::Up;
        self.feedback = Feedback::Starting;
        self.samples = Samples::OfProbe;
        self.since = now;
        self.raise_slope(cwnd, mss);
    }

    /// Whether the next probe is due: by the clock, or when a Reno flow of this size would have probed
    /// (BBRHasElapsedInPhase, BBRIsRenoCoexistenceProbeTime).
    pub fn is_due(&self, now: Time, target_inflight: Bytes, mss: Bytes) -> bool {
        let rounds = (target_inflight.get() / mss.get()).min(MAX_ROUNDS);
        now > self.since.saturating_add(self.wait) || self.rounds_since >= rounds
    }

    /// BBRRaiseInflightHiSlope: each round twice as many segments as in the one before.
    pub fn raise_slope(&mut self, cwnd: Bytes, mss: Bytes) {
        let segments = 1_u64 << self.up_rounds;
        self.up_rounds = (self.up_rounds + 1).min(MAX_UP_ROUNDS);
        self.up_cost = (cwnd.get() / segments).max(mss.get());
    }

    /// BBRProbeInflightHiUpward: what `inflight_hi` grows by.
    pub fn growth(&mut self, acked: Bytes, mss: Bytes) -> Bytes {
        self.up_acked += acked.get();
        let segments = self.up_acked / self.up_cost;
        self.up_acked -= segments * self.up_cost;
        Bytes::new(segments * mss.get())
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;
    use crate::testing::{at_ms, packets};

    fn down(seed: u64) -> Probe {
        let mut probe = Probe::new(Time::ZERO);
        probe.start_down(Time::ZERO, &mut Pcg32::seed_from_u64(seed));
        probe
    }

    #[test]
    fn the_next_probe_comes_after_two_to_three_seconds() {
        // BBRPickProbeWait: 2 s and a random part of one.
        let due = |ms| {
            let is_due = |seed: &u64| down(*seed).is_due(at_ms(ms), packets(1_000), packets(1));
            (0..1_000).filter(is_due).count()
        };
        assert_eq!((due(2_000), due(3_000)), (0, 1_000));
        // Half of them by the half of it; the standard deviation is 16.
        assert!((430..570).contains(&due(2_500)), "{}", due(2_500));
    }

    #[test]
    fn it_comes_after_as_many_rounds_as_reno_would_need_at_most_63() {
        // BBRIsRenoCoexistenceProbeTime.
        let mut probe = down(1);
        for (target, rounds) in [(10, 10), (62, 62), (1_000, 63)] {
            probe.rounds_since = rounds - 1;
            assert!(!probe.is_due(at_ms(1), packets(target), packets(1)), "{target} packets");
            probe.rounds_since = rounds;
            assert!(probe.is_due(at_ms(1), packets(target), packets(1)), "{target} packets");
        }
    }

    #[test]
    fn the_slope_doubles_each_round_thirty_times_at_most() {
        // BBRRaiseInflightLongtermSlope: bw_probe_up_rounds = min(bw_probe_up_rounds + 1, 30).
        let mut probe = down(1);
        let huge = packets(1 << 40);
        probe.start_up(Time::ZERO, huge, packets(1));
        for round in 0..40 {
            assert_eq!(probe.up_cost, packets(1 << (40 - round.min(30))).get(), "round {round}");
            probe.raise_slope(huge, packets(1));
        }
    }

    #[test]
    fn the_upper_bound_grows_a_segment_for_each_window_acknowledged_and_keeps_the_rest() {
        // BBRProbeInflightLongtermUpward: delta = bw_probe_up_acks / probe_up_cnt, and
        // bw_probe_up_acks -= delta * probe_up_cnt; in the first round probe_up_cnt is the window.
        let mut probe = down(1);
        probe.start_up(Time::ZERO, packets(8), packets(1));
        let grown = [8, 4, 3, 1, 20, 4].map(|acked| probe.growth(packets(acked), packets(1)));
        assert_eq!(grown, [1, 0, 0, 1, 2, 1].map(packets));
    }
}
