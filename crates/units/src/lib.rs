//! Physical quantities as types: [`Time`], [`Duration`], [`Bytes`], [`Rate`], [`Decibel`];
//! settings that are on or off ([`Switch`]), and what is wrong with a specification of them ([`SpecError`]).
//!
//! Every quantity is exact (integers, except decibels) and prints in the notation that scenario
//! files use, so `parse(x.to_string()) == x` for each of them.

mod bytes;
mod decibel;
mod parse;
mod rate;
mod spec_error;
mod switch;
mod time;

pub use bytes::Bytes;
pub use decibel::Decibel;
pub use parse::{ParseError, parse_fraction};
pub use rate::Rate;
pub use spec_error::SpecError;
pub use switch::Switch;
pub use time::{Duration, Time, earlier};
