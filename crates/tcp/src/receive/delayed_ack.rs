//! When an acknowledgement leaves (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2, as Linux does it).

use bentpipe_units::{Duration, Time, earlier};

use crate::config::QuickAck;
use crate::options::TIMESTAMPS_LEN;
use crate::segment::{Flags, Segment, TCP_HEADER};
use crate::wheel::{TimerWheel, jiffies_of};

/// `TCP_ATO_MIN`, `TCP_DELACK_MIN`.
const ATO_MIN: Duration = Duration::from_millis(40);
/// `TCP_DELACK_MAX`.
const DELAY_MAX: Duration = Duration::from_millis(200);
/// Half a second, where neither side waits for the other.
const DELAY_MAX_ONE_WAY: Duration = Duration::from_millis(500);
/// `TCP_MAX_QUICKACKS`.
const MAX_QUICK: u64 = 16;
/// `TCP_MSS_DEFAULT`: what the segments of the peer are taken for before the first.
const INITIAL_SEGMENT: u64 = 536;
/// `TCP_MIN_MSS`.
const MIN_SEGMENT: u64 = 88;
/// `tcp_pingpong_thresh`.
const PINGPONG_THRESHOLD: u8 = 1;
/// Duplicate acknowledgements that are sent at once before they are compressed.
const DUP_THRESH: u32 = 3;
/// `tcp_comp_sack_nr`.
const MAX_COMPRESSED: u32 = 44;
/// `tcp_comp_sack_delay_ns`.
const COMPRESSION_DELAY: Duration = Duration::from_millis(1);

/// `icsk_ack`.
#[derive(Clone, Debug)]
pub(crate) struct DelayedAck {
    mode: QuickAck,
    wheel: TimerWheel,
    need: Need,
    /// Quick acknowledgements left.
    quick: u64,
    /// The delay, adapted to the distance of segments; none before the first.
    ato: Option<Duration>,
    pingpong: u8,
    last_received: Time,
    /// What full segments of the peer hold (`rcv_mss`), and those that we announce (`advmss`), beyond which they count as
    /// these.
    segment: u64,
    announced: u64,
    last_len: u64,
    pushed: Pushed,
    delay: Option<Delay>,
    compression: Compression,
}

/// The timer of an acknowledgement that waits.
#[derive(Clone, Copy, Debug)]
struct Delay {
    /// The jiffy that it is set to (`icsk_delack_timeout`).
    expires: u64,
    /// When the wheel lets it expire.
    at: Time,
}

/// How badly an acknowledgement is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    None,
    Scheduled,
    Now,
}

/// Small segments since the last acknowledgement (`ICSK_ACK_PUSHED`, `ICSK_ACK_PUSHED2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pushed {
    None,
    Once,
    Twice,
}

/// Acknowledgements with SACK blocks that are held back (`compressed_ack`).
#[derive(Clone, Copy, Debug, Default)]
struct Compression {
    held: u32,
    at: Option<Time>,
    duplicates: u32,
    next: u64,
}

/// What a decision looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckView {
    pub now: Time,
    /// RCV.NXT.
    pub next: u64,
    /// RCV.NXT less what was acknowledged.
    pub unacknowledged: u64,
    /// Whether the window could be announced at least as large as it is: the application has read everything, or there
    /// is as much room as before.
    pub has_room: bool,
    /// Whether something is missing.
    pub has_gap: bool,
    pub srtt: Option<Duration>,
    /// The RTT that the receiver sees.
    pub receive_rtt: Option<Duration>,
}

/// What an arrival leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Send,
    Wait,
}

impl DelayedAck {
    /// An engine that starts with the handshake: `announced` and `sent` are the payload of full segments each way.
    pub fn new(mode: QuickAck, wheel: TimerWheel, now: Time, announced: u64, sent: u64, window: u64) -> Self {
        Self {
            mode,
            wheel,
            need: Need::None,
            quick: 0,
            ato: None,
            pingpong: 0,
            last_received: now,
            // tcp_initialize_rcv_mss
            segment: announced.min(sent).min(window / 2).clamp(MIN_SEGMENT, INITIAL_SEGMENT),
            announced,
            last_len: 0,
            pushed: Pushed::None,
            delay: None,
            compression: Compression::default(),
        }
    }

    pub const fn segment(&self) -> u64 {
        self.segment
    }

    /// When data came last.
    pub const fn last_received(&self) -> Time {
        self.last_received
    }

    /// When a delayed acknowledgement is due.
    pub fn timeout(&self) -> Option<Time> {
        earlier(self.delay.map(|delay| delay.at), self.compression.at)
    }

    pub fn schedule(&mut self) {
        self.need = self.need.max(Need::Scheduled);
    }

