//! What the return link tells of a packet that leaves: when, its fate, and what its delay was spent on.

use bentpipe_units::{Duration, Time};

use super::class_queue::{Sent, Slot};

/// A packet leaves the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// When the last burst with a part of it ends; when the queue drops it.
    pub at: Time,
    /// When it came.
    pub since: Time,
    /// Its class.
    pub class: usize,
    /// What becomes of it.
    pub fate: Fate,
    /// What the time from `since` to `at` was spent on.
    pub delay: AccessDelay,
    /// The packet.
    pub packet: P,
}

/// The parts of the delay of a packet; they add up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessDelay {
    /// Until it was the first of its class.
    pub queue: Duration,
    /// From then to the start of the superframe that holds its first burst; none when that started before.
    pub request: Duration,
    /// From the later of both to its first burst.
    pub slot: Duration,
    /// From the start of its first burst to the end of its last.
    pub bursts: Duration,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It can be reassembled.
    Whole,
    /// A burst with a part of it is lost.
    Broken,
    /// The queue, which had admitted it, drops it instead of sending it.
    Dropped,
}

impl AccessDelay {
    pub(super) fn of<P>(sent: &Sent<P>, at: Time) -> Self {
        let Slot { superframe, start } = sent.started;
        Self {
            queue: sent.first.since(sent.since),
            request: superframe.since(sent.first),
            slot: start.since(superframe.max(sent.first)),
            bursts: at.since(start),
        }
    }
}
