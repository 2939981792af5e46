//! The send buffer: what was written and is not yet acknowledged, the kernel's buffers that hold it, and when the
//! application has to wait (`tcp_sendmsg_locked`).

mod data;
mod queue;

use std::ops::Range;

use bentpipe_units::Bytes;

use crate::config::BufferLimits;
use crate::memory;
use crate::send::transmit::tso::max_segments;
use crate::send::transmit::window::bound_to_half_window;
use crate::{Boundary, Payload};
use data::WrittenData;
use queue::{Foreseen, Preview, SendQueue};

#[derive(Clone, Debug)]
pub(super) struct Buffer {
    data: WrittenData,
    queue: SendQueue,
    /// Where our FIN stands, once our direction is finished.
    fin: Option<u64>,
    /// `sk_sndbuf`.
    limit: u64,
    /// How far the limit may grow (`tcp_wmem`).
    max_limit: u64,
    /// So much may wait that has not left (`tcp_notsent_lowat`).
    max_unsent: u64,
    backpressure: Backpressure,
}

/// Whether the application was told to wait (`SOCK_NOSPACE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backpressure {
    None,
    Blocked,
    /// It may go on and has not been told yet.
    Relieved,
}

/// What the size of buffers depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct SizeView {
    /// First position that has not left.
    pub next: u64,
    pub mss: u64,
    /// The peer's largest window ever.
    pub max_window: u64,
}

/// What may leave while the application writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// Segments that the congestion window, and the pacer, let out.
    pub quota: u64,
    /// Segments of one GSO packet.
    pub tso_segments: u64,
    /// First position that the peer's window does not allow.
    pub window_end: u64,
}

impl Allowance {
    /// Before the handshake is complete.
    pub const NOTHING: Self = Self { quota: 0, tso_segments: 0, window_end: 0 };
}

/// What will have left while the application writes.
struct Departures {
    preview: Preview,
    allowance: Allowance,
    mss: u64,
    write_ends: Vec<u64>,
    push_one: Range<u64>,
}

impl Buffer {
    pub const fn new(first: u64, limits: BufferLimits) -> Self {
        Self {
            data: WrittenData::new(first),
            queue: SendQueue::new(first),
            fin: None,
            limit: limits.initial.get(),
            max_limit: limits.max.get(),
            max_unsent: u64::MAX,
            backpressure: Backpressure::None,
        }
    }

    // ---- what is in it -------------------------------------------------------------------------------------

    /// First position that is not written yet.
    pub const fn end(&self) -> u64 {
        self.data.end()
    }

    /// Where our FIN stands, once our direction is finished.
    pub const fn fin(&self) -> Option<u64> {
        self.fin
    }

    /// First position that no longer counts as ours to send: behind the FIN, or behind what is written.
    pub fn sequence_end(&self) -> u64 {
        self.fin.map_or(self.end(), |fin| fin + 1)
    }

    /// The FIN follows what was written.
    pub fn shutdown(&mut self) {
        let end = self.end();
        self.fin.get_or_insert(end);
    }

    /// Bytes written and not acknowledged.
    pub const fn len(&self) -> u64 {
        self.data.len()
    }

    /// `sk_sndbuf`.
    pub const fn limit(&self) -> Bytes {
        Bytes::new(self.limit)
    }

    pub fn slice(&self, from: u64, to: u64) -> Payload {
        self.data.slice(from, to)
    }

    /// Where the first of the kernel's buffers that wait ends.
    pub fn first_waiting_end(&self) -> Option<u64> {
        self.queue.first_end()
    }

    /// The first of them takes from the next what it lacks up to `end` (`tcp_grow_skb`).
    pub fn grow_first(&mut self, next: u64, end: u64) {
        self.queue.grow_first(&Preview::new(next), end);
    }

    /// A GSO packet up to `end` leaves.
    pub fn on_gso_sent(&mut self, end: u64) {
        self.queue.on_gso_sent(end);
    }

    /// Whether the GSO packet up to `end` left while the application wrote.
    pub const fn was_foreseen(&self, end: u64) -> bool {
        self.queue.was_foreseen(end)
    }

    /// Where all ended that was written when the GSO packet from `next` on left, if that was while more was written.
    pub fn write_end(&self, next: u64) -> Option<u64> {
        self.queue.write_end(next)
    }

    /// What has not left by now waits, and more is behind it.
    pub fn forget_write_ends(&mut self) {
        self.queue.forget_write_ends();
    }

