//! The formats, and how a file tells its own.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::error::quoted;
use crate::lines::{Line, lines};
use crate::{RecordingError, irtt_csv, ping_csv, ping_text, schedule_file};

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Our own: rows of rate, delay, loss and state.
    Schedule,
    /// Chances to send, of one direction.
    Mahimahi,
    /// The same, and a file of delays.
    Leoreplayer,
    /// What `ping -D` prints.
    PingText,
    /// `timestamp,rtt`.
    PingCsv,
    /// `timestamp,rtt,uplink,downlink`.
    IrttCsv,
    /// What `irtt client -o` writes.
    IrttJson,
}

/// A format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenFormat {
    /// Our own, both directions in one file.
    Schedule,
    /// A file for each direction.
    Mahimahi,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Schedule,
        Self::Mahimahi,
        Self::Leoreplayer,
        Self::PingText,
        Self::PingCsv,
        Self::IrttCsv,
        Self::IrttJson,
    ];

    /// As a user writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Schedule => "schedule",
            Self::Mahimahi => "mahimahi",
            Self::Leoreplayer => "leoreplayer",
            Self::PingText => "ping-text",
            Self::PingCsv => "ping-csv",
            Self::IrttCsv => "irtt-csv",
            Self::IrttJson => "irtt-json",
        }
    }

    /// The format of a file, by what stands first in it. One of LeoReplayer looks like Mahimahi's: it is the one that
    /// comes with delays.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn of(content: &[u8]) -> Result<Self, RecordingError> {
        if content.trim_ascii_start().starts_with(b"{") {
            return Ok(Self::IrttJson);
        }
        let is_comment = |line: &Result<Line<'_>, _>| matches!(line, Ok(line) if line.text.starts_with('#'));
        let known = Self::ALL.map(Self::name).join(", ");
        let expected = format!("a recording in one of the formats {known}");
        let first = lines(content).find(|line| !is_comment(line));
        let first = first.ok_or_else(|| RecordingError::new(&expected, "an empty file"))?;
        let first = first.map_err(|error| RecordingError { expected: expected.clone(), ..error })?;
        let header: Vec<&str> = first.cells().collect();
        let is_one_of = |headers: &[&str]| headers.contains(&&*header.join(","));
        match first.text {
            _ if header.contains(&schedule_file::TIME) => Ok(Self::Schedule),
            _ if is_one_of(&irtt_csv::HEADERS) => Ok(Self::IrttCsv),
            _ if is_one_of(&ping_csv::HEADERS) => Ok(Self::PingCsv),
            text if ping_text::is_line(text) => Ok(Self::PingText),
            text if text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Self::Mahimahi),
            _ => Err(first.refused(expected)),
        }
    }
}

impl FromStr for Format {
    type Err = RecordingError;
    fn from_str(name: &str) -> Result<Self, RecordingError> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| unknown(&Self::ALL.map(Self::name), name))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for WrittenFormat {
    type Err = RecordingError;
    fn from_str(name: &str) -> Result<Self, RecordingError> {
        match name {
            "schedule" => Ok(Self::Schedule),
            "mahimahi" => Ok(Self::Mahimahi),
            _ => Err(unknown(&["schedule", "mahimahi"], name)),
        }
    }
}

fn unknown(names: &[&str], found: &str) -> RecordingError {
    RecordingError::new(format!("one of the formats {}", names.join(", ")), quoted(found))
}