    /// `inet_csk_ack_scheduled`.
    pub fn is_scheduled(&self) -> bool {
        self.need != Need::None
    }

    pub fn schedule_now(&mut self) {
        self.need = Need::Now;
    }

    const fn in_pingpong(&self) -> bool {
        self.pingpong >= PINGPONG_THRESHOLD
    }

    /// The peer waits for our FIN or answer: acknowledgements may travel with it.
    pub fn enter_pingpong(&mut self) {
        self.pingpong = PINGPONG_THRESHOLD;
    }

    /// In-order data arrived (`tcp_event_data_recv`).
    pub fn on_data(&mut self, now: Time, rto: Duration, window: u64) {
        self.schedule();
        let since = now.since(self.last_received);
        match self.ato {
            None => {
                self.raise_quick(window, MAX_QUICK);
                self.ato = Some(ATO_MIN);
            }
            Some(ato) if since <= ATO_MIN / 2 => self.ato = Some(ato / 2 + ATO_MIN / 2),
            Some(ato) if since < ato => self.ato = Some((ato / 2 + since).min(rto)),
            // The sender has probably restarted its window.
            Some(_) if since > rto => self.raise_quick(window, MAX_QUICK),
            Some(_) => {}
        }
        self.last_received = now;
    }

    /// What the peer's full segments hold, and whether this one ends what it wrote (`tcp_measure_rcv_mss`).
    pub fn measure(&mut self, segment: &Segment) {
        let last = std::mem::replace(&mut self.last_len, 0);
        let len = segment.gso_size.map_or(segment.payload.len(), |size| u64::from(size.get()));
        if len >= self.segment {
            self.segment = len.min(self.announced);
            if segment.flags.contains(Flags::PSH) && self.pushed == Pushed::None {
                self.pushed = Pushed::Once;
            }
            return;
        }
        // Blocks of SACK take room from the payload.
        let with_blocks = len + u64::from(segment.options.wire_len() - fixed_options_len(segment));
        if may_be_full(segment) {
            self.last_len = with_blocks;
            if with_blocks == last {
                self.segment = with_blocks;
                return;
            }
        }
        self.pushed = if self.pushed == Pushed::None { Pushed::Once } else { Pushed::Twice };
    }

    /// `tcp_incr_quickack`, with its `max_quickacks`.
    fn raise_quick(&mut self, window: u64, most: u64) {
        let wanted = (window / (2 * self.segment.max(1))).max(2).min(most);
        self.quick = self.quick.max(wanted);
    }

    /// Something arrived that should not have: tell the peer at once (`tcp_enter_quickack_mode`).
    pub fn enter_quick(&mut self, window: u64) {
        self.enter_quick_for(window, MAX_QUICK);
    }

    /// The sender's window may be very low: two segments are acknowledged at once (`__tcp_ecn_check_ce`).
    pub fn enter_quick_after_mark(&mut self, window: u64) {
        self.enter_quick_for(window, 2);
    }

    fn enter_quick_for(&mut self, window: u64, most: u64) {
        self.raise_quick(window, most);
        self.pingpong = 0;
        self.ato = Some(ATO_MIN);
    }

    /// The next acknowledgement leaves at once.
    pub fn ensure_quick(&mut self) {
        self.quick |= 1;
    }

    /// The window is shrinking because the application does not read.
    pub fn leave_quick(&mut self) {
        self.quick = 0;
    }

    /// What the application writes within 200 ms carries the acknowledgement (`tcp_rcv_synsent_state_process`).
    pub fn expect_write(&mut self, now: Time, window: u64) {
        self.schedule();
        self.enter_quick(window);
        let expires = self.wheel.jiffies(now).saturating_add(jiffies_of(DELAY_MAX));
        self.delay = Some(Delay { expires, at: self.wheel.expiry_at(now, expires) });
    }

    /// `__tcp_ack_snd_check`.
    pub fn decide(&mut self, view: AckView) -> Decision {
        if !self.is_scheduled() {
            return Decision::Wait;
        }
        let second = view.unacknowledged > self.segment && view.has_room;
        if second || self.in_quick_mode() || self.need == Need::Now {
            return Decision::Send;
        }
        if view.has_gap { self.compress(view) } else { self.delay(view) }
    }

    /// `tcp_in_quickack_mode`.
    fn in_quick_mode(&self) -> bool {
        self.mode == QuickAck::Always || (self.quick > 0 && !self.in_pingpong())
    }

