//! What the application writes (`tcp_sendmsg_locked`), and when it has to wait.

use bentpipe_units::Time;

use super::queue::Preview;
use super::tso::max_segments;
use super::{Backpressure, Sender};
use crate::Payload;
use crate::memory;

/// What could leave while the application writes.
struct Departures {
    preview: Preview,
    /// Segments that the congestion window, and the pacer, let out.
    quota: u64,
    /// Segments of one GSO packet.
    tso_segments: u64,
}

impl Sender {
    /// Takes as much as fits; returns how much that was.
    pub fn write(&mut self, now: Time, payload: &Payload) -> u64 {
        let wanted = payload.len();
        if wanted == 0 {
            return 0;
        }
        if self.is_writable() {
            self.restart_after_idle(now);
            self.note_app_limit();
        }
        let taken = self.fill(now, wanted);
        if taken < wanted {
            self.backpressure = Backpressure::Blocked;
        }
        if taken > 0 {
            self.buffer.push(payload.slice(0, taken));
            self.queue.push(self.buffer.end());
        }
        taken
    }

    /// Buffers are begun below the limit and filled beyond it. One that is full is sent as far as the windows allow
    /// before the next is begun: what stays behind of it is filled up again, which takes no new buffer.
    fn fill(&mut self, now: Time, wanted: u64) -> u64 {
        let size = self.buffer_size();
        let mut departures = self.departures(now);
        let mut taken = 0;
        while taken < wanted {
            let end = self.buffer.end() + taken;
            let mut room = self.queue.tail_room(size, &departures.preview);
            if room == 0 {
                if self.memory_with(taken, &departures.preview) >= self.buffer_limit {
                    break;
                }
                self.queue.begin(end);
                room = size;
            }
            let part = room.min(wanted - taken);
            self.queue.extend(part);
            taken += part;
            if part == room {
                self.push_full(&mut departures, end + part);
            }
        }
        self.queue.foresee(departures.preview.next);
        taken
    }

    /// A full buffer ends at `end`: much that was written leaves at once (`forced_push`), else one GSO packet if
    /// nothing else waits (`tcp_push_one`).
    fn push_full(&mut self, departures: &mut Departures, end: u64) {
        if self.queue.unpushed(end) > self.window.max / 2 {
            self.queue.push(end);
            while self.foresee_gso(departures, end) {}
        } else if self.queue.is_single(&departures.preview) {
            self.foresee_gso(departures, end);
        }
    }

    fn departures(&mut self, now: Time) -> Departures {
        let preview = Preview::new(self.next);
        if self.cc.is_none() || self.is_held_by_pacer(now) {
            return Departures { preview, quota: 0, tso_segments: 0 };
        }
        let tso_segments = self.tso_segments(self.mss);
        let quota = self.cwnd().saturating_sub(self.scoreboard.in_flight());
        // The pacer lets a single GSO packet out.
        let quota = if self.is_paced() { quota.min(tso_segments) } else { quota };
        Departures { preview, quota, tso_segments }
    }

    fn foresee_gso(&self, departures: &mut Departures, end: u64) -> bool {
        let next = departures.preview.next;
        let segments = departures.quota.min(departures.tso_segments);
        if segments == 0 || next >= end || next + (end - next).min(self.mss) > self.window_end() {
            return false;
        }
        let gso_end = end.min(next + segments * self.mss).min(self.window_end());
        departures.quota -= segments;
        self.queue.preview_gso(&mut departures.preview, gso_end);
        true
    }

    /// Memory taken (`sk_wmem_queued`), and what `more` octets will have taken.
    fn memory_with(&self, more: u64, preview: &Preview) -> u64 {
        self.buffer.len() + more + memory::SKB_OVERHEAD * self.queue.buffers(preview)
    }

    fn memory(&self) -> u64 {
        self.memory_with(0, &Preview::new(self.next))
    }

    /// What a waiting buffer holds: whole segments, at most half the peer's largest window (`tcp_xmit_size_goal`).
    fn buffer_size(&self) -> u64 {
        let half = (self.window.max / 2 / self.mss).max(1);
        max_segments(self.mss).min(half) * self.mss
    }

    /// Whether a write would be accepted now.
    pub fn is_writable(&self) -> bool {
        self.memory() < self.buffer_limit
            || self.queue.tail_room(self.buffer_size(), &Preview::new(self.next)) > 0
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
        let wanted = windows * segments * memory::of_sent_segment(self.mss);
        let limit = wanted.min(self.config.send_buffer.max.get());
        self.buffer_limit = self.buffer_limit.max(limit);
    }

    /// After each GSO packet and each acknowledgement (`tcp_check_space`): a writer that was told to wait gets a larger
    /// buffer unless the congestion window is full, and may go on when a third of the buffer is free.
    pub fn check_space(&mut self) {
        if self.backpressure != Backpressure::Blocked {
            return;
        }
        if self.scoreboard.in_flight() < self.cwnd() {
            self.expand_buffer();
        }
        let taken = self.memory();
        if taken < self.buffer_limit && self.buffer_limit - taken >= taken / 2 {
            self.backpressure = Backpressure::Relieved;
        }
    }

    /// Whether a writer that was blocked may go on.
    pub fn take_writable(&mut self) -> bool {
        let relieved = self.backpressure == Backpressure::Relieved;
        if relieved {
            self.backpressure = Backpressure::None;
        }
        relieved
    }
}
