//! Packets that wait, first in, first out.

use std::collections::VecDeque;

use bentpipe_units::{Bytes, Time};

/// A packet in the queue.
pub(crate) struct Waiting<P> {
    pub(crate) since: Time,
    pub(crate) size: Bytes,
    pub(crate) packet: P,
}

/// What waits, the oldest first.
pub(crate) struct Fifo<P> {
    pub(super) waiting: VecDeque<Waiting<P>>,
    pub(super) bytes: Bytes,
}

impl<P> Fifo<P> {
    pub(super) const fn new() -> Self {
        Self { waiting: VecDeque::new(), bytes: Bytes::ZERO }
    }

    pub(super) fn push(&mut self, waiting: Waiting<P>) {
        self.bytes += waiting.size;
        self.waiting.push_back(waiting);
    }

    pub(crate) fn pop(&mut self) -> Option<Waiting<P>> {
        let first = self.waiting.pop_front()?;
        self.bytes -= first.size;
        Some(first)
    }

    /// The packet that has waited longest.
    pub(super) fn front(&self) -> Option<&Waiting<P>> {
        self.waiting.front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Sum of the lengths of waiting packets.
    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes
    }
}