    /// Whether what ends at `end` carries a push (`tcp_mark_push`).
    pub fn is_marked(&self, end: u64) -> bool {
        self.queue.is_marked(end)
    }

    /// What is sent up to `end` carries a push, as a probe does (`tcp_write_wakeup`).
    pub fn push_at(&mut self, end: u64) {
        self.queue.push_at(end.min(self.end()));
    }

    /// Where the first record ends that goes beyond `next`.
    pub fn record_end(&self, next: u64) -> Option<u64> {
        self.queue.record_end(next)
    }

    /// Whether what ends at `end`, or is followed by the FIN alone, ends a record.
    pub fn is_record_end(&self, end: u64) -> bool {
        self.queue.is_record_end(end.min(self.end()))
    }

    /// Whether `tcp_push_one` sends the GSO packet that starts at `start`.
    pub fn is_pushed_alone(&self, start: u64) -> bool {
        self.queue.is_pushed_alone(start)
    }

    /// Everything below `position` is acknowledged.
    pub fn release(&mut self, position: u64) {
        self.data.release(position);
        self.queue.release(position);
    }

    // ---- writing -------------------------------------------------------------------------------------------

    /// Takes as much as fits; returns how much that was.
    pub fn write(
        &mut self,
        payload: &Payload,
        boundary: Boundary,
        size: SizeView,
        allowance: Allowance,
    ) -> u64 {
        let taken = self.fill(payload.len(), size, allowance);
        let is_whole = taken == payload.len();
        if !is_whole {
            self.backpressure = Backpressure::Blocked;
        }
        if taken == 0 {
            return 0;
        }
        self.data.push(payload.slice(0, taken));
        let end = self.data.end();
        // More that follows lacks room first.
        let more_follows = boundary == Boundary::More && is_whole;
        if !more_follows || self.is_much_unpushed(end, size.max_window) {
            self.queue.push(end);
        }
        if boundary == Boundary::Record && is_whole {
            self.queue.end_record(end);
        }
        taken
    }

    /// Buffers are started below the limit and filled beyond it. One that is full is sent as far as the windows allow
    /// before the next is started: what stays behind of it is filled up again, which takes no new buffer.
    fn fill(&mut self, wanted: u64, view: SizeView, allowance: Allowance) -> u64 {
        let size = view.buffer_size();
        let mut departures = Departures::new(view, allowance);
        let mut taken = 0;
        while taken < wanted {
            let end = self.data.end() + taken;
            let mut room = self.queue.tail_room(size, &departures.preview);
            if room == 0 {
                if !self.is_free(taken, &departures.preview) {
                    break;
                }
                self.queue.start(end);
                room = size;
            } else {
                self.queue.move_mark(end, end + room.min(wanted - taken), taken == 0);
            }
            let part = room.min(wanted - taken);
            self.queue.extend(part);
            taken += part;
            if part == room {
                self.push_full(&mut departures, end + part, view.max_window);
            }
        }
        self.queue.foresee(departures.foreseen());
        taken
    }

    /// A full buffer ends at `end`: much that was written leaves at once (`forced_push`), else one GSO packet if
    /// nothing else waits (`tcp_push_one`).
    fn push_full(&mut self, departures: &mut Departures, end: u64, max_window: u64) {
        if self.is_much_unpushed(end, max_window) {
            self.queue.push(end);
            while departures.foresee_gso(&mut self.queue, end) {}
        } else if self.queue.is_single(&departures.preview) {
            departures.foresee_push_one(&mut self.queue, end);
        }
    }

    /// `forced_push`.
    const fn is_much_unpushed(&self, end: u64, max_window: u64) -> bool {
        self.queue.unpushed(end) > max_window / 2
    }

    /// Memory taken (`sk_wmem_queued`), and what `more` bytes will have taken.
    fn memory_with(&self, more: u64, preview: &Preview) -> u64 {
        self.data.len() + more + memory::SKB_OVERHEAD * self.queue.buffers(preview)
    }

    /// Whether a write would be accepted now.
    pub fn is_writable(&self, view: SizeView) -> bool {
        let preview = Preview::new(view.next);
        self.is_free(0, &preview) || self.queue.tail_room(view.buffer_size(), &preview) > 0
    }

