//! What is wrong with a file: where, what may stand there, and what does.

use std::fmt;

/// A file of which no recording can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingError {
    /// Which of the files.
    pub file: RecordingFile,
    /// Its line, from one; none where it is not about one.
    pub line: Option<usize>,
    /// What may stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// A file of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingFile {
    /// The recording itself.
    Content,
    /// The delays beside it.
    Delays,
}

impl RecordingFile {
    /// The name of the argument that it is given by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Delays => "delays",
        }
    }
}

impl RecordingError {
    /// About the recording as a whole.
    pub(crate) fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { file: RecordingFile::Content, line: None, expected: expected.into(), found: found.into() }
    }

    /// About a line.
    pub(crate) fn at(line: usize, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::new(expected, found) }
    }

    /// The same of the file of delays.
    pub(crate) fn of_delays(self) -> Self {
        Self { file: RecordingFile::Delays, ..self }
    }
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, expected, found } = self;
        if *file == RecordingFile::Delays {
            write!(f, "delays: ")?;
        }
        if let Some(line) = line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "expected {expected}, found {found}")
    }
}

impl std::error::Error for RecordingError {}

/// What stands in a file as an error shows it: on one line, and not all of a long one.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    let shown: String = text.chars().take(SHOWN).collect();
    let rest = if shown.len() < text.len() { "..." } else { "" };
    format!("\"{}\"{rest}", shown.escape_debug())
}
