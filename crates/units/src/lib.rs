//! Physical quantities as types: [`Time`], [`Duration`], [`Bytes`], [`Rate`], [`Decibel`];
//! and settings that are on or off ([`Switch`]).
//!
//! Every quantity is exact (integers, except decibels) and prints in the notation that scenario
//! files use, so `parse(x.to_string()) == x` for each of them.

mod bytes;
mod decibel;
mod parse;
mod rate;
mod switch;
mod time;

pub use bytes::Bytes;
pub use decibel::Decibel;
pub use parse::{ParseError, parse_fraction};
pub use rate::Rate;
pub use switch::Switch;
pub use time::{Duration, Time, earlier};
