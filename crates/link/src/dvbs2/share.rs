//! What a schedule leaves of a carrier to those whose packets are measured. Model page: docs/models/dvbs2.md.

use bentpipe_units::{Duration, Rate, Time};

use crate::schedule::{Cursor, Progress};

/// The part of a carrier's time that is not other customers', who have more or less to send over time.
///
/// The rate of a schedule over the carrier's in clear sky is the part of its symbols that is left. Frames of others
/// follow each frame for so long that what was left until the next one may start is what the frame took.
pub(crate) struct Share {
    cursor: Cursor,
    /// The rate of the whole carrier in clear sky.
    whole: Rate,
    progress: Progress,
}

impl Share {
    pub(crate) const fn new(cursor: Cursor, whole: Rate) -> Self {
        Self { cursor, whole, progress: Progress::from(Time::ZERO) }
    }

    /// The workload starts. Frames of others that follow one sent before end as they were reckoned.
    pub(crate) fn mark(&mut self, now: Time) {
        self.cursor.mark(now);
    }

    /// The first instant from `at` on at which anything is left, which may be never ([`Time::MAX`]).
    pub(super) fn opens(&self, at: Time) -> Time {
        let mut cursor = self.cursor.clone();
        let mut opens = at;
        while opens < Time::MAX {
            match cursor.at(opens) {
                (step, end) if step.rate == Rate::ZERO => opens = end,
                _ => return opens,
            }
        }
        opens
    }

    /// A frame is sent from `start` to `end`: when the frames of others end that follow it.
    pub(super) fn sent(&mut self, start: Time, end: Time) -> Time {
        if start > self.progress.free_at {
            self.progress = Progress::from(start);
        }
        self.progress = self.progress.after_span(self.whole, end.since(start), &mut self.cursor);
        self.progress.free_at.max(end)
    }

    /// When frames have been sent, with those of others between them, that take `span` on the whole carrier.
    pub(super) fn after(&self, from: Time, span: Duration) -> Time {
        Progress::from(from).after_span(self.whole, span, &mut self.cursor.clone()).free_at
    }
}
