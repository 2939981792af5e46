//! The waiting room before the transmitter. Model page: docs/models/queue.md.

use std::collections::VecDeque;

use bentpipe_run::QueueSpec;
use bentpipe_units::{Bytes, Duration, Time};

/// A first-in first-out queue that refuses what exceeds its limit (drop-tail).
pub(crate) struct Queue<P> {
    limit: QueueSpec,
    waiting: VecDeque<Waiting<P>>,
    bytes: Bytes,
}

/// A packet in the queue.
pub(crate) struct Waiting<P> {
    pub(crate) since: Time,
    pub(crate) size: Bytes,
    pub(crate) packet: P,
}

impl<P> Queue<P> {
    pub(crate) fn new(limit: &QueueSpec) -> Self {
        Self { limit: limit.clone(), waiting: VecDeque::new(), bytes: Bytes::ZERO }
    }

    /// Whether there is room for a packet of `size` that would wait for `wait`.
    pub(crate) fn admits(&self, size: Bytes, wait: impl FnOnce() -> Duration) -> bool {
        match self.limit {
            QueueSpec::Bytes { limit_bytes } => self.bytes + size <= limit_bytes,
            QueueSpec::Packets { limit_packets } => (self.waiting.len() as u64) < limit_packets,
            QueueSpec::Time { limit_ns } => wait() <= limit_ns,
        }
    }

    pub(crate) fn push(&mut self, waiting: Waiting<P>) {
        self.bytes += waiting.size;
        self.waiting.push_back(waiting);
    }

    pub(crate) fn pop(&mut self) -> Option<Waiting<P>> {
        let first = self.waiting.pop_front()?;
        self.bytes -= first.size;
        Some(first)
    }

    /// Sum of the lengths of waiting packets.
    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
