//! What is wrong with a spec: where, what may stand there, and what does.

use std::error::Error;
use std::fmt;

/// A spec of which no link can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// Where in the spec, such as `forward.capacity.symbols_per_s`.
    pub field: String,
    /// What may stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl SpecError {
    pub(crate) fn new(
        field: impl Into<String>,
        expected: impl Into<String>,
        found: impl fmt::Display,
    ) -> Self {
        Self { field: field.into(), expected: expected.into(), found: found.to_string() }
    }

    /// The same of a spec that is part of another.
    pub(crate) fn within(mut self, outer: &str) -> Self {
        self.field = format!("{outer}.{}", self.field);
        self
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, expected, found } = self;
        write!(f, "{field}: expected {expected}, found {found}")
    }
}

impl Error for SpecError {}

/// Refuses a field where something does not hold.
pub(crate) fn require(
    holds: bool,
    field: &str,
    expected: &str,
    found: impl fmt::Display,
) -> Result<(), SpecError> {
    if holds { Ok(()) } else { Err(SpecError::new(field, expected, found)) }
}
