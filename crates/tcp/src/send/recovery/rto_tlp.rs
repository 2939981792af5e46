//! The sender's timer: retransmission (RFC 6298), tail loss probe (RFC 8985 section 7), reordering, persist.

use bentpipe_cc::CongestionKind;
use bentpipe_cc::Event;
use bentpipe_units::{Duration, Time};

use crate::send::Sender;
use crate::send::ack::AckOutcome;
use crate::send::recovery::prr::Progress;
use crate::send::recovery::recovery_state::INITIAL_REORDERING;
use crate::send::recovery::scoreboard::SegmentState;
use crate::send::recovery::{Frto, Phase, Rexmit};
use crate::send::rtt::{INITIAL_RTO, MAX_RTO, MIN_RTO};

/// `TCP_TIMEOUT_MIN_US`: two ticks of a coarse clock.
const MIN_WAIT: Duration = Duration::from_millis(2);
/// An overdue timer expires at once, yet later than now (`tcp_rearm_rto`).
const LEAST_WAIT: Duration = Duration::from_micros(1);
/// `tcp_retries2` = 15 as time: 200 ms doubled up to 120 s (RFC 9293 section 3.8.3: R2).
const GIVE_UP: Duration = Duration::from_millis(924_600);
/// Probes of a closed window without any answer before the peer counts as gone (`tcp_retries2`).
const MAX_PROBES: u32 = 15;

/// The one timer and what it is for.
#[derive(Clone, Copy, Debug)]
pub(in crate::send) struct Timer {
    pub purpose: Purpose,
    pub at: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::send) enum Purpose {
    Retransmit,
    LossProbe,
    Reorder,
    Persist,
}

/// A segment that leaves whatever the window says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::send) enum Forced {
    /// The first, after a timeout.
    Head,
    /// New data if there is some, else the last segment again (RFC 8985 section 7.3).
    Probe,
    /// No data: asks the peer for its window.
    WindowProbe,
}

/// The tail loss probe that is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::send) enum Probe {
    None,
    /// New data, sent when this was SND.NXT (TLP.end_seq).
    New(u64),
    /// A retransmission.
    Again(u64),
}

impl Probe {
    const fn end(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::New(end) | Self::Again(end) => Some(end),
        }
    }

    pub fn is_of(self, end: u64) -> bool {
        self.end() == Some(end)
    }
}

/// Probing of a closed window (RFC 9293 section 3.8.6.1).
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::send) struct Persist {
    backoff: u32,
    unanswered: u32,
}

impl Persist {
    pub fn on_answer(&mut self) {
        self.unanswered = 0;
    }
}

/// The peer does not answer any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

impl Sender {
    pub const fn timeout(&self) -> Option<Time> {
        match self.timer {
            Some(timer) => Some(timer.at),
            None => None,
        }
    }

    fn arm(&mut self, purpose: Purpose, now: Time, wait: Duration) {
        self.timer = Some(Timer { purpose, at: now.saturating_add(wait) });
    }

    pub(in crate::send) fn arm_reordering_timer(&mut self, now: Time, wait: Duration) {
        let wait = wait.saturating_add(MIN_WAIT).min(self.rto());
        self.arm(Purpose::Reorder, now, wait);
    }

    /// `tcp_set_xmit_timer`: after an acknowledgement made progress.
    pub(in crate::send) fn restart_timer(&mut self, now: Time) {
        if !self.schedule_probe(now, self.rto()) {
            self.restart_retransmission(now);
        }
    }

    /// `tcp_rearm_rto`.
    pub(in crate::send) fn restart_retransmission(&mut self, now: Time) {
        if self.scoreboard.is_empty() {
            self.timer = None;
            return;
        }
        let offset = matches!(self.timer, Some(Timer { purpose: Purpose::Reorder | Purpose::LossProbe, .. }));
        // What has passed since the head left counts when a shorter timer stood in between.
        let wait = if offset { self.until_rto(now).max(LEAST_WAIT) } else { self.rto() };
        self.arm(Purpose::Retransmit, now, wait);
    }

    /// `tcp_rto_delta_us`.
    fn until_rto(&self, now: Time) -> Duration {
        let passed = self.scoreboard.front().map_or(Duration::ZERO, |head| now.since(head.sent_at));
        self.rto().saturating_sub(passed)
    }

