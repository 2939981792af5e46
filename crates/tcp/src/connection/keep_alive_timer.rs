//! The keep-alive timer, and what it goes by (`sk_timer`, `rcv_tstamp`, `icsk_probes_out`).

use bentpipe_units::Time;

use crate::config::KeepAlive;

/// When the peer was heard of, and what it has left unanswered.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepAliveTimer {
    /// The times that hold; none while keep-alive is off.
    pub limits: Option<KeepAlive>,
    pub timer: Option<Time>,
    /// When the peer's last acknowledgement came, old ones left out (`rcv_tstamp`).
    pub heard_at: Time,
    /// Probes since (`icsk_probes_out`).
    pub unanswered: u32,
}

impl KeepAliveTimer {
    pub const fn new(now: Time, limits: Option<KeepAlive>) -> Self {
        Self { limits, timer: None, heard_at: now, unanswered: 0 }
    }

    /// An acknowledgement came that is not old.
    pub const fn on_heard(&mut self, now: Time) {
        self.heard_at = now;
        self.unanswered = 0;
    }
}
