//! What a capacity tells of its packets.

use std::ops::Add;

use bentpipe_units::{Bytes, Duration, Time};

use crate::DropCause;

/// Where an access tells what happens, each thing with its own instant and in the order of time.
pub(crate) trait EgressSink<P> {
    /// From `at` on so many bytes wait.
    fn waiting(&mut self, at: Time, bytes: Bytes);

    /// The last bit or symbol with a part of the packet is out at `at`; the channel and the propagation come after.
    fn sent(&mut self, at: Time, size: Bytes, delay: Delay, packet: P);

    /// The packet was admitted and does not arrive.
    fn lost(&mut self, at: Time, cause: DropCause, packet: P);
}

/// Whether an offered packet was admitted; one that is not comes back with the reason.
pub(crate) type Admitted<P> = Result<(), (DropCause, P)>;

/// What the time from a packet's arrival until it was sent was spent on; the parts add up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delay {
    /// Behind other packets.
    pub(crate) queue: Duration,
    /// For capacity to be assigned.
    pub(crate) request: Duration,
    /// For the slot that was assigned.
    pub(crate) slot: Duration,
    /// From the first bit or symbol of what carries it (a frame, a burst) to the last.
    pub(crate) transmission: Duration,
}

impl Add for Delay {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            queue: self.queue + other.queue,
            request: self.request + other.request,
            slot: self.slot + other.slot,
            transmission: self.transmission + other.transmission,
        }
    }
}