    /// `tcp_send_delayed_ack`.
    fn delay(&mut self, view: AckView) -> Decision {
        // A FIN without any data before it is not held back.
        let mut ato = self.ato.unwrap_or(Duration::ZERO);
        if ato > ATO_MIN {
            let one_way = !self.in_pingpong() && self.pushed == Pushed::None;
            let most = if one_way { DELAY_MAX_ONE_WAY } else { DELAY_MAX };
            let most = view.srtt.map_or(most, |srtt| srtt.max(ATO_MIN).min(most));
            ato = ato.min(most);
        }
        let ato = ato.min(DELAY_MAX);
        let (now, wait) = (self.wheel.jiffies(view.now), jiffies_of(ato));
        let mut expires = now.saturating_add(wait);
        if let Some(earlier) = self.delay {
            if earlier.expires <= now.saturating_add(wait / 4) {
                return Decision::Send;
            }
            expires = expires.min(earlier.expires);
        }
        self.delay = Some(Delay { expires, at: self.wheel.expiry_at(view.now, expires) });
        Decision::Wait
    }

    /// Duplicate acknowledgements after the third are spaced by a twentieth of the RTT, at most a millisecond.
    fn compress(&mut self, view: AckView) -> Decision {
        if self.compression.held >= MAX_COMPRESSED {
            return Decision::Send;
        }
        if self.compression.next != view.next {
            self.compression.next = view.next;
            self.compression.duplicates = 0;
        }
        if self.compression.duplicates < DUP_THRESH {
            self.compression.duplicates += 1;
            return Decision::Send;
        }
        self.compression.held += 1;
        if self.compression.at.is_none() {
            let rtt = match (view.receive_rtt, view.srtt) {
                (Some(ours), Some(theirs)) => ours.min(theirs),
                (ours, _) => ours.unwrap_or(Duration::ZERO),
            };
            self.compression.at = Some(view.now.saturating_add((rtt / 20).min(COMPRESSION_DELAY)));
        }
        Decision::Wait
    }

    /// Whether acknowledgements are held back as duplicates.
    pub const fn is_compressing(&self) -> bool {
        self.compression.held > 0
    }

    /// The application has read (`__tcp_cleanup_rbuf`). `drained`: nothing is left to read.
    pub fn on_read(&mut self, unacknowledged: u64, drained: bool) -> Decision {
        if !self.is_scheduled() {
            return Decision::Wait;
        }
        let small = match self.pushed {
            Pushed::Twice => true,
            Pushed::Once => !self.in_pingpong(),
            Pushed::None => false,
        };
        if unacknowledged > self.segment || (drained && small) { Decision::Send } else { Decision::Wait }
    }

    /// `tcp_delack_timer_handler`.
    pub fn handle_timeout(&mut self, now: Time, rto: Duration) -> Decision {
        if self.compression.at.is_some_and(|at| at <= now) {
            self.compression.at = None;
            return Decision::Send;
        }
        if self.delay.is_none_or(|delay| delay.at > now) {
            return Decision::Wait;
        }
        self.delay = None;
        if !self.is_scheduled() {
            return Decision::Wait;
        }
        if self.in_pingpong() {
            // The answer did not come: the exchange is over.
            self.pingpong = 0;
            self.ato = Some(ATO_MIN);
        } else {
            self.ato = self.ato.map(|ato| (ato * 2).min(rto));
        }
        Decision::Send
    }

    /// An acknowledgement left, alone or with data (`tcp_event_ack_sent`, `tcp_dec_quickack_mode`).
    pub fn on_sent(&mut self) {
        if self.is_scheduled() && self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.ato = self.ato.map(|_| ATO_MIN);
            }
        }
        self.need = Need::None;
        self.pushed = Pushed::None;
        self.delay = None;
        self.compression.held = 0;
        self.compression.at = None;
    }

    /// Data left: an answer within the delay makes the exchange interactive (`tcp_event_data_sent`).
    pub fn on_data_sent(&mut self, now: Time) {
        if self.ato.is_some_and(|ato| now.since(self.last_received) < ato) {
            self.pingpong = self.pingpong.saturating_add(1);
        }
    }
}

/// Whether a segment smaller than others before may be what the peer's full ones are now: two of equal length in a row
/// are. Long ones, and those that more of a write follows (no bit of `TCP_REMNANT`).
fn may_be_full(segment: &Segment) -> bool {
    let len = u64::from(TCP_HEADER + segment.options.wire_len()) + segment.payload.len();
    let is_remnant = segment.flags.contains(Flags::PSH) || segment.flags.contains(Flags::FIN);
    let header = u64::from(TCP_HEADER);
    len >= INITIAL_SEGMENT + header || (len >= MIN_SEGMENT + header && !is_remnant)
}

/// Options that every segment of the connection carries (`tcp_header_len`).
fn fixed_options_len(segment: &Segment) -> u32 {
    segment.options.timestamps.map_or(0, |_| TIMESTAMPS_LEN)
}

#[cfg(test)]
mod tests;
