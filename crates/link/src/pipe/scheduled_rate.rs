//! A transmitter whose rate follows a schedule. Model page: docs/models/schedule.md.

use bentpipe_units::{Bytes, Time};

use crate::pipe::transmitter::Transmitter;
use crate::schedule::{Cursor, Progress};

/// Sends one packet after the other at the rate of a schedule, exact to the nanosecond: at a constant rate each packet
/// leaves when it does with a [`ConstantRate`](super::constant_rate::ConstantRate).
pub(crate) struct ScheduledRate {
    cursor: Cursor,
    progress: Progress,
}

impl ScheduledRate {
    pub(crate) fn new(cursor: Cursor) -> Self {
        Self { cursor, progress: Progress::from(Time::ZERO) }
    }

    /// The workload starts. What is in transmission ends as it was reckoned.
    pub(crate) fn mark(&mut self, now: Time) {
        self.cursor.mark(now);
    }
}

impl Transmitter for ScheduledRate {
    fn free_at(&self) -> Time {
        self.progress.free_at
    }

    fn transmit(&mut self, ready: Time, size: Bytes) -> Time {
        if ready >= self.progress.free_at {
            self.progress = Progress::from(ready);
        }
        self.progress = self.progress.after_bits(size.bits(), &mut self.cursor);
        self.progress.free_at
    }

    fn clear_at(&self, backlog: Bytes) -> Time {
        self.progress.after_bits(backlog.bits(), &mut self.cursor.clone()).free_at
    }
}
