//! What an acknowledgement does to the sender (`tcp_ack`).

use bentpipe_cc::usage::WindowUsage;
use bentpipe_cc::{AckSample, Demand};
use bentpipe_units::{Bytes, Duration, Time};

use crate::segment::{timestamp, timestamp_before};
use crate::send::Sender;
use crate::send::recovery::Phase;
use crate::send::recovery::prr::Progress;
use crate::send::recovery::recovery_state::INITIAL_REORDERING;
use crate::send::recovery::sack::Block;
use crate::send::recovery::scoreboard::{History, SegmentState, Sent};
use crate::send::rtt::RoundView;

/// An acceptable segment's acknowledgement, in positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack<'a> {
    pub now: Time,
    /// SEG.SEQ.
    pub seq: u64,
    /// SEG.ACK.
    pub position: u64,
    /// SEG.WND, scaled.
    pub window: u64,
    pub sack: &'a [Block],
    /// TSecr.
    pub echo: Option<u32>,
    /// Whether the segment carries data of its own.
    pub carries_data: bool,
}

/// What became of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    /// It acknowledges what was never sent.
    Unsent,
}

/// What one acknowledgement said (the flags of `tcp_ack`).
#[derive(Clone, Copy, Debug)]
pub(super) struct AckOutcome {
    pub now: Time,
    pub echo: Option<u32>,
    pub prior_una: u64,
    pub una_advanced: bool,
    pub data_acked: bool,
    pub data_sacked: bool,
    pub is_duplicate: bool,
    /// A segment sent before the episode and only once was delivered (`FLAG_ORIG_SACK_ACKED`).
    pub original_delivered: bool,
    pub retransmission_lost: bool,
    pub duplicate_reported: bool,
    /// The DSACK is of the tail loss probe.
    pub probe_was_duplicate: bool,
    /// The lowest segment that was overtaken.
    pub reordered_from: Option<u64>,
    pub newly_delivered: u64,
    /// Departures of originals acknowledged cumulatively.
    pub first_acked_at: Option<Time>,
    pub last_acked_at: Option<Time>,
    /// Departures of originals acknowledged selectively.
    pub first_sacked_at: Option<Time>,
    pub last_sacked_at: Option<Time>,
    pub retransmission_acked: bool,
    pub restart_timer: bool,
    /// Of what was acknowledged last (`rate_sample.rtt_us`).
    pub rtt: Option<Duration>,
}

impl AckOutcome {
    fn new(ack: &Ack<'_>, prior_una: u64) -> Self {
        Self {
            now: ack.now,
            echo: ack.echo,
            prior_una,
            una_advanced: ack.position > prior_una,
            data_acked: false,
            data_sacked: false,
            is_duplicate: false,
            original_delivered: false,
            retransmission_lost: false,
            duplicate_reported: false,
            probe_was_duplicate: false,
            reordered_from: None,
            newly_delivered: 0,
            first_acked_at: None,
            last_acked_at: None,
            first_sacked_at: None,
            last_sacked_at: None,
            retransmission_acked: false,
            restart_timer: false,
            rtt: None,
        }
    }

    /// The acknowledgement echoes a time before the retransmission (`tcp_skb_spurious_retrans`).
    fn is_of_the_original(&self, sent: &Sent) -> bool {
        sent.history == History::Retransmitted
            && self.echo.is_some_and(|echo| timestamp_before(echo, timestamp(sent.sent_at)))
    }
}

/// What was so before an acknowledgement.
#[derive(Clone, Copy, Debug)]
struct Before {
    in_flight: u64,
    lost: u64,
    forward_end: u64,
    was_empty: bool,
}

impl Sender {
    /// Takes in an acknowledgement.
    pub fn on_ack(&mut self, ack: &Ack<'_>) -> Verdict {
        if ack.position > self.next {
            return Verdict::Unsent;
        }
        let mut outcome = AckOutcome::new(ack, self.una);
        let before = Before {
            in_flight: self.scoreboard.in_flight(),
            lost: self.scoreboard.total_lost(),
            forward_end: self.scoreboard.forward_end(self.una),
            was_empty: self.scoreboard.is_empty(),
        };
        let window_changed = if ack.position >= self.una {
            self.window.update(ack.seq, ack.window, outcome.una_advanced)
        } else {
            false
        };
        if outcome.una_advanced {
            self.recovery.timeouts = 0;
            self.unanswered_since = None;
        }
        self.persist.on_answer();
        self.tag_sacks(&mut outcome, ack.position, ack.sack);
        self.remove_acked(&mut outcome, ack.position);
        let moved = outcome.una_advanced || window_changed || ack.carries_data;
        outcome.is_duplicate = !moved;
        self.sample_rtt(&mut outcome);
        self.note_reordering(&outcome, before.forward_end);
        self.on_probe_answer(&outcome, ack.position);
        self.update_recovery_state(&mut outcome, before.was_empty);
        if outcome.restart_timer {
            self.restart_timer(ack.now);
        }
        if before.was_empty {
            self.on_window_of_blocked_sender(ack.now);
        }
        // Nothing was out, so that it says nothing of the path (`tcp_ack`: no_queue).
        if !before.was_empty {
            self.control_window(&outcome, before);
        }
        Verdict::Accepted
    }

