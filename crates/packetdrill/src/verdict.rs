//! How a script ends.

use std::fmt;

/// What a script says of the endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All of it happened as it is written.
    Passed,
    /// The first thing that did not.
    Failed(Difference),
    /// It asks for something that this backend does not have, and says nothing therefore.
    Skipped(Skip),
}

/// The first thing that did not happen as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Line of the event.
    pub line: u32,
    /// What is written.
    pub expected: String,
    /// What was there.
    pub found: String,
    /// Whether it happened as it is written but for its time.
    pub is_timing: bool,
}

/// What a backend does not have, or the interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// Line of the event.
    pub line: u32,
    /// What is not supported.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.line, self.expected, self.found)
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: not supported: {}", self.line, self.what)
    }
}
