//! Whether the congestion window was what held the sender back (cf. RFC 7661; the rule is that of Linux).

use bentpipe_units::Bytes;

/// How far the window was used in the last round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowUsage {
    /// Whether the window was the limit at any time (`tcp_is_cwnd_limited`).
    pub is_cwnd_limited: bool,
    /// Most bytes in flight.
    pub peak_in_flight: Bytes,
}

impl WindowUsage {
    /// Whether the path has been tested by the present window, so that it may grow.
    ///
    /// In slow start half a window in flight is enough: doubling then reaches what was used.
    pub fn permits_growth(self, cwnd: Bytes, in_slow_start: bool) -> bool {
        self.is_cwnd_limited || (in_slow_start && cwnd.get() < self.peak_in_flight.get().saturating_mul(2))
    }
}

/// Keeps [`WindowUsage`] for an endpoint; sequence numbers are packet numbers or byte offsets.
#[derive(Clone, Copy, Debug)]
pub struct UsageTracker {
    usage: WindowUsage,
    round_end: u64,
    acked_below: u64,
}

impl UsageTracker {
    /// A sender that has sent nothing.
    pub const fn new() -> Self {
        let usage = WindowUsage { is_cwnd_limited: false, peak_in_flight: Bytes::ZERO };
        Self { usage, round_end: 0, acked_below: 0 }
    }

    /// A burst ended (or the window refused to start one): `next` is the first number not yet sent,
    /// and `is_cwnd_limited` whether data waited for the window rather than for application, pacing or flow control.
    pub fn on_transmit(&mut self, next: u64, in_flight: Bytes, is_cwnd_limited: bool) {
        let round_over = self.acked_below >= self.round_end;
        let fuller = !self.usage.is_cwnd_limited && in_flight > self.usage.peak_in_flight;
        if round_over || fuller || is_cwnd_limited {
            self.usage = WindowUsage { is_cwnd_limited, peak_in_flight: in_flight };
            self.round_end = next;
        }
    }

    /// Everything below `below` (for QUIC: one more than the largest acknowledged) was delivered.
    pub fn on_acked(&mut self, below: u64) {
        self.acked_below = self.acked_below.max(below);
    }

    /// The usage to put into an [`AckSample`](crate::AckSample).
    pub const fn usage(&self) -> WindowUsage {
        self.usage
    }
}

impl Default for UsageTracker {
    fn default() -> Self {
        Self::new()
    }
}
