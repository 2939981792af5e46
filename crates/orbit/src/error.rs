//! What is wrong with a geometry: where, what may stand there, and what does.

use std::error::Error;
use std::fmt;

/// A spec of which no geometry can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeometryError {
    /// Where in the spec, such as `constellation.shells[0].inclination_deg`.
    pub field: String,
    /// What may stand there; of element sets also the line, counted from 1.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl GeometryError {
    pub(crate) fn new(
        field: impl Into<String>,
        expected: impl Into<String>,
        found: impl fmt::Display,
    ) -> Self {
        Self { field: field.into(), expected: expected.into(), found: found.to_string() }
    }

    /// The same of a part of a spec.
    pub(crate) fn within(mut self, outer: &str) -> Self {
        self.field = format!("{outer}.{}", self.field);
        self
    }
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, expected, found } = self;
        write!(f, "{field}: expected {expected}, found {found}")
    }
}

impl Error for GeometryError {}
