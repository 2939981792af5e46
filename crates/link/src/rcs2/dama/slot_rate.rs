//! Rates in timeslots per superframe as exact fractions, which is what requests and grants add up in.

use std::cmp::Ordering;

use bentpipe_units::Rate;

use crate::rcs2::{Goodput, LayoutSpec};

/// Traffic slots per superframe, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SlotRateSpec {
    /// So many slots ...
    pub slots: u64,
    /// ... in so many superframes; at least one.
    pub superframes: u64,
}

/// Timeslots per superframe, as a fraction, so that a rate in bit/s loses nothing.
///
/// Exact as long as the denominator in lowest terms is at most 2^40; beyond that, to one part in 2^40.
#[derive(Clone, Copy, Debug)]
pub struct SlotRate {
    numerator: u128,
    denominator: u128,
}

impl SlotRate {
    /// Nothing.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// So many slots in each superframe.
    pub const fn slots(slots: u32) -> Self {
        Self { numerator: slots as u128, denominator: 1 }
    }

    /// `numerator / denominator` slots in each superframe.
    ///
    /// # Panics
    /// When the denominator is zero.
    pub const fn fraction(numerator: u128, denominator: u128) -> Self {
        assert!(denominator > 0, "a rate is finite");
        Self { numerator, denominator }.reduced()
    }

    /// R = 8 B r / Tsf: the rate of B bytes in each slot, rounded down.
    pub fn bit_rate(self, layout: &LayoutSpec, goodput: Goodput) -> Rate {
        let bits = u128::from(goodput.bytes) * 8 * u128::from(layout.symbols_per_s);
        let symbols = u128::from(goodput.bursts) * u128::from(layout.symbols());
        // The quotient by parts, since the product with all bits of a cycle need not fit.
        let scaled = self.numerator * (bits / symbols) + self.numerator * (bits % symbols) / symbols;
        Rate::from_bps(u64::try_from(scaled / self.denominator).unwrap_or(u64::MAX))
    }

    /// Whole slots in a span of superframes.
    pub const fn slots_in(self, superframes: u64) -> u64 {
        (self.numerator * superframes as u128 / self.denominator) as u64
    }

    /// Whether there is nothing.
    pub const fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// The difference, or zero where that would be negative.
    pub const fn saturating_sub(self, other: Self) -> Self {
        let numerator =
            (self.numerator * other.denominator).saturating_sub(other.numerator * self.denominator);
        Self { numerator, denominator: self.denominator * other.denominator }.reduced()
    }

    /// The sum.
    pub const fn plus(self, other: Self) -> Self {
        let numerator = self.numerator * other.denominator + other.numerator * self.denominator;
        Self { numerator, denominator: self.denominator * other.denominator }.reduced()
    }

    /// Slots per superframe, for display.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// In lowest terms, and with room for the product of two.
    const fn reduced(self) -> Self {
        let (mut a, mut b) = (self.numerator, self.denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let (mut numerator, mut denominator) = (self.numerator / a, self.denominator / a);
        while denominator > MAX_DENOMINATOR {
            (numerator, denominator) = (numerator / 2, denominator / 2);
        }
        Self { numerator, denominator }
    }
}

impl PartialEq for SlotRate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SlotRate {}

impl PartialOrd for SlotRate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SlotRate {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator))
    }
}

const MAX_DENOMINATOR: u128 = 1 << 40;

/// Parts of one slot in the credits of the allocation.
pub(super) const PARTS: u64 = 1 << 32;

/// Turns a rate into whole parts for each superframe, with the remainder carried, so that their sum over n
/// superframes is floor(n rate) exactly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    whole: u64,
    fraction: u128,
    denominator: u128,
    carried: u128,
}

impl Pace {
    pub(super) fn new(rate: SlotRate) -> Self {
        let SlotRate { numerator, denominator } = rate.reduced();
        let slots = u64::try_from(numerator / denominator).unwrap_or(u64::MAX);
        let parts = (numerator % denominator) * u128::from(PARTS);
        Self {
            whole: slots.saturating_mul(PARTS).saturating_add((parts / denominator) as u64),
            fraction: parts % denominator,
            denominator,
            carried: 0,
        }
    }

    pub(super) fn step(&mut self) -> u64 {
        self.carried += self.fraction;
        if self.carried < self.denominator {
            return self.whole;
        }
        self.carried -= self.denominator;
        self.whole + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_rate_of_many_slots_in_fine_fractions_fits_its_arithmetic() {
        // The largest of all: nearly a million slots by parts of 2^40, in a superframe of 60 s at 10 Gsymbol/s, with the
        // cycle of packets of 32 kB in bursts of a thousand TS packets.
        let layout = LayoutSpec {
            symbols_per_s: 10_000_000_000,
            carriers: 1,
            frames: 1,
            request_slots: 0,
            traffic_slots: 1_000_000,
            request_symbols: 0,
            burst_symbols: 600_000,
            guard_symbols: 0,
            idle_symbols: 0,
        };
        let rate = SlotRate::fraction(1_000_000 * MAX_DENOMINATOR - 1, MAX_DENOMINATOR);
        let goodput = Goodput { bytes: 183_000 * 32_768, bursts: 32_768 };
        // A million slots of 183 000 bytes in a minute, less a bit or none.
        let exact = 1_000_000 * 183_000 * 8 / 60;
        assert_eq!(rate.bit_rate(&layout, goodput).as_bps(), exact - 1);
        assert_eq!(SlotRate::slots(1_000_000).bit_rate(&layout, goodput).as_bps(), exact);
    }

    #[test]
    fn fractions_are_exact_up_to_denominators_of_2_to_the_40th() {
        // Beyond, numerator and denominator lose their last bit.
        let most = 1 << 40;
        assert!(SlotRate::fraction(3, most) > SlotRate::fraction(2, most));
        assert_eq!(SlotRate::fraction(3, most + 1), SlotRate::fraction(2, most));
    }
}