    /// RFC 8985 section 7.2 (`tcp_schedule_loss_probe`). `rto_in` is when the retransmission timer would expire.
    fn schedule_probe(&mut self, now: Time, rto_in: Duration) -> bool {
        if self.scoreboard.is_empty() || self.recovery.phase != Phase::Open {
            return false;
        }
        let wait = match self.rtt.srtt() {
            // An acknowledgement of a lone segment may be delayed.
            Some(srtt) if self.scoreboard.len() == 1 => srtt * 2 + MIN_RTO,
            Some(srtt) => srtt * 2 + MIN_WAIT,
            None => INITIAL_RTO,
        };
        let wait = if rto_in > Duration::ZERO { wait.min(rto_in) } else { wait };
        self.arm(Purpose::LossProbe, now, wait);
        true
    }

    /// New data left (`tcp_event_new_data_sent`, end of `tcp_write_xmit`).
    pub(in crate::send) fn on_new_data_timer(&mut self, now: Time, was_empty: bool) {
        let probing = matches!(self.timer, Some(Timer { purpose: Purpose::LossProbe, .. }));
        if was_empty || probing {
            self.restart_retransmission(now);
        }
        let rto_in = self.until_rto(now);
        self.schedule_probe(now, rto_in);
    }

    /// The head left again (`tcp_xmit_retransmit_queue`).
    pub(in crate::send) fn on_head_retransmitted(&mut self, now: Time) {
        if !matches!(self.timer, Some(Timer { purpose: Purpose::Reorder, .. })) {
            self.arm(Purpose::Retransmit, now, self.rto());
        }
    }

    pub fn handle_timeout(&mut self, now: Time) -> Result<(), Exhausted> {
        let Some(timer) = self.timer.filter(|timer| timer.at <= now) else { return Ok(()) };
        self.timer = None;
        match timer.purpose {
            Purpose::Retransmit => self.on_retransmission_timeout(now)?,
            Purpose::LossProbe => self.on_probe_timeout(now),
            Purpose::Reorder => self.on_reordering_timeout(now),
            Purpose::Persist => self.on_persist_timeout(now)?,
        }
        Ok(())
    }

    /// RFC 6298 section 5.4 to 5.6 (`tcp_retransmit_timer`).
    fn on_retransmission_timeout(&mut self, now: Time) -> Result<(), Exhausted> {
        if self.scoreboard.is_empty() {
            return Ok(());
        }
        let since = *self.unanswered_since.get_or_insert(now);
        if now.since(since) >= GIVE_UP {
            return Err(Exhausted);
        }
        self.enter_timeout(now);
        self.recovery.timeouts += 1;
        self.forced = Some(Forced::Head);
        self.rtt.back_off();
        self.arm(Purpose::Retransmit, now, self.rto());
        Ok(())
    }

    /// `tcp_enter_loss`.
    fn enter_timeout(&mut self, now: Time) {
        let fresh = !self.recovery.is_repairing();
        if self.scoreboard.front().is_some_and(|head| head.state == SegmentState::Sacked) {
            self.scoreboard.forget_sacks();
        }
        if fresh && self.scoreboard.sacked() >= INITIAL_REORDERING {
            self.reordering = self.reordering.min(INITIAL_REORDERING);
        }
        self.forget_sack_cache();
        let head = self.scoreboard.first_id();
        // RFC 8985 section 6.3: what left within the last round trip is not lost yet.
        let lost: Vec<u64> = self
            .scoreboard
            .iter()
            .filter(|(id, sent)| *id == head || self.rack.is_overdue(now, sent))
            .map(|(id, _)| id)
            .collect();
        for id in lost {
            self.scoreboard.mark_lost(id);
        }
        let progressed = matches!(self.recovery.phase, Phase::Timeout(_)) && self.recovery.timeouts == 0;
        let begins = fresh || self.recovery.recovery_point <= self.una || progressed;
        if begins {
            self.begin_undo();
        }
        let frto = if fresh || self.recovery.timeouts > 0 { Frto::Testing } else { Frto::Settled };
        self.recovery.phase = Phase::Timeout(frto);
        self.recovery.recovery_point = self.next;
        self.recovery.rexmit = Rexmit::None;
        self.forget_probe();
        self.report(now, CongestionKind::Timeout);
    }

    /// RFC 8985 section 7.3 (`tcp_send_loss_probe`).
    fn on_probe_timeout(&mut self, now: Time) {
        if self.probe == Probe::None && !self.scoreboard.is_empty() {
            self.forced = Some(Forced::Probe);
        }
        self.arm(Purpose::Retransmit, now, self.until_rto(now).max(LEAST_WAIT));
    }

