//! The receiving half: reassembly, acknowledgements, the window.

mod arrivals;
mod autotune;
mod delayed_ack;
mod queue;
mod reassembly;
mod sack_list;
mod window;

pub(crate) use delayed_ack::Decision;

use bentpipe_units::{Bytes, Duration, Time, earlier};

use crate::config::{Coalescing, Config, QuickAck};
use crate::options::SackPermitted;
use crate::payload::Payload;
use crate::receive::autotune::Autotune;
use crate::receive::delayed_ack::{AckView, DelayedAck};
use crate::receive::queue::ReceiveQueue;
use crate::receive::reassembly::Reassembly;
use crate::receive::sack_list::SackList;
use crate::receive::window::{Pressure, Reading, ReceiveWindow};
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
    /// Whether the peer reads them.
    has_sack: bool,
    /// What leaves as it was before the last arrival.
    early_report: Option<Report>,
    /// Where the peer's FIN is, once known.
    fin: Option<u64>,
    window: ReceiveWindow,
    /// Whether an application has the connection (`sk_socket`).
    is_adopted: bool,
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
            sacks: SackList::new(config.extensions.duplicate_sacks),
            has_sack: false,
            early_report: None,
            fin: None,
            is_adopted: false,
            autotune: Autotune::new(config.wheel, now, &window, mss, crate::send::FIRST),
            ack: DelayedAck::new(config.quick_ack, config.wheel, now, mss, mss, window.size()),
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

    /// The handshake is complete. `mss`: payload of the segments that we announce; `sent_mss`: of those that we send.
    pub fn establish(&mut self, now: Time, mss: u64, sent_mss: u64, sack: SackPermitted) {
        self.has_sack = sack == SackPermitted::Yes;
        self.window.establish(mss);
        self.autotune = Autotune::new(self.wheel, now, &self.window, mss, self.copied);
        let window = self.window.size();
        self.ack = DelayedAck::new(self.quick_ack, self.wheel, now, mss, sent_mss, window);
    }

    /// An application has the connection.
    pub const fn adopt(&mut self) {
        self.is_adopted = true;
    }

    /// `SO_RCVBUF`.
    pub const fn set_buffer(&mut self, memory: Bytes) {
        self.window.set_buffer(memory);
    }

    /// What the application writes next carries the acknowledgement.
    pub fn expect_write(&mut self, now: Time) {
        self.ack.expect_write(now, self.window.size());
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

    /// Whether the window allows a segment from `start`, whose data end at `data_end` (`tcp_sequence`). More than it allows
    /// is taken where nothing waits to be read, and a FIN may stand right behind it.
    pub fn allows(&self, start: u64, data_end: u64) -> bool {
        let window_end = self.window_end();
        start <= window_end && (data_end <= window_end || self.queue.is_empty())
    }

    /// First position that the announced window does not allow.
    fn window_end(&self) -> u64 {
        self.next + self.window.remaining(self.next)
    }

    /// What the peer's full segments hold, as far as is known (`rcv_mss`).
    pub const fn peer_mss(&self) -> u64 {
        self.ack.segment()
    }

    /// When data came last (`lrcvtime`).
    pub const fn data_at(&self) -> Time {
        self.ack.last_received()
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

    /// What arrivals take of it that are not read (`sk_rmem_alloc`).
    pub fn memory(&self) -> u64 {
        self.queue.memory() + self.out_of_order.memory()
    }

    // ---- acknowledgements ----------------------------------------------------------------------------------

    /// Whether an acknowledgement must leave now; else a timer is set where one is due (`tcp_ack_snd_check`).
    pub fn decide(&mut self, now: Time, view: SenderView) -> Decision {
        // The window is looked at for more than a full segment alone, so that only then it ends quick acknowledgements.
        let unacknowledged = self.unacknowledged();
        let asks_window =
            self.ack.is_scheduled() && unacknowledged > self.ack.segment() && !self.queue.is_empty();
        let has_room = !asks_window || self.select_window() >= self.window.size();
        let decision = self.ack.decide(AckView {
            now,
            next: self.next,
            unacknowledged,
            has_room,
            has_gap: !self.out_of_order.is_empty(),
            srtt: view.srtt,
            receive_rtt: self.autotune.rtt(),
        });
        self.after_train(now, decision)
    }

    /// `__tcp_select_window`: what could be announced, which ends quick acknowledgements where that is little.
    fn select_window(&mut self) -> u64 {
        let selection = self.window.select(self.memory(), self.ack.segment());
        if selection.pressure == Pressure::High {
            self.ack.leave_quick();
        }
        selection.size
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
        let size = self.select_window();
        let window = self.window.announce(size, self.next);
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
        let selected = self.select_window();
        let worth = selected > 0 && selected >= 2 * remaining;
        if worth { Decision::Send } else { Decision::Wait }
    }
}

/// Whether both ends scale their windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scaling {
    On,
    Off,
}
