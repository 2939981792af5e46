//! Whether start-up has filled the pipe.

use bentpipe_units::Rate;

use crate::Demand;
use crate::rate::RateSample;
use crate::round::Boundary;

/// The estimate must grow by this factor ...
const GROWTH: f64 = 1.25;
/// ... at least once in so many rounds, or the pipe is full.
const ROUNDS: u32 = 3;

#[derive(Clone, Copy, Debug)]
pub(super) struct FullPipe {
    baseline: Rate,
    flat_rounds: u32,
}

impl FullPipe {
    pub const fn new() -> Self {
        Self { baseline: Rate::ZERO, flat_rounds: 0 }
    }

    pub const fn is_reached(&self) -> bool {
        self.flat_rounds >= ROUNDS
    }

    pub fn on_ack(&mut self, rate: Option<RateSample>, boundary: Boundary, bandwidth: Rate) {
        let limited = rate.is_some_and(|rate| rate.demand == Demand::AppLimited);
        if self.is_reached() || boundary == Boundary::Inside || limited {
            return;
        }
        if bandwidth >= self.baseline.mul_f64(GROWTH) {
            self.baseline = bandwidth;
            self.flat_rounds = 0;
        } else {
            self.flat_rounds += 1;
        }
    }

    /// Start-up ends for another reason.
    pub const fn fill(&mut self) {
        self.flat_rounds = ROUNDS;
    }

    /// After a timeout any rate counts as growth, but a full pipe stays full.
    pub fn on_timeout(&mut self) {
        self.baseline = Rate::ZERO;
    }

    /// After a spurious loss start-up counts its flat rounds anew.
    pub fn on_undo(&mut self) {
        if !self.is_reached() {
            *self = Self::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the pipe is full after rounds with these estimates, in Mbit/s.
    fn is_full_after(rounds: &[u64]) -> bool {
        let mut pipe = FullPipe::new();
        for mbit in rounds {
            pipe.on_ack(None, Boundary::Start, Rate::from_bps(mbit * 1_000_000));
        }
        pipe.is_reached()
    }

    #[test]
    fn a_quarter_more_is_growth_and_less_is_none() {
        // bbr_full_bw_thresh: BBR_UNIT * 5 / 4.
        assert!(!is_full_after(&[64, 80, 80, 80]));
        assert!(is_full_after(&[64, 79, 79, 79]));
    }

    #[test]
    fn three_rounds_without_growth_fill_it() {
        // bbr_full_bw_cnt: 3.
        assert!(!is_full_after(&[100, 100, 100]));
        assert!(is_full_after(&[100, 100, 100, 100]));
    }
}