    /// Whether another buffer may be started behind `more` bytes (`sk_stream_memory_free`).
    fn is_free(&self, more: u64, preview: &Preview) -> bool {
        let unsent = (self.end() + more).saturating_sub(preview.next);
        self.memory_with(more, preview) < self.limit && unsent < self.max_unsent
    }

    /// Whether a third of the memory is free, and what has not left is less than half of what may wait
    /// (`sk_stream_is_writeable`).
    pub fn has_space(&self, next: u64) -> bool {
        let taken = self.memory_with(0, &Preview::new(next));
        let unsent = self.end().saturating_sub(next);
        let is_little_unsent = unsent.saturating_mul(2) < self.max_unsent;
        taken < self.limit && self.limit - taken >= taken / 2 && is_little_unsent
    }

    // ---- its limit -----------------------------------------------------------------------------------------

    /// Memory of its own, which nothing changes (`SOCK_SNDBUF_LOCK`).
    pub const fn set_limit(&mut self, memory: Bytes) {
        self.limit = memory.get();
        self.max_limit = memory.get();
    }

    /// So much may wait that has not left.
    pub const fn set_max_unsent(&mut self, bytes: Bytes) {
        self.max_unsent = bytes.get();
    }

    /// Room for `wanted`, up to the limit of limits (`tcp_sndbuf_expand`).
    pub fn expand(&mut self, wanted: u64) {
        self.limit = self.limit.max(wanted.min(self.max_limit));
    }

    /// Whether a writer waits that was not relieved.
    pub fn is_blocked(&self) -> bool {
        self.backpressure == Backpressure::Blocked
    }

    /// Whether a writer waits or has not heard yet that it may go on.
    pub fn has_waiting_writer(&self) -> bool {
        self.backpressure != Backpressure::None
    }

    /// A writer that waits may go on when there is space (`sk_stream_write_space`).
    pub fn relieve(&mut self, next: u64) {
        if self.is_blocked() && self.has_space(next) {
            self.backpressure = Backpressure::Relieved;
        }
    }

    /// Whether there is space for one who asks, who hears of it later if not (`tcp_poll`).
    pub fn poll_space(&mut self, next: u64) -> bool {
        let has_space = self.has_space(next);
        if !has_space {
            self.backpressure = Backpressure::Blocked;
        }
        has_space
    }

    /// Whether a writer that was blocked may go on; tells it once.
    pub fn take_writable(&mut self) -> bool {
        let relieved = self.backpressure == Backpressure::Relieved;
        if relieved {
            self.backpressure = Backpressure::None;
        }
        relieved
    }
}

impl SizeView {
    /// What a waiting buffer holds: whole segments, at most half the peer's largest window (`tcp_xmit_size_goal`).
    fn buffer_size(&self) -> u64 {
        let most = bound_to_half_window(max_segments(self.mss) * self.mss, self.max_window);
        (most / self.mss).max(1) * self.mss
    }
}

impl Departures {
    const fn new(view: SizeView, allowance: Allowance) -> Self {
        let preview = Preview::new(view.next);
        Self { preview, allowance, mss: view.mss, write_ends: Vec::new(), push_one: view.next..view.next }
    }

    fn foreseen(self) -> Foreseen {
        Foreseen { end: self.preview.next, write_ends: self.write_ends, push_one: self.push_one }
    }

    fn foresee_push_one(&mut self, queue: &mut SendQueue, end: u64) {
        let start = self.preview.next;
        if self.foresee_gso(queue, end) {
            let first = if self.push_one.is_empty() { start } else { self.push_one.start };
            self.push_one = first..self.preview.next;
        }
    }

    fn foresee_gso(&mut self, queue: &mut SendQueue, end: u64) -> bool {
        let (next, mss) = (self.preview.next, self.mss);
        let Allowance { quota, tso_segments, window_end } = self.allowance;
        let segments = quota.min(tso_segments);
        if segments == 0 || next >= end {
            return false;
        }
        // Before the peer's window is looked at.
        queue.grow_first(&self.preview, next + segments * mss);
        if next + (end - next).min(mss) > window_end {
            return false;
        }
        let own_end = queue.next_end(&self.preview).map_or(end, |own| own.min(end));
        let gso_end = own_end.min(next + segments * mss).min(window_end);
        self.allowance.quota -= (gso_end - next).div_ceil(mss);
        if gso_end == end {
            self.write_ends.push(end);
        }
        queue.preview_gso(&mut self.preview, gso_end);
        true
    }
}
