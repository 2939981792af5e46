//! What no link can be made of.

use std::fmt;

pub use bentpipe_units::SpecError;

/// Refuses a field where something does not hold.
pub(crate) fn require(
    holds: bool,
    field: &str,
    expected: &str,
    found: impl fmt::Display,
) -> Result<(), SpecError> {
    if holds { Ok(()) } else { Err(SpecError::new(field, expected, found)) }
}
