//! The queues before the transmitter, as it sees them.

use bentpipe_units::{Bytes, Time, earlier};

use crate::Packet;

/// The queue before the transmitter, with a queue for each stream.
pub trait Source {
    /// What waits.
    type Packet: Packet;

    /// What waits for a stream's frames.
    fn backlog(&self, stream: usize) -> Backlog;

    /// Takes out the packet that goes into a frame that is filled at `at`, and when it came.
    ///
    /// A queue that drops packets instead may give none; but where packets wait, either one is given or fewer wait.
    fn pop(&mut self, stream: usize, at: Time) -> Option<(Time, Self::Packet)>;
}

/// A stream's packets in the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// How many wait.
    pub packets: u64,
    /// Sum of their lengths.
    pub bytes: Bytes,
    /// When the first of them came, whichever is next; none when none waits.
    pub oldest: Option<Time>,
}

impl Backlog {
    /// Together with what waits elsewhere.
    pub(super) fn with(self, other: &Self) -> Self {
        Self {
            packets: self.packets + other.packets,
            bytes: self.bytes + other.bytes,
            oldest: earlier(self.oldest, other.oldest),
        }
    }
}
