//! What a schedule does to a packet after its transmission. Model page: docs/models/schedule.md.

use bentpipe_units::{Duration, Time};

use crate::random::{Seed, Stream};
use crate::schedule::Cursor;

/// The delay and the losses of a schedule.
pub(crate) struct ScheduledChannel {
    cursor: Cursor,
    stream: Stream,
}

impl ScheduledChannel {
    pub(crate) fn new(cursor: Cursor, seed: Seed) -> Self {
        Self { cursor, stream: seed.stream("schedule.loss") }
    }

    /// The workload starts.
    pub(crate) fn mark(&mut self, now: Time) {
        self.cursor.mark(now);
    }

    /// How long the propagation takes of a packet whose transmission ends at `sent`, and whether it is lost.
    pub(crate) fn meet(&mut self, sent: Time) -> (Duration, bool) {
        let (step, _) = self.cursor.at(sent);
        (step.delay, step.loss > 0.0 && self.stream.uniform() < step.loss)
    }

    pub(crate) fn cursor(&self) -> Cursor {
        self.cursor.clone()
    }
}
