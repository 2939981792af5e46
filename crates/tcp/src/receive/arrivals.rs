//! What arrives: data in order and beyond holes, duplicates, echoes and marks (`tcp_data_queue`).

use bentpipe_units::Time;

use super::autotune::Worth;
use super::reassembly::{Piece, Reassembly};
use super::window::Growth;
use super::{Arrival, Receiver, SACK_BLOCKS_EXPECTED, SenderView};
use crate::config::Coalescing;
use crate::memory;
use crate::segment::{Flags, Segment};

/// Segments in order that are smaller than this do not open the window (`tcp_event_data_recv`).
const GROWTH_MIN: u64 = 128;

impl Receiver {
    /// Takes in the echo of a segment that takes `len` sequence numbers (`tcp_rcv_rtt_measure_ts`).
    pub(crate) fn on_echo(&mut self, now: Time, echo: u32, len: u64) {
        let worth = if len >= self.ack.segment() { Worth::Sample } else { Worth::Nothing };
        self.autotune.on_echo(now, echo, self.queue.len(), worth);
    }

    /// Takes in a segment's data at `start` (`tcp_data_queue`).
    pub(crate) fn on_data(&mut self, now: Time, start: u64, segment: &Segment, view: SenderView) -> Arrival {
        let fin = segment.flags.contains(Flags::FIN);
        let data_end = start + segment.payload.len();
        let end = data_end + u64::from(fin);
        if end == start {
            return Arrival::Nothing;
        }
        if end <= self.next {
            self.sacks.on_duplicate(start, end);
            self.refuse();
            return Arrival::Nothing;
        }
        // A bare FIN needs no room.
        let bare_fin = start == data_end && start == self.next;
        if start >= self.window_end() && !bare_fin {
            self.refuse();
            return Arrival::Nothing;
        }
        // Without memory for it, it is taken and told of at once (tcp_data_queue: tcp_try_rmem_schedule, ICSK_ACK_NOW); a
        // buffer that is not the application's grows instead (tcp_clamp_window).
        if bare_fin && self.window.is_fixed() && self.memory() > self.window.buffer() {
            self.ack.schedule_now();
        }
        // What lies behind the end of the stream is nonsense.
        if self.fin.is_some_and(|known| end > known + 1) {
            return Arrival::Nothing;
        }
        if fin {
            self.fin.get_or_insert(data_end);
        }
        let piece = Piece { payload: segment.payload.clone(), memory: memory::of_received(segment) };
        if start > self.next {
            self.queue_out_of_order(now, start, end, piece, segment);
            return Arrival::Nothing;
        }
        if start < self.next {
            self.sacks.on_duplicate(start, self.next);
        }
        self.accept(now, start, piece, segment, view);
        Arrival::InOrder
    }

    /// Takes in the data of a SYN (`tcp_fastopen_add_skb`), from which neither acknowledgements nor the window learn: it
    /// is the next data that counts as the first, and is acknowledged at once.
    pub(crate) fn on_syn_data(&mut self, segment: &Segment) {
        let len = segment.payload.len();
        if len > 0 {
            self.queue.push(Piece { payload: segment.payload.clone(), memory: memory::of_received(segment) });
        }
        self.next += len;
        if segment.flags.contains(Flags::FIN) {
            self.fin = Some(self.next);
            self.finish();
        }
        self.sacks.on_advance(self.next);
    }

    /// The first mark since the sender's last answer: it shall know at once (`tcp_enter_quickack_mode`).
    pub(crate) fn on_mark(&mut self) {
        self.ack.enter_quick_after_mark(self.window.size());
    }

    /// The sender has answered a mark: its answer is acknowledged at once (`tcp_ecn_accept_cwr`).
    pub(crate) fn on_answered_mark(&mut self) {
        self.ack.schedule_now();
    }

    /// A segment that cannot be taken: the peer shall know at once.
    pub(crate) fn refuse(&mut self) {
        self.ack.enter_quick(self.window.size());
        self.ack.schedule_now();
    }

    /// A segment outside of the window is answered; old data in it mean that an acknowledgement was lost
    /// (`tcp_send_dupack`).
    pub(crate) fn on_outside(&mut self, start: u64, end: u64) {
        if start < end && start < self.next {
            self.sacks.on_duplicate(start, end.min(self.next));
            self.refuse();
        }
    }

