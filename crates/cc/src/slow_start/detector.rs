//! What every detector of the end of slow start is told, and what it answers.

use bentpipe_units::{Bytes, Duration};

/// Whether the endpoint spreads its packets over the round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// Packets leave at a rate.
    Paced,
    /// Packets leave as soon as the window opens, in trains.
    Unpaced,
}

/// What a detector makes of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Continue,
    Exit,
}

/// What a detector looks at besides the acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowStartView {
    pub cwnd: Bytes,
    pub mss: Bytes,
    pub min_rtt: Duration,
}
