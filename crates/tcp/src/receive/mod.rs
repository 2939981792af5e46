//! The receiving half: reassembly, acknowledgements, the window.

mod autotune;
mod delayed_ack;
mod queue;
mod reassembly;
mod sack_list;
mod window;

pub(crate) use delayed_ack::Decision;

use bentpipe_units::{Duration, Time, earlier};

use crate::config::{Coalescing, Config, QuickAck};
use crate::memory;
use crate::payload::Payload;
use crate::receive::autotune::{Autotune, Worth};
use crate::receive::delayed_ack::{AckView, DelayedAck};
use crate::receive::queue::ReceiveQueue;
use crate::receive::reassembly::{Piece, Reassembly};
use crate::receive::sack_list::SackList;
use crate::receive::window::{Growth, Pressure, Reading, ReceiveWindow};
use crate::segment::{Flags, Segment};
use crate::send::Block;
use crate::wheel::TimerWheel;

/// Blocks that an acknowledgement carries for certain (`TCP_SACK_BLOCKS_EXPECTED`).
const SACK_BLOCKS_EXPECTED: usize = 2;

/// The receiving half of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    /// RCV.NXT.
    next: u64,
    /// Position behind the last byte read.
    copied: u64,
    queue: ReceiveQueue,
    out_of_order: Reassembly,
    sacks: SackList,
    /// What leaves as it was before the last arrival.
    early_report: Option<Report>,
    /// Where the peer's FIN is, once known.
    fin: Option<u64>,
    window: ReceiveWindow,
    autotune: Autotune,
    ack: DelayedAck,
    quick_ack: QuickAck,
    wheel: TimerWheel,
    coalescing: Coalescing,
    /// When the train of packets that arrives is over.
    train: Option<Time>,
    /// The acknowledgement that waits for the end of the train.
    train_ack: Option<Time>,
}

/// What an acknowledgement announces.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The window field.
    pub window: u16,
    /// SACK blocks, the most urgent first.
    pub blocks: Vec<Block>,
}

/// What the sending half knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderView {
    pub srtt: Option<Duration>,
    pub rto: Duration,
}

/// What a segment brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// In-order bytes, or the FIN.
    InOrder,
    /// Bytes after a gap, or nothing new.
    Nothing,
}

impl Receiver {
    /// Before the handshake: `mss` as announced.
    pub fn new(config: &Config, now: Time, mss: u64) -> Self {
        let window = ReceiveWindow::new(config.receive_buffer, config.initial_receive_window, mss);
        Self {
            next: 0,
            copied: crate::send::FIRST,
            queue: ReceiveQueue::default(),
            out_of_order: Reassembly::default(),
            sacks: SackList::default(),
            early_report: None,
            fin: None,
            autotune: Autotune::new(config.wheel, now, &window, mss, crate::send::FIRST),
            ack: DelayedAck::new(config.quick_ack, config.wheel, now, mss, window.size()),
            quick_ack: config.quick_ack,
            wheel: config.wheel,
            window,
            coalescing: config.coalescing,
            train: None,
            train_ack: None,
        }
    }

    /// The peer's SYN arrived.
    pub fn on_syn(&mut self, scaling: Scaling) {
        self.next = crate::send::FIRST;
        if scaling == Scaling::Off {
            self.window.disable_scaling();
        }
    }

    /// The handshake is complete.
    pub fn establish(&mut self, now: Time, mss: u64) {
        self.window.establish(mss);
        self.autotune = Autotune::new(self.wheel, now, &self.window, mss, self.copied);
        self.ack = DelayedAck::new(self.quick_ack, self.wheel, now, mss, self.window.size());
    }

    // ---- getters -------------------------------------------------------------------------------------------

    pub const fn next(&self) -> u64 {
        self.next
    }

    pub const fn window(&self) -> &ReceiveWindow {
        &self.window
    }

    /// RCV.NXT as the peer knows it.
    pub const fn announced_at(&self) -> u64 {
        self.window.announced_at()
    }

    /// First position that the announced window does not allow.
    pub fn window_end(&self) -> u64 {
        self.next + self.window.remaining(self.next)
    }

    pub const fn unread(&self) -> u64 {
        self.queue.len()
    }

