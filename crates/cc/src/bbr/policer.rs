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

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A sender with a policer that has just shown itself by a loss.
    struct Policed {
        policer: Policer,
        at: Time,
        delivered: Bytes,
    }

    impl Policed {
        fn new() -> Self {
            let mut policed =
                Self { policer: Policer::new(Time::ZERO), at: Time::ZERO, delivered: Bytes::ZERO };
            policed.ack(1, Boundary::Inside);
            policed
        }

        fn ack(&mut self, lost: u64, boundary: Boundary) -> Outcome {
            self.policer.count_lost(Bytes::new(lost));
            self.policer.on_ack(PolicerView {
                at: self.at,
                delivered: self.delivered,
                lost: Bytes::new(lost),
                demand: Demand::Backlogged,
                boundary,
                mode: Mode::ProbeBw,
            })
        }

        /// So many rounds; the last one tells of everything that was delivered and lost.
        fn interval(&mut self, rounds: u32, span: Duration, delivered: u64, lost: u64) {
            (1..rounds).for_each(|_| {
                self.ack(0, Boundary::Start);
            });
            self.at += span;
            self.delivered += Bytes::new(delivered);
            self.ack(lost, Boundary::Start);
        }
    }

    /// The rate in bit/s that follows from two intervals of four rounds and a second, half of whose packets were lost.
    fn rate_of(first_bytes: u64, second_bytes: u64) -> Option<u64> {
        let mut policed = Policed::new();
        for bytes in [first_bytes, second_bytes] {
            policed.interval(4, SECOND, bytes, bytes);
        }
        policed.policer.rate().map(Rate::as_bps)
    }

    #[test]
    fn intervals_agree_within_an_eighth() {
        // bbr_lt_bw_ratio: BBR_UNIT / 8; the rate is the mean of both.
        assert_eq!(rate_of(80_000, 90_000), Some(680_000));
        assert_eq!(rate_of(80_000, 90_001), None);
    }

    #[test]
    fn slow_intervals_agree_within_four_kilobits_per_second() {
        // bbr_lt_bw_diff: 4000 / 8 bytes per second.
        assert_eq!(rate_of(1_000, 1_500), Some(10_000));
        assert_eq!(rate_of(1_000, 1_501), None);
    }

    /// Whether two equal intervals show a policer.
    fn is_found(rounds: u32, span: Duration, delivered: u64, lost: u64) -> bool {
        let mut policed = Policed::new();
        (0..2).for_each(|_| policed.interval(rounds, span, delivered, lost));
        policed.policer.rate().is_some()
    }

    #[test]
    fn fifty_lost_for_256_delivered_are_suspicious() {
        // bbr_lt_loss_thresh: 50, in 256ths.
        assert!(is_found(4, SECOND, 256_000, 50_000));
        assert!(!is_found(4, SECOND, 256_000, 49_999));
    }

    #[test]
    fn an_interval_lasts_four_to_sixteen_rounds() {
        // bbr_lt_intvl_min_rtts: 4, and four times as many at most.
        for (rounds, is_taken) in [(3, false), (4, true), (16, true), (17, false)] {
            assert_eq!(is_found(rounds, SECOND, 100_000, 100_000), is_taken, "{rounds} rounds");
        }
    }

    #[test]
    fn an_interval_lasts_a_millisecond() {
        // bbr_lt_bw_sampling: less than 1 ms, check again later.
        assert!(is_found(4, Duration::from_millis(1), 100_000, 100_000));
        assert!(!is_found(4, Duration::from_micros(999), 100_000, 100_000));
    }

    #[test]
    fn the_rate_is_trusted_for_48_rounds() {
        // bbr_lt_bw_max_rtts: 48.
        let mut policed = Policed::new();
        (0..2).for_each(|_| policed.interval(4, SECOND, 100_000, 100_000));
        for _ in 1..48 {
            assert_eq!(policed.ack(0, Boundary::Start), Outcome::Unchanged);
        }
        assert_eq!(policed.policer.rate(), Some(Rate::from_bps(800_000)));
        assert_eq!(policed.ack(0, Boundary::Start), Outcome::Released);
    }
}
