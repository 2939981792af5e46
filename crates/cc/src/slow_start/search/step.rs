//! What SEARCH makes of an acknowledgement.

use bentpipe_units::Bytes;

/// What becomes of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Slow start goes on.
    Grow,
    /// Slow start is over, and the queue that it has built drains at this window.
    Drain(Bytes),
    /// The queue has drained; this window is the threshold.
    Leave(Bytes),
}
