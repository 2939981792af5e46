//! What is wrong with a specification: where, what may stand there, and what does.

use std::error::Error;
use std::fmt;

/// A specification of which nothing can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// Where in the specification, such as `forward.capacity.symbols_per_s` or `shells[0].inclination_deg`.
    pub field: String,
    /// What may stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl SpecError {
    /// Of a field by its name.
    pub fn new(field: impl Into<String>, expected: impl Into<String>, found: impl fmt::Display) -> Self {
        Self { field: field.into(), expected: expected.into(), found: found.to_string() }
    }

    /// The same of a specification that is part of another.
    pub fn within(mut self, outer: &str) -> Self {
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
