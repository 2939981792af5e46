//! Symbol rates, and the instants of a carrier's symbols in integer nanoseconds, without an error that adds up.

use std::num::NonZeroU64;

use bentpipe_units::{Duration, Time};

pub(crate) const NANOS_PER_SEC: u64 = 1_000_000_000;
const SECOND: Duration = Duration::from_secs(1);

/// A symbol rate in symbols per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolRate(NonZeroU64);

impl SymbolRate {
    /// At most 10 Gsymbol/s, so that a second's symbols times its nanoseconds fit 64 bits.
    const MAX: u64 = 10_000_000_000;

    /// None for zero, and above 10 Gsymbol/s.
    pub const fn new(symbols_per_second: u64) -> Option<Self> {
        match NonZeroU64::new(symbols_per_second) {
            Some(rate) if rate.get() <= Self::MAX => Some(Self(rate)),
            _ => None,
        }
    }

    /// Symbols per second.
    pub const fn get(self) -> u64 {
        self.0.get()
    }

    /// How long so many symbols take, rounded up; at most [`Duration::MAX`].
    pub fn time_for(self, symbols: u64) -> Duration {
        Duration::from_nanos(match symbols.checked_mul(NANOS_PER_SEC) {
            // Almost always: the wide division takes several times as long.
            Some(scaled) => scaled.div_ceil(self.get()),
            None => {
                let scaled = u128::from(symbols) * u128::from(NANOS_PER_SEC);
                u64::try_from(scaled.div_ceil(u128::from(self.get()))).unwrap_or(u64::MAX)
            }
        })
    }
}

/// Counts the symbols of a carrier that does not pause: n symbols from t0 on end at t0 + ceil(n / Rs), in nanoseconds.
#[derive(Clone, Copy)]
pub(super) struct SymbolClock {
    rate: SymbolRate,
    /// A whole number of seconds after the carrier started or paused.
    second: Time,
    /// Symbols sent since then: less than a second's.
    symbols: u64,
    /// When the last of them ends: asked for several times between two frames, and a division.
    end: Time,
}

impl SymbolClock {
    pub(super) fn new(rate: SymbolRate, start: Time) -> Self {
        Self { rate, second: start, symbols: 0, end: start }
    }

    pub(super) const fn rate(&self) -> SymbolRate {
        self.rate
    }

    /// The carrier pauses until `at`.
    pub(super) fn pause(&mut self, at: Time) {
        *self = Self::new(self.rate, at);
    }

    /// When the last symbol ends.
    pub(super) const fn end(&self) -> Time {
        self.end
    }

    pub(super) fn send(&mut self, symbols: u64) {
        // A second holds a whole number of symbols: to carry it over rounds nothing.
        let total = self.symbols.saturating_add(symbols);
        if total < self.rate.get() {
            self.symbols = total;
        } else {
            let seconds = total / self.rate.get();
            self.second =
                self.second.saturating_add(Duration::from_nanos(seconds.saturating_mul(SECOND.as_nanos())));
            self.symbols = total % self.rate.get();
        }
        let span = (self.symbols * NANOS_PER_SEC).div_ceil(self.rate.get());
        self.end = self.second.saturating_add(Duration::from_nanos(span));
    }

    /// The fewest more symbols after which the last one ends at `instant` or later.
    pub(super) fn symbols_until(&self, instant: Time) -> u64 {
        if instant <= self.end {
            // On a carrier that has enough to send always: the wide division takes longer than all else of a frame.
            return 0;
        }
        // ceil(n 10^9 / Rs) >= T holds for n > (T - 1) Rs / 10^9.
        let Some(before) = instant.since(self.second).as_nanos().checked_sub(1) else { return 0 };
        let least = u128::from(before) * u128::from(self.rate.get()) / u128::from(NANOS_PER_SEC) + 1;
        u64::try_from(least).unwrap_or(u64::MAX).saturating_sub(self.symbols)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clock(rate: u64, start: u64) -> SymbolClock {
        SymbolClock::new(SymbolRate::new(rate).unwrap(), Time::from_nanos(start))
    }

    #[test]
    fn more_symbols_than_time_counts_never_end() {
        // 2^64 symbols of a second each.
        let rate = SymbolRate::new(1).unwrap();
        assert_eq!(rate.time_for(u64::MAX), Duration::MAX);
        assert_eq!(rate.time_for(18_446_744_074), Duration::MAX, "2^64 ns are 18 446 744 073.7 s");
        assert_eq!(rate.time_for(18_446_744_073), Duration::from_secs(18_446_744_073));
    }

    proptest! {
        #[test]
        fn no_rounding_adds_up(rate in 1..100_000_000u64, frames in prop::collection::vec(0..40_000u64, 0..200)) {
            let mut clock = clock(rate, 7);
            let mut sum = 0u128;
            for symbols in frames {
                clock.send(symbols);
                sum += u128::from(symbols);
                let span = (sum * u128::from(NANOS_PER_SEC)).div_ceil(u128::from(rate));
                prop_assert_eq!(u128::from(clock.end().as_nanos()), 7 + span);
            }
        }

        #[test]
        fn the_next_boundary_is_the_first_that_is_not_too_early(
            rate in 1..100_000_000u64, sent in 0..1_000_000u64, ahead in 0..100_000_000_000u64,
        ) {
            let after = |more: u64| {
                let mut clock = clock(rate, 7);
                clock.send(sent);
                clock.send(more);
                clock.end()
            };
            let instant = Time::from_nanos(ahead);
            let mut clock = clock(rate, 7);
            clock.send(sent);
            let more = clock.symbols_until(instant);
            prop_assert!(after(more) >= instant);
            prop_assert!(more == 0 || after(more - 1) < instant);
        }
    }

    #[test]
    fn a_carrier_without_symbols_and_one_too_fast_are_refused() {
        assert_eq!(SymbolRate::new(0), None);
        assert_eq!(SymbolRate::new(10_000_000_001), None);
        assert!(SymbolRate::new(10_000_000_000).is_some());
    }
}