    /// `tcp_clean_rtx_queue`.
    fn remove_acked(&mut self, outcome: &mut AckOutcome, position: u64) {
        if position <= self.una {
            return;
        }
        while let Some(sent) = self.scoreboard.pop_acked(position) {
            outcome.data_acked = true;
            outcome.restart_timer = true;
            self.forced = None;
            if sent.history == History::Retransmitted {
                outcome.retransmission_acked = true;
            } else if sent.state != SegmentState::Sacked {
                outcome.first_acked_at.get_or_insert(sent.sent_at);
                outcome.last_acked_at = Some(sent.sent_at);
                outcome.reordered_from =
                    Some(outcome.reordered_from.map_or(sent.start, |r| r.min(sent.start)));
                outcome.original_delivered |= sent.end <= self.recovery.recovery_point;
            }
            if sent.state != SegmentState::Sacked {
                self.deliver(outcome, &sent);
                if !outcome.is_of_the_original(&sent) {
                    self.rack.on_delivered(outcome.now, &sent, self.rtt.min());
                }
            }
        }
        self.scoreboard.trim_front(position);
        self.una = position;
        self.buffer.release(position);
        self.usage.on_acked(position);
        // A receiver that drops what it acknowledged selectively (RFC 2018 section 8) is found out here.
        if self.scoreboard.front().is_some_and(|sent| sent.state == SegmentState::Sacked) {
            self.scoreboard.forget_sacks();
            self.forget_sack_cache();
        }
    }

    /// A segment is delivered for the first time.
    pub(super) fn deliver(&mut self, outcome: &mut AckOutcome, sent: &Sent) {
        outcome.newly_delivered += 1;
        self.rate.on_delivered(outcome.now, &sent.rate, Bytes::new(self.mss));
    }

    /// `tcp_ack_update_rtt`: of segments sent once (Karn), else by timestamps (RFC 7323 section 4.1).
    fn sample_rtt(&mut self, outcome: &mut AckOutcome) {
        let age = |at: Option<Time>| at.map(|at| outcome.now.since(at));
        let acked = age(outcome.first_acked_at).filter(|_| !outcome.retransmission_acked);
        let by_echo = outcome.echo.filter(|_| outcome.data_acked && outcome.una_advanced).map(|echo| {
            // The clock ticks once a millisecond; zero counts as one tick.
            let ticks = timestamp(outcome.now).wrapping_sub(echo).max(1);
            Duration::from_millis(u64::from(ticks))
        });
        let by_echo = by_echo.filter(|echo| *echo <= outcome.now.since(Time::ZERO));
        let sacked = age(outcome.first_sacked_at);
        let sample = acked.or(sacked).or(by_echo);
        // What was acknowledged selectively left later (`tcp_clean_rtx_queue`).
        let newest_acked = age(outcome.last_acked_at).filter(|_| acked.is_some());
        outcome.rtt = age(outcome.last_sacked_at).or(newest_acked).or(by_echo);
        if let Some(least) = outcome.rtt {
            self.rtt.on_min_sample(outcome.now, least);
        }
        if let Some(sample) = sample {
            self.rtt.on_sample(sample, RoundView { una: self.una, next: self.next });
        }
        // A selective acknowledgement restarts the timer only when it is of something sent before the head.
        if !outcome.una_advanced
            && let (Some(sacked), Some(head)) = (sacked, self.scoreboard.front())
        {
            outcome.restart_timer |= sacked > outcome.now.since(head.sent_at);
        }
    }

    /// `tcp_check_sack_reordering`.
    fn note_reordering(&mut self, outcome: &AckOutcome, forward_end: u64) {
        let Some(from) = outcome.reordered_from.filter(|from| *from < forward_end) else { return };
        self.learn_reordering(forward_end - from);
    }

    /// `tcp_cong_control`: what the acknowledgement means for the window.
    fn control_window(&mut self, outcome: &AckOutcome, before: Before) {
        let newly_lost = self.scoreboard.total_lost() - before.lost;
        let in_flight = self.scoreboard.in_flight();
        let rate = self.rate.sample(self.rtt.min());
        if let Some(rate) = rate
            && (rate.demand == Demand::Backlogged || self.latest_rate.is_none_or(|kept| rate.rate() >= kept))
        {
            self.latest_rate = Some(rate.rate());
        }
        let sample = AckSample {
            now: outcome.now,
            acked: self.bytes(outcome.newly_delivered),
            lost: self.bytes(newly_lost),
            delivered: self.rate.delivered(),
            prior_in_flight: self.bytes(before.in_flight),
            in_flight: self.bytes(in_flight),
            rtt: outcome.rtt,
            srtt: self.rtt.srtt(),
            rate,
            usage: self.usage_for(outcome),
        };
        let Some(cc) = &mut self.cc else { return };
        cc.on_ack(&sample);
        let ssthresh = cc.cwnd().get() / self.mss;
        if let Phase::Fast(prr) = &mut self.recovery.phase {
            prr.on_ack(Progress {
                delivered: outcome.newly_delivered,
                newly_lost,
                in_flight,
                ssthresh,
                una_advanced: outcome.una_advanced,
            });
        }
    }

    /// The window grows with cumulative progress only, unless reordering makes that rare (`tcp_may_raise_cwnd`).
    fn usage_for(&self, outcome: &AckOutcome) -> WindowUsage {
        if outcome.data_acked || self.reordering > INITIAL_REORDERING {
            self.usage.usage()
        } else {
            WindowUsage { is_cwnd_limited: false, peak_in_flight: Bytes::ZERO }
        }
    }

    /// Whether a retransmission of what is still out has been made (`tcp_any_retrans_done`).
    pub(super) fn any_retransmission_out(&self) -> bool {
        self.scoreboard.retransmitted() > 0
            || self
                .scoreboard
                .front()
                .is_some_and(|sent| sent.history == History::Retransmitted || sent.retransmission_in_flight)
    }
}