    fn accept(&mut self, now: Time, start: u64, piece: Piece, segment: &Segment, view: SenderView) {
        let len = piece.payload.len();
        let had_gap = !self.out_of_order.is_empty();
        let memory = piece.memory;
        let fresh = (self.next - start).min(len);
        let payload = piece.payload.slice(fresh, len);
        self.next += payload.len();
        if !payload.is_empty() {
            self.queue.push(Piece { payload, memory });
        }
        if len > 0 {
            self.note_data(now, len, memory, segment, view);
        }
        // tcp_ofo_queue
        for held in self.out_of_order.held(start, self.next) {
            self.sacks.on_more_duplicate(held.start, held.end.min(self.next));
        }
        while let Some(piece) = self.out_of_order.pop(self.next) {
            self.next += piece.payload.len();
            self.queue.push(piece);
        }
        self.sacks.on_advance(self.next);
        // RFC 5681 section 4.2: the peer shall know at once that a gap is filled.
        if had_gap && self.out_of_order.is_empty() {
            self.ack.schedule_now();
        }
        if self.fin == Some(self.next) {
            self.finish();
        }
    }

    /// The peer's FIN is next (`tcp_fin`): nothing follows it, and nothing is reported that came before.
    fn finish(&mut self) {
        self.next += 1;
        self.out_of_order = Reassembly::default();
        self.sacks.clear();
        self.ack.schedule();
        self.ack.enter_pingpong();
    }

    /// `tcp_event_data_recv`.
    fn note_data(&mut self, now: Time, len: u64, memory: u64, segment: &Segment, view: SenderView) {
        self.measure(len, memory, segment);
        self.autotune.on_data(now, self.next, self.window.size());
        self.ack.on_data(now, view.rto, self.window.size());
        if len >= GROWTH_MIN {
            self.grow_window(len, memory);
        }
        if let Coalescing::Within(span) = self.coalescing {
            self.train.get_or_insert(now.saturating_add(span));
        }
    }

    /// `tcp_measure_rcv_mss`.
    fn measure(&mut self, len: u64, memory: u64, segment: &Segment) {
        let single = segment.gso_size.map_or(len, |size| u64::from(size.get()));
        if single > self.ack.segment() {
            self.window.learn_ratio(len, memory);
            self.autotune.limit(self.window.clamp());
        }
        self.ack.measure(segment);
    }

    /// `tcp_data_queue_ofo`.
    fn queue_out_of_order(&mut self, now: Time, start: u64, end: u64, piece: Piece, segment: &Segment) {
        let (len, memory) = (piece.payload.len(), piece.memory);
        if len > 0 {
            self.measure(len, memory, segment);
        }
        self.ack.schedule();
        let brings_news = self.note_duplicates_beyond_hole(start, end);
        self.report_before_news(start, end);
        self.sacks.on_arrival(start, end);
        // Before its memory is counted (skb_set_owner_r comes after tcp_grow_window); without SACK duplicates of
        // acknowledgements shall have one window.
        if brings_news && self.has_sack {
            self.grow_window(len, memory);
        }
        if len > 0 {
            self.out_of_order.insert(start, piece);
        }
        if self.is_adopted {
            let span = self.span_out_of_order();
            self.autotune.on_out_of_order(span, &mut self.window);
        }
        self.train = self.train.filter(|end| *end > now);
    }

    /// Blocks that may not be among those of the next acknowledgement are reported while they are
    /// (`tcp_sack_compress_send_ack`).
    fn report_before_news(&mut self, start: u64, end: u64) {
        if self.sacks.extend(start, end) >= SACK_BLOCKS_EXPECTED && self.ack.is_compressing() {
            self.early_report = Some(self.report());
        }
    }

    /// What is there already is reported (RFC 2883 section 4.1.3). Whether anything of `start..end` is not.
    fn note_duplicates_beyond_hole(&mut self, start: u64, end: u64) -> bool {
        let parts = self.out_of_order.held(start, end);
        for held in &parts {
            if held.start < start || end <= held.end {
                self.sacks.on_duplicate(start.max(held.start), end.min(held.end));
            } else {
                self.sacks.on_more_duplicate(held.start, held.end);
            }
        }
        !parts.iter().any(|held| held.start <= start && end <= held.end)
    }

    /// The peer hears of a wider window without delay (`tcp_grow_window`).
    fn grow_window(&mut self, len: u64, memory: u64) {
        if self.window.grow(len, memory, self.memory(), self.ack.segment()) == Growth::Grown {
            self.ack.ensure_quick();
        }
    }

    pub(super) fn span_out_of_order(&self) -> u64 {
        self.out_of_order.end().map_or(0, |end| end.saturating_sub(self.next))
    }
}
