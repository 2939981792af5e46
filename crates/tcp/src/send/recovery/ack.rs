//! What an acknowledgement delivers (`tcp_sacktag_write_queue`, `tcp_clean_rtx_queue`).

use bentpipe_units::{Duration, Time};

use crate::segment::{timestamp, timestamp_before};
use crate::send::ack::Ack;
use crate::send::congestion::Congestion;
use crate::send::recovery::sack::{Block, SackCache, is_dsack};
use crate::send::recovery::scoreboard::{History, SegmentState, Sent};
use crate::send::recovery::{Recovery, View};
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

impl Recovery {
    /// Takes in an acknowledgement of what was sent.
    pub fn on_ack(
        &mut self,
        ack: &Ack<'_>,
        window_changed: bool,
        view: View<'_>,
        cc: &mut Congestion,
    ) -> AckOutcome {
        let mut outcome = AckOutcome::new(ack, self.before());
        outcome.is_duplicate = !(outcome.una_advanced || window_changed || ack.carries_data);
        self.timers.on_ack(outcome.una_advanced);
        self.tag_sacks(&mut outcome, ack.sack, view, cc);
        if outcome.una_advanced {
            self.remove_acked(&mut outcome, view, cc);
        }
        outcome.restart_timer = outcome.data_acked || self.is_sacked_before_head(&outcome);
        outcome
    }

    fn before(&self) -> Before {
        Before {
            una: self.una,
            in_flight: self.scoreboard.in_flight(),
            lost: self.scoreboard.total_lost(),
            forward_end: self.scoreboard.forward_end(self.una),
            was_empty: self.scoreboard.is_empty(),
        }
    }

    /// A selective acknowledgement restarts the timer only when it is of something sent before the head.
    fn is_sacked_before_head(&self, outcome: &AckOutcome) -> bool {
        let Some(head) = self.scoreboard.front().filter(|_| !outcome.una_advanced) else { return false };
        outcome.age(outcome.sacked_at.first).is_some_and(|sacked| sacked > outcome.now.since(head.sent_at))
    }

    // ---- selective (tcp_sacktag_write_queue) -----------------------------------------------------------------

    /// Takes in the blocks.
    fn tag_sacks(
        &mut self,
        outcome: &mut AckOutcome,
        mut blocks: &[Block],
        view: View<'_>,
        cc: &mut Congestion,
    ) {
        if let Some((first, rest)) = blocks.split_first()
            && is_dsack(first, rest.first(), outcome.position)
        {
            self.on_dsack(outcome, first, view.next, cc.mss());
            blocks = rest;
        }
        let mut cache = SackCache::default();
        let seen = std::mem::take(&mut self.sacks);
        for (slot, block) in blocks.iter().enumerate() {
            // RFC 2018: a block outside of what is out is nonsense.
            if block.start >= block.end || block.end > view.next || block.start < self.una {
                continue;
            }
            cache.keep(slot, *block);
            seen.for_each_new(*block, |fresh| self.tag(outcome, (*block, fresh), view, cc));
        }
        self.sacks = cache;
    }

    /// Tags the segments that lie in `block` and touch that part of it which is `fresh`.
    fn tag(
        &mut self,
        outcome: &mut AckOutcome,
        (block, fresh): (Block, Block),
        view: View<'_>,
        cc: &mut Congestion,
    ) {
        for id in self.scoreboard.touched_by(fresh.start, fresh.end) {
            let Some(sent) = self.scoreboard.get(id) else { continue };
            if sent.start < block.start || sent.end > block.end {
                continue;
            }
            let forward_end = self.scoreboard.forward_end(self.una);
            let Some(before) = self.scoreboard.sack(id) else { continue };
            outcome.data_sacked = true;
            if before.history == History::SentOnce {
                // A hole below what was acknowledged, filled by an original: reordering.
                if before.start < forward_end {
                    outcome.note_overtaken(before.start);
                }
                outcome.original_delivered |= before.end <= self.state.recovery_point;
                outcome.sacked_at.note(before.sent_at);
            }
            outcome.newly_delivered += 1;
            cc.on_delivered(outcome.now, &before.rate);
            self.rack.on_delivered(outcome.now, &before, view.rtt.min());
        }
    }

    /// A duplicate arrived at the peer: a retransmission was unnecessary (`tcp_check_dsack`).
    fn on_dsack(&mut self, outcome: &mut AckOutcome, duplicate: &Block, next: u64, mss: u64) {
        outcome.duplicate_reported = true;
        // Duplicates beyond the number of retransmissions are the network's.
        self.dsacks += 1;
        if self.dsacks > self.scoreboard.total_retransmitted() {
            return;
        }
        if self.timers.probe.is_of(duplicate.end) {
            outcome.probe_was_duplicate = true;
        } else {
            self.rack.on_dsack(self.una, next);
        }
        let segments = duplicate.end.saturating_sub(duplicate.start).div_ceil(mss).max(1);
        self.state.undo.on_dsack(duplicate.end, segments);
    }

    // ---- cumulative (tcp_clean_rtx_queue) --------------------------------------------------------------------

    fn remove_acked(&mut self, outcome: &mut AckOutcome, view: View<'_>, cc: &mut Congestion) {
        let position = outcome.position;
        while let Some(sent) = self.scoreboard.pop_acked(position) {
            outcome.data_acked = true;
            self.timers.forced = None;
            if sent.history == History::Retransmitted {
                outcome.retransmission_acked = true;
            } else if sent.state != SegmentState::Sacked {
                outcome.acked_at.note(sent.sent_at);
                outcome.note_overtaken(sent.start);
                outcome.original_delivered |= sent.end <= self.state.recovery_point;
            }
            if sent.state != SegmentState::Sacked {
                outcome.newly_delivered += 1;
                cc.on_delivered(outcome.now, &sent.rate);
                if !outcome.is_of_the_original(&sent) {
                    self.rack.on_delivered(outcome.now, &sent, view.rtt.min());
                }
            }
        }
        self.scoreboard.trim_front(position);
        self.una = position;
        cc.on_acked(position);
        // A receiver that drops what it acknowledged selectively (RFC 2018 section 8) is found out here.
        if self.scoreboard.front().is_some_and(|sent| sent.state == SegmentState::Sacked) {
            self.scoreboard.forget_sacks();
            self.sacks = SackCache::default();
        }
    }
}

impl AckOutcome {
    fn new(ack: &Ack<'_>, before: Before) -> Self {
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
            reordered_from: None,
            newly_delivered: 0,
            restart_timer: false,
            acked_at: Span::default(),
            sacked_at: Span::default(),
            retransmission_acked: false,
        }
    }

    fn note_overtaken(&mut self, start: u64) {
        self.reordered_from = Some(self.reordered_from.map_or(start, |from| from.min(start)));
    }

    fn age(&self, at: Option<Time>) -> Option<Duration> {
        at.map(|at| self.now.since(at))
    }

    /// The acknowledgement echoes a time before the retransmission (`tcp_skb_spurious_retrans`).
    fn is_of_the_original(&self, sent: &Sent) -> bool {
        sent.history == History::Retransmitted
            && self.echo.is_some_and(|echo| timestamp_before(echo, timestamp(sent.sent_at)))
    }

    /// `tcp_ack_update_rtt`: of segments sent once (Karn), else by timestamps (RFC 7323 section 4.1).
    pub fn rtt(&self) -> RttReading {
        let acked = self.age(self.acked_at.first).filter(|_| !self.retransmission_acked);
        let by_echo = self.echo.filter(|_| self.data_acked && self.una_advanced).map(|echo| {
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
        }
    }
}
