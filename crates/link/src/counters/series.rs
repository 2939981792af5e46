//! The series of one direction: bytes sent, delivered and queued, and drops, per 100 ms.

use bentpipe_units::{Bytes, Time};

use crate::counters::bins::Bins;

/// What one direction did per 100 ms since the mark.
pub(crate) struct Series(Bins<Bin>);

/// One row of the series.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bin {
    pub(crate) sent: Bytes,
    pub(crate) delivered: Bytes,
    /// At the end of the bin.
    pub(crate) queue: Bytes,
    pub(crate) drops: u64,
}

impl Series {
    pub(crate) fn new(marked: Time) -> Self {
        Self(Bins::new(marked, Bin::default()))
    }

    /// Starts again at `now`; the queue stays as it is.
    pub(crate) fn mark(&mut self, now: Time) {
        self.0.mark(now);
    }

    pub(crate) fn bin(&mut self, at: Time) -> &mut Bin {
        self.0.at(at)
    }

    /// The queue holds `bytes` from `at` on. Calls come in order of time.
    pub(crate) fn queue(&mut self, at: Time, bytes: Bytes) {
        self.0.from(at, |bin| bin.queue = bytes);
    }

    /// The bins until `now`, each with its end; the last one ends at `now`.
    pub(crate) fn until(&mut self, now: Time) -> impl Iterator<Item = (Time, Bin)> {
        self.0.until(now)
    }
}
