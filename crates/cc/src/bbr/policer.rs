//! Long-term sampling: a token-bucket policer is recognised by steady delivery under heavy loss, and its rate is
//! then used instead of the maximum.

use bentpipe_units::{Bytes, Duration, Rate, Time};

use super::Mode;
use crate::Demand;
use crate::round::Boundary;

/// A sampling interval lasts at least this many rounds, at most four times as many.
const MIN_ROUNDS: u32 = 4;
const MAX_ROUNDS: u32 = 4 * MIN_ROUNDS;
/// Lost bytes per delivered byte that make an interval suspicious: 50/256.
const LOSS_THRESHOLD: f64 = 50.0 / 256.0;
/// Two intervals agree within an eighth, or within 4 kbit/s.
const AGREE_RATIO: f64 = 1.0 / 8.0;
const AGREE_RATE: Rate = Rate::from_bps(4_000);
/// Rounds of ProbeBW for which the policer's rate is trusted.
const TRUSTED_ROUNDS: u32 = 48;
/// Intervals shorter than the clock's tick of the original tell nothing.
const MIN_INTERVAL: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug)]
pub(super) struct Policer {
    stage: Stage,
    interval: Interval,
    lost: Bytes,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Waiting for a loss: before it the bucket's burst would be taken for its rate.
    Idle,
    Sampling {
        previous: Option<Rate>,
    },
    Limiting {
        rate: Rate,
    },
}

#[derive(Clone, Copy, Debug)]
struct Interval {
    start: Time,
    delivered: Bytes,
    lost: Bytes,
    rounds: u32,
}

/// What the detector looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolicerView {
    /// Last delivery.
    pub at: Time,
    pub delivered: Bytes,
    /// Newly lost.
    pub lost: Bytes,
    pub demand: Demand,
    pub boundary: Boundary,
    pub mode: Mode,
}

/// What follows for the gain cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Unchanged,
    /// The policer's rate has been used long enough: probe again.
    Released,
}

impl Policer {
    pub const fn new(now: Time) -> Self {
        let interval = Interval { start: now, delivered: Bytes::ZERO, lost: Bytes::ZERO, rounds: 0 };
        Self { stage: Stage::Idle, interval, lost: Bytes::ZERO }
    }

    /// The policer's rate while it is in use.
    pub const fn rate(&self) -> Option<Rate> {
        match self.stage {
            Stage::Limiting { rate } => Some(rate),
            _ => None,
        }
    }

    pub fn count_lost(&mut self, lost: Bytes) {
        self.lost += lost;
    }

    pub fn reset(&mut self, at: Time, delivered: Bytes) {
        self.stage = Stage::Idle;
        self.restart_interval(at, delivered);
    }

    pub fn on_ack(&mut self, view: PolicerView) -> Outcome {
        match self.stage {
            Stage::Limiting { .. } => return self.limit(view),
            Stage::Idle if view.lost == Bytes::ZERO => return Outcome::Unchanged,
            Stage::Idle => {
                self.restart_interval(view.at, view.delivered);
                self.stage = Stage::Sampling { previous: None };
            }
            Stage::Sampling { .. } => {}
        }
        self.sample(view);
        Outcome::Unchanged
    }

    fn limit(&mut self, view: PolicerView) -> Outcome {
        if view.mode == Mode::ProbeBw && view.boundary == Boundary::Start {
            self.interval.rounds += 1;
            if self.interval.rounds >= TRUSTED_ROUNDS {
                self.reset(view.at, view.delivered);
                return Outcome::Released;
            }
        }
        Outcome::Unchanged
    }

    fn sample(&mut self, view: PolicerView) {
        if view.demand == Demand::AppLimited {
            return self.reset(view.at, view.delivered);
        }
        if view.boundary == Boundary::Start {
            self.interval.rounds += 1;
        }
        if self.interval.rounds < MIN_ROUNDS {
            return;
        }
        if self.interval.rounds > MAX_ROUNDS {
            return self.reset(view.at, view.delivered);
        }
        // An interval ends with a loss, when the bucket is empty again.
        if view.lost == Bytes::ZERO {
            return;
        }
        let lost = self.lost - self.interval.lost;
        let delivered = view.delivered - self.interval.delivered;
        let span = view.at.since(self.interval.start);
        let suspicious = lost.get() as f64 >= LOSS_THRESHOLD * delivered.get() as f64;
        if delivered > Bytes::ZERO && suspicious && span >= MIN_INTERVAL {
            self.finish_interval(Rate::of(delivered, span), view);
        }
    }

    fn finish_interval(&mut self, rate: Rate, view: PolicerView) {
        if let Stage::Sampling { previous: Some(previous) } = self.stage {
            let (rate, previous) = (rate.as_bps(), previous.as_bps());
            let difference = rate.abs_diff(previous);
            if difference as f64 <= AGREE_RATIO * previous as f64 || difference <= AGREE_RATE.as_bps() {
                self.stage = Stage::Limiting { rate: Rate::from_bps(rate.midpoint(previous)) };
                self.interval.rounds = 0;
                return;
            }
        }
        self.stage = Stage::Sampling { previous: Some(rate) };
        self.restart_interval(view.at, view.delivered);
    }

    fn restart_interval(&mut self, at: Time, delivered: Bytes) {
        self.interval = Interval { start: at, delivered, lost: self.lost, rounds: 0 };
    }
}
