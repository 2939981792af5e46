//! What the application writes: what the buffer has to know of the rest of the sender.

use bentpipe_units::Time;

use crate::Payload;
use crate::memory;
use crate::send::Sender;
use crate::send::buffer::{Allowance, SizeView};

impl Sender {
    /// Takes as much as fits; returns how much that was.
    pub fn write(&mut self, now: Time, payload: &Payload) -> u64 {
        if payload.is_empty() {
            return 0;
        }
        if self.is_writable() {
            self.restart_after_idle(now);
            self.note_app_limit();
        }
        let (size, allowance) = (self.size_view(), self.allowance(now));
        self.buffer.write(payload, size, allowance)
    }

    const fn size_view(&self) -> SizeView {
        SizeView { next: self.next, mss: self.mss, max_window: self.window.max }
    }

    fn allowance(&mut self, now: Time) -> Allowance {
        let window_end = self.window_end();
        if self.cc.is_none() || self.is_held_by_pacer(now) {
            return Allowance { quota: 0, tso_segments: 0, window_end };
        }
        let tso_segments = self.tso_segments(self.mss);
        let quota = self.cwnd().saturating_sub(self.scoreboard.in_flight());
        // The pacer lets a single GSO packet out.
        let quota = if self.is_paced() { quota.min(tso_segments) } else { quota };
        Allowance { quota, tso_segments, window_end }
    }

    /// Whether a write would be accepted now.
    pub fn is_writable(&self) -> bool {
        self.buffer.is_writable(self.size_view())
    }

    /// `tcp_rate_check_app_limited`: a write finds the window open and nothing waiting.
    fn note_app_limit(&mut self) {
        let in_flight = self.scoreboard.in_flight();
        let waiting = self.buffer.end() - self.next.min(self.buffer.end());
        if waiting < self.mss
            && in_flight < self.cwnd()
            && self.scoreboard.lost() <= self.scoreboard.retransmitted()
        {
            self.rate.on_app_limited(self.bytes(in_flight.max(1)));
        }
    }

    /// Two windows of the sender's own (three for BBR), up to the limit (`tcp_sndbuf_expand`).
    pub(super) fn expand_buffer(&mut self) {
        let Some(cc) = &self.cc else { return };
        let windows = if cc.state().pacing_rate.is_some() { 3 } else { 2 };
        let segments = self.cwnd().max(self.config.initial_window).max(self.reordering + 1);
        self.buffer.expand(windows * segments * memory::of_sent_segment(self.mss));
    }

    /// After each GSO packet and each acknowledgement (`tcp_check_space`): a writer that was told to wait gets a larger
    /// buffer unless the congestion window is full, and may go on when a third of the buffer is free.
    pub fn check_space(&mut self) {
        if !self.buffer.is_blocked() {
            return;
        }
        if self.scoreboard.in_flight() < self.cwnd() {
            self.expand_buffer();
        }
        self.buffer.relieve(self.next);
    }

    /// Whether a writer that was blocked may go on.
    pub fn take_writable(&mut self) -> bool {
        self.buffer.take_writable()
    }
}
