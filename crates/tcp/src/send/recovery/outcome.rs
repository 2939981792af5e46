//! What one acknowledgement said (the flags of `tcp_ack`).

use bentpipe_units::{Duration, Time};

use crate::segment::{timestamp, timestamp_before};
use crate::send::ack::Ack;
use crate::send::recovery::scoreboard::{History, SegmentState, Sent};
use crate::send::rtt::RttReading;

/// What one acknowledgement said (the flags of `tcp_ack`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckOutcome {
    pub now: Time,
    pub echo: Option<u32>,
    /// SEG.ACK.
    pub position: u64,
    pub before: Before,
    pub una_advanced: bool,
    pub data_acked: bool,
    pub data_sacked: bool,
    pub is_duplicate: bool,
    /// A segment sent before the episode and only once was delivered (`FLAG_ORIG_SACK_ACKED`).
    pub original_delivered: bool,
    pub duplicate_reported: bool,
    /// The DSACK is of the tail loss probe.
    pub probe_was_duplicate: bool,
    /// Whether the peer may have waited before it acknowledged (`FLAG_ACK_MAYBE_DELAYED`).
    pub is_maybe_delayed: bool,
    /// The lowest segment that was overtaken.
    pub reordered_from: Option<u64>,
    pub newly_delivered: u64,
    /// Whether the retransmission timer starts anew (`FLAG_SET_XMIT_TIMER`).
    pub restart_timer: bool,
    /// Departures of originals acknowledged cumulatively.
    acked_at: Span,
    /// Departures of originals acknowledged selectively.
    sacked_at: Span,
    retransmission_acked: bool,
}

/// What was so before an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    pub una: u64,
    pub in_flight: u64,
    pub lost: u64,
    pub forward_end: u64,
    pub was_empty: bool,
}

/// The first departure and the last.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    first: Option<Time>,
    last: Option<Time>,
}

impl Span {
    fn note(&mut self, at: Time) {
        self.first.get_or_insert(at);
        self.last = Some(at);
    }
}

impl AckOutcome {
    pub fn new(ack: &Ack<'_>, before: Before) -> Self {
        Self {
            now: ack.now,
            echo: ack.echo,
            position: ack.position,
            before,
            una_advanced: ack.position > before.una,
            data_acked: false,
            data_sacked: false,
            is_duplicate: false,
            original_delivered: false,
            duplicate_reported: false,
            probe_was_duplicate: false,
            is_maybe_delayed: false,
            reordered_from: None,
            newly_delivered: 0,
            restart_timer: false,
            acked_at: Span::default(),
            sacked_at: Span::default(),
            retransmission_acked: false,
        }
    }

    /// A segment is delivered beyond a hole. What was acknowledged beyond it before ends at `forward_end`.
    pub fn on_sacked(&mut self, sent: &Sent, forward_end: u64, recovery_point: u64) {
        self.data_sacked = true;
        self.newly_delivered += 1;
        if sent.history == History::SentOnce {
            // A hole below what was acknowledged, filled by an original: reordering.
            if sent.start < forward_end {
                self.note_overtaken(sent.start);
            }
            self.original_delivered |= sent.end <= recovery_point;
            self.sacked_at.note(sent.sent_at);
        }
    }

    /// A segment is acknowledged cumulatively.
    pub fn on_acked(&mut self, sent: &Sent, recovery_point: u64) {
        self.data_acked = true;
        self.newly_delivered += u64::from(sent.state != SegmentState::Sacked);
        if sent.history == History::Retransmitted {
            self.retransmission_acked = true;
        } else if sent.state != SegmentState::Sacked {
            self.acked_at.note(sent.sent_at);
            self.note_overtaken(sent.start);
            self.original_delivered |= sent.end <= recovery_point;
        }
    }

    /// So many segments arrived twice, each by a retransmission.
    pub fn on_duplicate_reported(&mut self, segments: u64) {
        self.duplicate_reported = true;
        self.newly_delivered += segments;
    }

    /// Whether what was acknowledged selectively left before `at`.
    pub fn is_sacked_before(&self, at: Time) -> bool {
        self.age(self.sacked_at.first).is_some_and(|sacked| sacked > self.now.since(at))
    }

    pub fn note_overtaken(&mut self, start: u64) {
        self.reordered_from = Some(self.reordered_from.map_or(start, |from| from.min(start)));
    }

    fn age(&self, at: Option<Time>) -> Option<Duration> {
        at.map(|at| self.now.since(at))
    }

    /// The acknowledgement echoes a time before the retransmission (`tcp_skb_spurious_retrans`).
    pub fn is_of_the_original(&self, sent: &Sent) -> bool {
        sent.history == History::Retransmitted
            && self.echo.is_some_and(|echo| timestamp_before(echo, timestamp(sent.sent_at)))
    }

    /// `tcp_ack_update_rtt`: of segments sent once (Karn), else by timestamps (RFC 7323 section 4.1).
    pub fn rtt(&self) -> RttReading {
        let acked = self.age(self.acked_at.first).filter(|_| !self.retransmission_acked);
        let by_echo = self.echo.filter(|_| self.data_acked).map(|echo| {
            // The clock ticks once a millisecond; zero counts as one tick.
            let ticks = timestamp(self.now).wrapping_sub(echo).max(1);
            Duration::from_millis(u64::from(ticks))
        });
        let by_echo = by_echo.filter(|echo| *echo <= self.now.since(Time::ZERO));
        // What was acknowledged selectively left later (`tcp_clean_rtx_queue`).
        let newest_acked = self.age(self.acked_at.last).filter(|_| acked.is_some());
        RttReading {
            sample: acked.or(self.age(self.sacked_at.first)).or(by_echo),
            newest: self.age(self.sacked_at.last).or(newest_acked).or(by_echo),
            is_maybe_delayed: self.is_maybe_delayed && acked.is_some(),
        }
    }
}
