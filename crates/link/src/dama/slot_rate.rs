use std::cmp::Ordering;

use bentpipe_units::{Bytes, Rate};

use crate::rcs2::Layout;

/// Timeslots per superframe, as a fraction, so that a rate in bit/s loses nothing.
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
        Self { numerator, denominator }
    }

    /// R Tsf / (8 B): the slots that carry a rate of burst payload, of B bytes in each slot.
    pub fn of(rate: Rate, layout: &Layout, payload: Bytes) -> Self {
        let bits_of_superframe = u128::from(rate.as_bps()) * u128::from(layout.symbols());
        Self::fraction(bits_of_superframe, u128::from(payload.bits()) * u128::from(layout.symbol_rate))
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

    const fn reduced(self) -> Self {
        let (mut a, mut b) = (self.numerator, self.denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Self { numerator: self.numerator / a, denominator: self.denominator / a }
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
