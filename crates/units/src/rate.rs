//! Data rates, and how long bytes take at one.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parse::{ParseError, Quantity, parse_scaled, print_scaled};
use crate::{Bytes, Duration};

/// A data rate in bits per second.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Rate(u64);

const NANOS_PER_SEC: u64 = 1_000_000_000;

impl Rate {
    /// Nothing passes.
    pub const ZERO: Self = Self(0);
    /// Faster than any link.
    pub const MAX: Self = Self(u64::MAX);

    /// `bps` bits per second.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// Bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Bytes per second.
    pub fn as_bytes_per_sec(self) -> f64 {
        self.0 as f64 / 8.0
    }

    /// The rate at which `size` passes in `span`, rounded down; [`Rate::MAX`] for an empty span.
    pub fn of(size: Bytes, span: Duration) -> Self {
        match span.as_nanos() {
            0 => Self::MAX,
            ns => Self(match size.bits().checked_mul(NANOS_PER_SEC) {
                // Almost always: the wide division takes several times as long.
                Some(scaled) => scaled / ns,
                None => clamped(wide(size) / u128::from(ns)),
            }),
        }
    }

    /// How long `size` takes at this rate, rounded up to a whole nanosecond; `Duration::MAX` at rate zero.
    ///
    /// Sums of rounded spans drift: time a train of packets by its running total, not packet by packet.
    pub fn time_for(self, size: Bytes) -> Duration {
        match self.0 {
            0 => Duration::MAX,
            bps => Duration::from_nanos(match size.bits().checked_mul(NANOS_PER_SEC) {
                Some(scaled) => scaled.div_ceil(bps),
                None => clamped(wide(size).div_ceil(u128::from(bps))),
            }),
        }
    }

    /// What passes in `span` at this rate, in whole bytes, rounded down.
    pub fn volume_in(self, span: Duration) -> Bytes {
        let bits = match self.0.checked_mul(span.as_nanos()) {
            Some(scaled) => u128::from(scaled / NANOS_PER_SEC),
            None => u128::from(self.0) * u128::from(span.as_nanos()) / u128::from(NANOS_PER_SEC),
        };
        Bytes::new(clamped(bits / 8))
    }

    /// The rate scaled by a non-negative factor, rounded to the nearest bit per second.
    pub fn mul_f64(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor).round() as u64)
    }
}

/// Bits times the nanoseconds of a second.
fn wide(size: Bytes) -> u128 {
    u128::from(size.bits()) * u128::from(NANOS_PER_SEC)
}

fn clamped(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

const RATE: Quantity = Quantity {
    name: "rate",
    example: "10 Mbit/s",
    printed: &[("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000)],
    read: &[],
};

impl FromStr for Rate {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse_scaled(text, &RATE).map(Self)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_scaled(f, self.0, &RATE)
    }
}
