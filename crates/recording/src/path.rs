//! The schedules of a file, and what bounds them.

use bentpipe_link::{RowSpec, ScheduleSpec};
use bentpipe_units::Duration;

/// No recording is longer: what goes beyond a day is more likely a file of something else.
pub const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// No one-way delay is longer.
pub(crate) const LONGEST_DELAY: Duration = Duration::from_secs(3600);

/// The schedules of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecordedPath {
    pub(crate) duration: Duration,
    pub(crate) forward: Option<ScheduleSpec>,
    pub(crate) return_: Option<ScheduleSpec>,
}

/// Rows of both directions, from zero to the duration.
pub(crate) struct RecordedRows {
    pub(crate) duration: Duration,
    pub(crate) forward: Vec<RowSpec>,
    pub(crate) return_: Vec<RowSpec>,
}

impl RecordedRows {
    /// Starting again at the end, or with the last row for ever.
    pub(crate) fn once_or_again(self, repeats: bool) -> RecordedPath {
        let period_ns = repeats.then_some(self.duration);
        let table = |rows| Some(ScheduleSpec::Table { rows, period_ns, offset_ns: Duration::ZERO });
        RecordedPath { duration: self.duration, forward: table(self.forward), return_: table(self.return_) }
    }
}

/// Rows without those that change nothing.
pub(crate) fn without_repetitions(rows: impl IntoIterator<Item = RowSpec>) -> Vec<RowSpec> {
    let mut kept: Vec<RowSpec> = Vec::new();
    for row in rows {
        if kept.last().is_none_or(|last| RowSpec { at_ns: row.at_ns, ..*last } != row) {
            kept.push(row);
        }
    }
    kept
}
