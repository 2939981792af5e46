//! What sends the packets of a pipe, one after the other.

use bentpipe_units::{Bytes, Time};

/// Sends one packet after the other, in the order given.
pub(crate) trait Transmitter {
    /// When the last transmission ends, or ended.
    fn free_at(&self) -> Time;

    /// Sends a packet that came at `ready`, after everything sent so far; returns when its last bit is out, which is
    /// [`Time::MAX`] where it never is.
    fn transmit(&mut self, ready: Time, size: Bytes) -> Time;

    /// When the transmitter will have sent `backlog` after the transmission in progress.
    fn clear_at(&self, backlog: Bytes) -> Time;
}
