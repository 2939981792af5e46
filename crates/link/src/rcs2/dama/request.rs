//! What a terminal asks for, and what it gets of it.

use super::SlotRate;

/// What a terminal asks for one of its classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// RBDC: this rate from now on, instead of the last.
    Rate(SlotRate),
    /// VBDC: so many slots more.
    Volume(u64),
    /// AVBDC: so many slots in all.
    AbsoluteVolume(u64),
}

/// Slots of one superframe for one class, by what they were given for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// Constant rate.
    pub cra: u32,
    /// Requested rate.
    pub rbdc: u32,
    /// Requested volume.
    pub volume: u32,
    /// Free capacity.
    pub free: u32,
}

impl Grant {
    /// All of them.
    pub const fn total(&self) -> u32 {
        self.cra + self.rbdc + self.volume + self.free
    }

    /// The sum of two.
    pub(super) fn plus(self, other: &Self) -> Self {
        Self {
            cra: self.cra + other.cra,
            rbdc: self.rbdc + other.rbdc,
            volume: self.volume + other.volume,
            free: self.free + other.free,
        }
    }
}
