//! Power ratios in decibels and as numbers.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parse::{ParseError, split_number};

/// A power ratio in decibels.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Decibel(f64);

impl Decibel {
    /// `db` decibels.
    pub const fn new(db: f64) -> Self {
        Self(db)
    }

    /// The number of decibels.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The power ratio, 10^(dB/10).
    pub fn linear(self) -> f64 {
        libm::pow(10.0, self.0 / 10.0)
    }

    /// The decibels of a positive power ratio.
    pub fn from_linear(ratio: f64) -> Self {
        Self(10.0 * libm::log10(ratio))
    }
}

impl FromStr for Decibel {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let error = || ParseError::new("level", "20 dB", text);
        let (negative, magnitude) = match text.trim().strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.trim()),
        };
        let (number, unit) = split_number(magnitude);
        let value: f64 = number.parse().map_err(|_| error())?;
        if unit != "dB" || !value.is_finite() {
            return Err(error());
        }
        Ok(Self(if negative { -value } else { value }))
    }
}

impl fmt::Display for Decibel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} dB", self.0)
    }
}