    /// The probe left, so that the timer starts anew.
    pub(in crate::send) fn on_probe_sent(&mut self, now: Time, probe: Probe) {
        self.probe = probe;
        self.arm(Purpose::Retransmit, now, self.rto());
    }

    pub(in crate::send) fn forget_probe(&mut self) {
        self.probe = Probe::None;
        if self.forced == Some(Forced::Probe) {
            self.forced = None;
        }
    }

    /// RFC 8985 section 7.4 (`tcp_process_tlp_ack`).
    pub(in crate::send) fn on_probe_answer(&mut self, outcome: &AckOutcome, ack: u64) {
        let Some(end) = self.probe.end().filter(|end| ack >= *end) else { return };
        let Probe::Again(_) = self.probe else {
            self.probe = Probe::None;
            return;
        };
        let plain_duplicate = outcome.is_duplicate && !outcome.data_sacked;
        if outcome.probe_was_duplicate || (ack == end && plain_duplicate) {
            // Original and probe both arrived.
            self.probe = Probe::None;
        } else if ack > end {
            // The probe repaired a loss, which counts as any other.
            self.probe = Probe::None;
            self.report(outcome.now, CongestionKind::Loss);
            if let Some(cc) = &mut self.cc {
                cc.on_event(Event::RecoveryEnd { now: outcome.now });
            }
            self.settle();
        }
    }

    /// RFC 8985 section 6.3 (`tcp_rack_reo_timeout`).
    fn on_reordering_timeout(&mut self, now: Time) {
        let view = self.rack_view(now);
        let before = self.scoreboard.in_flight();
        self.rack.detect_now(&mut self.scoreboard, view);
        if self.scoreboard.in_flight() != before && !matches!(self.recovery.phase, Phase::Fast(_)) {
            self.enter_recovery(now);
            self.allow_fast_retransmission();
        }
        if self.recovery.is_repairing() {
            self.recovery.rexmit = Rexmit::Lost;
        }
        self.arm(Purpose::Retransmit, now, self.until_rto(now).max(LEAST_WAIT));
    }

    fn allow_fast_retransmission(&mut self) {
        let in_flight = self.scoreboard.in_flight();
        let ssthresh = self.cc.as_ref().map_or(1, |cc| cc.cwnd().get() / self.mss);
        if let Phase::Fast(prr) = &mut self.recovery.phase {
            prr.on_ack(Progress { delivered: 1, newly_lost: 0, in_flight, ssthresh, una_advanced: false });
        }
    }

    // ---- a closed window -----------------------------------------------------------------------------------

    /// Data waits, nothing is out and the window is shut (`tcp_check_probe_timer`).
    pub(in crate::send) fn on_blocked_by_window(&mut self, now: Time) {
        if self.scoreboard.is_empty() && self.timer.is_none() && self.forced.is_none() {
            self.persist = Persist::default();
            self.arm(Purpose::Persist, now, self.persist_wait());
        }
    }

    /// `tcp_probe0_when`.
    fn persist_wait(&self) -> Duration {
        let base = self.rto().max(MIN_RTO);
        Duration::from_nanos(base.as_nanos().saturating_mul(1 << self.persist.backoff)).min(MAX_RTO)
    }

    fn on_persist_timeout(&mut self, now: Time) -> Result<(), Exhausted> {
        if !self.scoreboard.is_empty() || self.next >= self.end() || self.first_fits() {
            return Ok(());
        }
        if self.persist.unanswered >= MAX_PROBES {
            return Err(Exhausted);
        }
        self.persist.unanswered += 1;
        self.persist.backoff = (self.persist.backoff + 1).min(MAX_PROBES);
        self.forced = Some(Forced::WindowProbe);
        self.arm(Purpose::Persist, now, self.persist_wait());
        Ok(())
    }

    /// `tcp_ack_probe`: an answer to a probe.
    pub(in crate::send) fn on_window_of_blocked_sender(&mut self, now: Time) {
        let persisting = matches!(self.timer, Some(Timer { purpose: Purpose::Persist, .. }));
        if !persisting {
            return;
        }
        if self.first_fits() {
            self.timer = None;
        } else {
            self.arm(Purpose::Persist, now, self.persist_wait());
        }
    }

    /// Nothing more will be sent.
    pub fn stop(&mut self) {
        self.timer = None;
        self.forced = None;
    }
}
