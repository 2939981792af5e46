//! Physical quantities as types: [`Time`], [`Duration`], [`Bytes`], [`Rate`], [`Decibel`].
//!
//! Every quantity is exact (integers, except decibels) and prints in the notation that scenario
//! files use, so `parse(x.to_string()) == x` for each of them.

mod bytes;
mod decibel;
mod parse;
mod rate;
mod time;

pub use bytes::Bytes;
pub use decibel::Decibel;
pub use parse::{ParseError, parse_fraction};
pub use rate::Rate;
pub use time::{Duration, Time};
