//! Whether more sending brings more delivery (draft section 5.3.1.2, BBRCheckFullBWReached).

use bentpipe_units::Rate;

use crate::round::Boundary;

/// Growth that counts ...
const GROWTH: f64 = 1.25;
/// ... within so many rounds.
const ROUNDS: u32 = 3;

#[derive(Clone, Copy, Debug)]
pub(super) struct FullBandwidth {
    baseline: Rate,
    flat_rounds: u32,
    /// A plateau in the present probe.
    now: Plateau,
    /// A plateau at any time: start-up is over.
    ever: Plateau,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plateau {
    Reached,
    Ahead,
}

impl FullBandwidth {
    pub const fn new() -> Self {
        Self { baseline: Rate::ZERO, flat_rounds: 0, now: Plateau::Ahead, ever: Plateau::Ahead }
    }

    /// `full_bw_reached`.
    pub fn was_reached(&self) -> bool {
        self.ever == Plateau::Reached
    }

    /// `full_bw_now`.
    pub fn is_reached(&self) -> bool {
        self.now == Plateau::Reached
    }

    /// BBRResetFullBW, with the rate from which growth is counted.
    pub const fn restart(&mut self, baseline: Rate) {
        self.baseline = baseline;
        self.flat_rounds = 0;
        self.now = Plateau::Ahead;
    }

    /// Start-up ends for another reason.
    pub const fn declare_reached(&mut self) {
        self.ever = Plateau::Reached;
    }

    /// A sample that the application did not limit.
    pub fn on_sample(&mut self, rate: Rate, boundary: Boundary) {
        if self.is_reached() {
            return;
        }
        if rate >= self.baseline.mul_f64(GROWTH) {
            self.restart(rate);
        } else if boundary == Boundary::Start {
            self.flat_rounds += 1;
            if self.flat_rounds >= ROUNDS {
                self.now = Plateau::Reached;
                self.ever = Plateau::Reached;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the rate has levelled off after rounds with these samples, in Mbit/s.
    fn is_level_after(rounds: &[u64]) -> bool {
        let mut full = FullBandwidth::new();
        for mbit in rounds {
            full.on_sample(Rate::from_bps(mbit * 1_000_000), Boundary::Start);
        }
        full.is_reached()
    }

    #[test]
    fn a_quarter_more_is_growth_and_less_is_none() {
        // Section 5.3.1.2: 25 %.
        assert!(!is_level_after(&[64, 80, 80, 80]));
        assert!(is_level_after(&[64, 79, 79, 79]));
    }

    #[test]
    fn it_takes_three_rounds_without_growth() {
        assert!(!is_level_after(&[100, 100, 100]));
        assert!(is_level_after(&[100, 100, 100, 100]));
    }
}
