//! Drops at random before the queue is full. Model page: docs/models/random_early_drop.md.

use bentpipe_units::Bytes;

use crate::random::Stream;

/// Random early drop by the present length of the queue.
pub(crate) struct RandomEarlyDrop {
    start: Bytes,
    limit: Bytes,
    p: f64,
    stream: Stream,
}

impl RandomEarlyDrop {
    pub(crate) fn new(start: Bytes, limit: Bytes, p: f64, stream: Stream) -> Self {
        Self { start, limit, p, stream }
    }

    /// Whether a packet of `size` gets in while `waiting` bytes wait.
    pub(crate) fn admits(&mut self, waiting: Bytes, size: Bytes) -> bool {
        waiting + size <= self.limit
            && (waiting <= self.start || self.stream.uniform() >= self.probability(waiting))
    }

    /// p (Q - start) / (limit - start), for start < Q <= limit.
    fn probability(&self, waiting: Bytes) -> f64 {
        self.p * (waiting - self.start).get() as f64 / (self.limit - self.start).get() as f64
    }
}