    /// Whether the peer's FIN is in order.
    pub fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.next > fin)
    }

    /// SACK blocks that wait for an acknowledgement.
    pub fn sack_blocks(&self) -> usize {
        self.sacks.len()
    }

    pub fn timeout(&self) -> Option<Time> {
        earlier(self.ack.timeout(), self.train_ack)
    }

    fn memory(&self) -> u64 {
        self.queue.memory() + self.out_of_order.memory()
    }

    // ---- arrivals ------------------------------------------------------------------------------------------

    /// Takes in the echo of a segment that takes `len` sequence numbers (`tcp_rcv_rtt_measure_ts`).
    pub fn on_echo(&mut self, now: Time, echo: u32, len: u64) {
        let worth = if len >= self.ack.segment() { Worth::Sample } else { Worth::Nothing };
        self.autotune.on_echo(now, echo, self.queue.len(), worth);
    }

    /// Takes in a segment's data at `start` (`tcp_data_queue`).
    pub fn on_data(&mut self, now: Time, start: u64, segment: &Segment, view: SenderView) -> Arrival {
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
    pub fn on_syn_data(&mut self, segment: &Segment) {
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
    pub fn on_mark(&mut self) {
        self.ack.enter_quick_after_mark(self.window.size());
    }

    /// The sender has answered a mark: its answer is acknowledged at once (`tcp_ecn_accept_cwr`).
    pub fn on_answered_mark(&mut self) {
        self.ack.schedule_now();
    }

    /// A segment that cannot be taken: the peer shall know at once.
    pub fn refuse(&mut self) {
        self.ack.enter_quick(self.window.size());
        self.ack.schedule_now();
    }

    /// Old data outside of the window (`tcp_send_dupack`).
    pub fn on_old_data(&mut self, start: u64, end: u64) {
        if start < end && start < self.next {
            self.sacks.on_duplicate(start, end.min(self.next));
        }
        self.refuse();
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
        self.sacks = SackList::default();
        self.ack.schedule();
        self.ack.enter_pingpong();
    }

    /// `tcp_event_data_recv`.
    fn note_data(&mut self, now: Time, len: u64, memory: u64, segment: &Segment, view: SenderView) {
        self.measure(len, memory, segment);
        self.autotune.on_data(now, self.next, self.window.size());
        self.ack.on_data(now, view.rto, self.window.size());
        self.grow_window(len, memory);
        if let Coalescing::Within(span) = self.coalescing {
            self.train.get_or_insert(now.saturating_add(span));
        }
    }

    /// `tcp_measure_rcv_mss`.
    fn measure(&mut self, len: u64, memory: u64, segment: &Segment) {
        if len > self.ack.segment() {
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
        // Before its memory is counted (skb_set_owner_r comes after tcp_grow_window).
        if brings_news {
            self.grow_window(len, memory);
        }
        if len > 0 {
            self.out_of_order.insert(start, piece);
        }
        let span = self.span_out_of_order();
        self.autotune.on_out_of_order(span, &mut self.window);
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

    fn span_out_of_order(&self) -> u64 {
        self.out_of_order.end().map_or(0, |end| end.saturating_sub(self.next))
    }

    // ---- acknowledgements ----------------------------------------------------------------------------------

    /// Whether an acknowledgement must leave now; else a timer is set where one is due (`tcp_ack_snd_check`).
    pub fn decide(&mut self, now: Time, view: SenderView) -> Decision {
        let selection = self.window.select(self.memory(), self.ack.segment());
        if selection.pressure == Pressure::High {
            self.ack.leave_quick();
        }
        let has_room = self.queue.len() == 0 || selection.size >= self.window.size();
        let decision = self.ack.decide(AckView {
            now,
            next: self.next,
            unacknowledged: self.unacknowledged(),
            has_room,
            has_gap: !self.out_of_order.is_empty(),
            srtt: view.srtt,
            receive_rtt: self.autotune.rtt(),
        });
        self.after_train(now, decision)
    }

    /// Packets that the interface merges are acknowledged, and read, together.
    fn after_train(&mut self, now: Time, decision: Decision) -> Decision {
        match self.train {
            Some(end) if decision == Decision::Send && end > now && self.out_of_order.is_empty() => {
                self.train_ack = Some(end);
                Decision::Wait
            }
            _ => decision,
        }
    }

    fn unacknowledged(&self) -> u64 {
        self.next.saturating_sub(self.window.announced_at())
    }

    pub fn handle_timeout(&mut self, now: Time, view: SenderView) -> Decision {
        if self.train_ack.is_some_and(|at| at <= now) {
            self.train_ack = None;
            return Decision::Send;
        }
        self.ack.handle_timeout(now, view.rto)
    }

    /// Data of ours leaves.
    pub fn on_data_sent(&mut self, now: Time) {
        self.ack.on_data_sent(now);
    }

    /// A segment leaves: what it announces.
    pub fn report(&mut self) -> Report {
        let selection = self.window.select(self.memory(), self.ack.segment());
        if selection.pressure == Pressure::High {
            self.ack.leave_quick();
        }
        let window = self.window.announce(selection.size, self.next);
        self.ack.on_sent();
        self.train = None;
        self.train_ack = None;
        Report { window, blocks: self.sacks.report().collect() }
    }

    /// What is to leave as it was before the last arrival.
    pub const fn take_early_report(&mut self) -> Option<Report> {
        self.early_report.take()
    }

    /// A SYN leaves.
    pub fn announce_in_syn(&mut self) -> u16 {
        self.window.announce_in_syn(self.next)
    }

    /// The application lets go of what it has not read (`tcp_close`).
    pub fn discard_unread(&mut self) {
        self.queue = ReceiveQueue::default();
    }

    // ---- reading -------------------------------------------------------------------------------------------

    /// Takes up to `most` bytes (`tcp_recvmsg`), and tells whether that calls for an acknowledgement.
    pub fn read(&mut self, now: Time, most: u64) -> Option<(Payload, Decision)> {
        let (out_of_order, mut unread) = (self.span_out_of_order(), self.queue.len());
        // Each packet is a measurement of its own, those behind it still unread (`tcp_rcv_space_adjust`).
        let payload = self.queue.pop(most, |taken| {
            self.copied += taken;
            unread -= taken;
            self.autotune
                .on_read(Reading { now, copied: self.copied, unread, out_of_order }, &mut self.window);
        });
        let payload = payload.filter(|payload| !payload.is_empty())?;
        let decision = self.decide_after_read();
        Some((payload, self.after_train(now, decision)))
    }

    /// `__tcp_cleanup_rbuf`.
    fn decide_after_read(&mut self) -> Decision {
        let drained = self.memory() == 0;
        if self.ack.on_read(self.unacknowledged(), drained) == Decision::Send {
            return Decision::Send;
        }
        // A window that can be announced at twice what is left of it is worth a segment.
        let remaining = self.window.remaining(self.next);
        if self.is_finished() || 2 * remaining > self.window.clamp() {
            return Decision::Wait;
        }
        let selection = self.window.select(self.memory(), self.ack.segment());
        let worth = selection.size > 0 && selection.size >= 2 * remaining;
        if worth { Decision::Send } else { Decision::Wait }
    }
}

/// Whether both ends scale their windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scaling {
    On,
    Off,
}
