//! What others may know of the sender.

use bentpipe_cc::CongestionControl;
use bentpipe_cc::rate::RateSample;
use bentpipe_units::{Bytes, Time};

use crate::LossRecovery;
use crate::info::TimeSpent;
use crate::send::Sender;
use crate::send::congestion::Congestion;
use crate::send::recovery::scoreboard::Scoreboard;
use crate::send::rtt::Rtt;

impl Sender {
    pub const fn next(&self) -> u64 {
        self.transmit.position()
    }

    /// First position not yet acknowledged (SND.UNA).
    pub const fn una(&self) -> u64 {
        self.recovery.una()
    }

    pub const fn rtt(&self) -> &Rtt {
        &self.rtt
    }

    /// What is out.
    pub const fn scoreboard(&self) -> &Scoreboard {
        self.recovery.scoreboard()
    }

    pub const fn reordering(&self) -> u64 {
        self.recovery.reordering()
    }

    pub const fn loss_recovery(&self) -> LossRecovery {
        self.recovery.phase()
    }

    pub fn latest_rate(&self) -> Option<RateSample> {
        self.cc.as_ref().and_then(Congestion::latest_rate)
    }

    /// By how many doublings the timer has grown (`icsk_backoff`).
    pub fn backoff(&self) -> u32 {
        self.recovery.backoff()
    }

    /// Probes of a closed window that nothing has answered (`icsk_probes_out`).
    pub const fn unanswered_probes(&self) -> u32 {
        self.recovery.unanswered_probes()
    }

    pub fn mss(&self) -> u64 {
        self.transmit.window().bound(self.mss)
    }

    /// Sent and neither acknowledged nor known to be lost.
    pub fn in_flight(&self) -> Bytes {
        Bytes::new(self.recovery.in_flight() * self.mss)
    }

    /// Segments of data that have been delivered.
    pub fn delivered_segments(&self) -> u64 {
        self.cc.as_ref().map_or(0, Congestion::delivered)
    }

    pub const fn reorderings(&self) -> u64 {
        self.recovery.reorderings()
    }

    pub fn retransmitted_segments(&self) -> u64 {
        self.recovery.scoreboard().total_retransmitted()
    }

    pub fn cc(&self) -> Option<&dyn CongestionControl> {
        self.cc.as_ref().map(Congestion::algorithm)
    }

    /// The window in segments.
    pub fn cwnd(&self) -> u64 {
        self.cc.as_ref().map_or(0, |cc| self.recovery.cwnd(cc))
    }

    /// What the time until now was spent on.
    pub fn time_spent(&self, now: Time) -> TimeSpent {
        self.chrono.read(now)
    }

    /// The peer's last word on its window.
    pub const fn peer_window(&self) -> Bytes {
        Bytes::new(self.transmit.window().size)
    }

    /// First position that the peer's window does not allow.
    pub const fn window_end(&self) -> u64 {
        self.transmit.window().end(self.recovery.una())
    }

    /// Whether anything waits or is out, our FIN included.
    pub fn has_anything_out(&self) -> bool {
        !self.recovery.scoreboard().is_empty() || self.buffer.sequence_end() > self.next()
    }

    /// Bytes not yet acknowledged, sent or not.
    pub const fn unacknowledged(&self) -> u64 {
        self.buffer.len()
    }

    /// `sk_sndbuf`.
    pub const fn buffer_limit(&self) -> Bytes {
        self.buffer.limit()
    }

    /// Bytes that have not left.
    pub const fn unsent(&self) -> u64 {
        self.buffer.end().saturating_sub(self.next())
    }

    /// Whether our FIN is acknowledged.
    pub fn is_finished(&self) -> bool {
        self.buffer.fin().is_some_and(|fin| self.recovery.una() > fin)
    }

    /// Whether this direction was shut down.
    pub const fn is_shut_down(&self) -> bool {
        self.buffer.fin().is_some()
    }
}
