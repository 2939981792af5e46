//! Growth by whole segments, as Linux counts it (`tcp_cong_avoid_ai`).

use bentpipe_units::{Duration, Time};

/// While the window stays as it is, its growth is computed this often at most (`bictcp_update`: HZ / 32).
const STANDS_FOR: Duration = Duration::from_micros(31_250);
/// The window grows by at most one segment for two acknowledged (`bictcp_update`).
const LEAST_PRICE: u64 = 2;
/// A quotient this little below a whole number is that number, which sums of fractions have missed.
const ROUNDING: f64 = 1e-6;

/// Segments acknowledged that have not made the window grow yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CwndCnt {
    /// `snd_cwnd_cnt`.
    segments: u64,
    price: Option<Price>,
}

/// What one more segment of window costs.
#[derive(Clone, Copy, Debug)]
struct Price {
    /// Segments to be acknowledged (`cnt`).
    segments: u64,
    since: Time,
    /// Of what window, in bytes.
    cwnd: f64,
}

impl CwndCnt {
    /// Whether growth is to be computed anew.
    pub fn is_due(&self, now: Time, cwnd: f64) -> bool {
        self.price.is_none_or(|price| price.cwnd != cwnd || now.since(price.since) > STANDS_FOR)
    }

    /// From now on a window of `cwnd` bytes shall grow by `growth` for each segment acknowledged.
    pub fn set_growth(&mut self, now: Time, cwnd: f64, growth: f64) {
        let segments = ((1.0 / growth + ROUNDING) as u64).max(LEAST_PRICE);
        self.price = Some(Price { segments, since: now, cwnd });
    }

    /// Segments by which the window grows for `acked` of them.
    pub fn spend(&mut self, acked: u64) -> u64 {
        let Some(price) = self.price else { return 0 };
        let mut bought = 0;
        // What gathered at a higher price is worth one segment.
        if self.segments >= price.segments {
            self.segments = 0;
            bought = 1;
        }
        self.segments += acked;
        bought += self.segments / price.segments;
        self.segments %= price.segments;
        bought
    }

    /// An episode of congestion: what was acknowledged before counts no more (`tcp_init_cwnd_reduction`).
    pub fn clear(&mut self) {
        self.segments = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_segment_is_bought_when_its_price_is_acknowledged() {
        let mut count = CwndCnt::default();
        count.set_growth(Time::ZERO, 1e4, 0.1);
        assert_eq!(count.spend(9), 0);
        assert_eq!(count.spend(1), 1);
        assert_eq!(count.spend(25), 2);
        assert_eq!(count.spend(5), 1);
    }

    #[test]
    fn what_gathered_at_a_higher_price_buys_one_segment_at_a_lower_one() {
        let mut count = CwndCnt::default();
        count.set_growth(Time::ZERO, 1e4, 0.001);
        assert_eq!(count.spend(100), 0);
        count.set_growth(at_ms(40), 1e4, 0.1);
        assert_eq!(count.spend(1), 1);
        assert_eq!(count.spend(8), 0);
        assert_eq!(count.spend(1), 1);
    }

    #[test]
    fn growth_stands_for_a_32nd_of_a_second_or_until_the_window_changes() {
        let mut count = CwndCnt::default();
        assert!(count.is_due(Time::ZERO, 1e4));
        count.set_growth(Time::ZERO, 1e4, 0.1);
        assert!(!count.is_due(at_ms(31), 1e4));
        assert!(count.is_due(at_ms(32), 1e4));
        assert!(count.is_due(at_ms(1), 1.1e4));
    }

    #[test]
    fn a_segment_costs_two_at_least() {
        // bictcp_update: ca->cnt = max(ca->cnt, 2U).
        let mut count = CwndCnt::default();
        count.set_growth(Time::ZERO, 1e4, 1.0);
        assert_eq!((count.spend(1), count.spend(1), count.spend(4)), (0, 1, 2));
    }
}
