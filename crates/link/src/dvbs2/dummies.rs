//! When dummy PLFRAMEs (EN 302 307-1, clause 5.5.1) start that a carrier sends while it has nothing else.

use bentpipe_units::Time;

use super::SymbolRate;
use super::frame::DUMMY_SYMBOLS;
use super::symbols::NANOS_PER_SEC;

/// Dummy PLFRAMEs one after the other from an instant on.
#[derive(Clone, Copy)]
pub(crate) struct DummyTrain {
    rate: SymbolRate,
    from: Time,
}

impl DummyTrain {
    pub(crate) const fn new(rate: SymbolRate, from: Time) -> Self {
        Self { rate, from }
    }

    /// Another one on the same carrier.
    pub(crate) const fn after(self, from: Time) -> Self {
        Self { from, ..self }
    }

    /// When the dummy starts that comes after so many.
    pub(crate) fn start_of(self, index: u64) -> Time {
        self.from.saturating_add(self.rate.time_for(index.saturating_mul(DUMMY_SYMBOLS)))
    }

    /// How many start at `at` or before it.
    pub(crate) fn started_by(self, at: Time) -> u64 {
        if at < self.from {
            return 0;
        }
        let symbol_nanos = u128::from(at.since(self.from).as_nanos()) * u128::from(self.rate.get());
        let whole = symbol_nanos / (u128::from(DUMMY_SYMBOLS) * u128::from(NANOS_PER_SEC));
        u64::try_from(whole).unwrap_or(u64::MAX).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_dummy_has_started_from_its_start_on(
            rate in 1_000..1_000_000_000u64, from: u32, index in 0..1_000_000u64,
        ) {
            let rate = SymbolRate::new(rate).unwrap();
            let train = DummyTrain::new(rate, Time::from_nanos(u64::from(from)));
            let start = train.start_of(index);
            prop_assert_eq!(train.started_by(start), index + 1);
            let before = start.as_nanos().checked_sub(1).map(Time::from_nanos);
            prop_assert_eq!(before.map_or(0, |before| train.started_by(before)), index);
        }
    }
}
