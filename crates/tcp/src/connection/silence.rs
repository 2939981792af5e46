//! For how long the peer has said nothing.

use bentpipe_units::Time;

use crate::config::KeepAlive;

/// When the peer was heard of, and what it has left unanswered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence {
    /// The times that hold; none while keep-alive is off.
    pub limits: Option<KeepAlive>,
    pub timer: Option<Time>,
    /// When the last acknowledgement came that was none of the past (`rcv_tstamp`).
    pub heard_at: Time,
    /// Probes since (`icsk_probes_out`).
    pub unanswered: u32,
}

impl Silence {
    pub const fn new(now: Time, limits: Option<KeepAlive>) -> Self {
        Self { limits, timer: None, heard_at: now, unanswered: 0 }
    }

    /// An acceptable acknowledgement came, a new one or a repeated one.
    pub const fn on_heard(&mut self, now: Time) {
        self.heard_at = now;
        self.unanswered = 0;
    }
}
