use bentpipe_units::{Bytes, Duration, Time};

/// Length of a bin.
const BIN: Duration = Duration::from_millis(100);

/// Bins reserved at a time (almost seven minutes), so that a run allocates seldom and predictably.
const CHUNK: usize = 4096;

/// What one direction did per 100 ms since the mark. Bin i covers (mark + i BIN, mark + (i + 1) BIN];
/// the first one has the mark itself as well.
pub(crate) struct Series {
    marked: Time,
    bins: Vec<Bin>,
    queue: Bytes,
}

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
        Self { marked, bins: Vec::with_capacity(CHUNK), queue: Bytes::ZERO }
    }

    /// Starts again at `now`; the queue stays as it is.
    pub(crate) fn mark(&mut self, now: Time) {
        self.marked = now;
        self.bins.clear();
    }

    /// The bin of `at`; those before it are opened as well, with the queue as it is now.
    pub(crate) fn bin(&mut self, at: Time) -> &mut Bin {
        let index = at.since(self.marked).as_nanos().div_ceil(BIN.as_nanos()).saturating_sub(1) as usize;
        while self.bins.len() <= index {
            if self.bins.len() == self.bins.capacity() {
                self.bins.reserve_exact(CHUNK);
            }
            self.bins.push(Bin { queue: self.queue, ..Bin::default() });
        }
        &mut self.bins[index]
    }

    /// The queue holds `bytes` from `at` on. Calls come in order of time.
    pub(crate) fn queue(&mut self, at: Time, bytes: Bytes) {
        self.bin(at).queue = bytes;
        self.queue = bytes;
    }

    /// The bins until `now`, each with its end; the last one ends at `now`.
    pub(crate) fn until(&mut self, now: Time) -> impl Iterator<Item = (Time, Bin)> {
        self.bin(now);
        let marked = self.marked;
        self.bins.iter().zip(1..).map(move |(bin, ordinal)| (now.min(marked + BIN * ordinal), *bin))
    }
}
