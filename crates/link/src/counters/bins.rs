//! Counts per 100 ms since the mark, whichever kind of counts they are.

use crate::INTERVAL;
use bentpipe_units::Time;

/// Bins reserved at a time (almost seven minutes), so that a run allocates seldom and predictably.
const CHUNK: usize = 4096;

/// Something per 100 ms since the mark. Bin i covers (mark + i INTERVAL, mark + (i + 1) INTERVAL]; the first one has
/// the mark itself as well.
pub(crate) struct Bins<T> {
    marked: Time,
    bins: Vec<T>,
    /// What a bin starts with.
    fresh: T,
}

impl<T: Copy> Bins<T> {
    pub(crate) fn new(marked: Time, fresh: T) -> Self {
        Self { marked, bins: Vec::with_capacity(CHUNK), fresh }
    }

    /// Starts again at `now`.
    pub(crate) fn mark(&mut self, now: Time) {
        self.marked = now;
        self.bins.clear();
    }

    /// The bin of `at`; those before it are opened as well.
    pub(crate) fn at(&mut self, at: Time) -> &mut T {
        let index = self.index(at) as usize;
        while self.bins.len() <= index {
            if self.bins.len() == self.bins.capacity() {
                self.bins.reserve_exact(CHUNK);
            }
            self.bins.push(self.fresh);
        }
        &mut self.bins[index]
    }

    /// When the bin of `at` ends.
    pub(crate) fn end(&self, at: Time) -> Time {
        self.marked + INTERVAL * (self.index(at) + 1)
    }

    /// Changes the bin of `at` and what later ones start with. Calls come in order of time.
    pub(crate) fn from(&mut self, at: Time, change: impl Fn(&mut T)) {
        change(self.at(at));
        change(&mut self.fresh);
    }

    /// The bins until `now`, each with its end; the last one ends at `now`.
    pub(crate) fn until(&mut self, now: Time) -> impl Iterator<Item = (Time, T)> {
        self.at(now);
        let marked = self.marked;
        self.bins.iter().zip(1..).map(move |(bin, ordinal)| (now.min(marked + INTERVAL * ordinal), *bin))
    }

    fn index(&self, at: Time) -> u64 {
        at.since(self.marked).as_nanos().div_ceil(INTERVAL.as_nanos()).saturating_sub(1)
    }
}
