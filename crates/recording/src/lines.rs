//! The lines of a text file, as they may come from anybody.

use crate::RecordingError;
use crate::error::quoted;

/// A line that is not empty, without white space around it.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// From one.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
}

/// No line of these formats comes near it.
const LONGEST_LINE: usize = 1_000;

impl<'a> Line<'a> {
    /// The error that something else than this line was expected.
    pub(crate) fn refused(&self, expected: impl Into<String>) -> RecordingError {
        self.refused_part(expected, self.text)
    }

    /// The error that something else than a part of this line was expected.
    pub(crate) fn refused_part(&self, expected: impl Into<String>, part: &str) -> RecordingError {
        RecordingError::at(self.number, expected, quoted(part))
    }

    /// The cells of a line of a CSV file, which has none in quotes.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.text.split(',').map(str::trim)
    }
}

/// The lines that are not empty.
pub(crate) fn lines(content: &[u8]) -> impl Iterator<Item = Result<Line<'_>, RecordingError>> {
    let numbered = content.split(|byte| *byte == b'\n').zip(1..);
    numbered.map(|(bytes, number)| line(bytes, number)).filter(|line| match line {
        Ok(line) => !line.text.is_empty(),
        Err(_) => true,
    })
}

/// The lines below the header of a CSV file, which is checked.
pub(crate) fn lines_below_header<'a>(
    content: &'a [u8],
    headers: &[&str],
) -> Result<impl Iterator<Item = Result<Line<'a>, RecordingError>>, RecordingError> {
    let mut lines = lines(content);
    let expected = || format!("the header {}", headers[0]);
    let header = lines.next().ok_or_else(|| RecordingError::new(expected(), "an empty file"))??;
    let is_header = |known: &&str| header.cells().eq(known.split(','));
    if headers.iter().any(is_header) { Ok(lines) } else { Err(header.refused(expected())) }
}

fn line(bytes: &[u8], number: usize) -> Result<Line<'_>, RecordingError> {
    if bytes.len() > LONGEST_LINE {
        let found = format!("one of {}", bytes.len());
        return Err(RecordingError::at(number, format!("a line of at most {LONGEST_LINE} bytes"), found));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Line { number, text: text.trim() }),
        Err(_) => Err(RecordingError::at(number, "text in UTF-8", quoted(&String::from_utf8_lossy(bytes)))),
    }
}
