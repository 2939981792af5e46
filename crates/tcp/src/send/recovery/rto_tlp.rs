//! The sender's timer: retransmission (RFC 6298), tail loss probe (RFC 8985 section 7), reordering, persist.

use bentpipe_cc::CongestionKind;
use bentpipe_units::{Duration, Time};

use crate::send::congestion::Congestion;
use crate::send::recovery::prr::Progress;
use crate::send::recovery::sack::SackCache;
use crate::send::recovery::scoreboard::SegmentState;
use crate::send::recovery::state::{Frto, Phase, Rexmit};
use crate::send::recovery::timer::{Forced, LEAST_WAIT, Persist, Probe, Purpose};
use crate::send::recovery::{Recovery, Room, View};
use crate::send::rtt::{INITIAL_RTO, MIN_RTO, Rtt, doubled, model_timeout};

/// `TCP_TIMEOUT_MIN_US`: two ticks of a coarse clock.
const MIN_WAIT: Duration = Duration::from_millis(2);

/// The peer does not answer any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

/// What a timeout may change and look at besides recovery.
#[derive(Debug)]
pub(crate) struct TimeoutParts<'a> {
    pub now: Time,
    /// First position not yet sent (SND.NXT).
    pub next: u64,
    pub room: Room,
    pub rtt: &'a mut Rtt,
    pub cc: &'a mut Congestion,
}

impl TimeoutParts<'_> {
    const fn view(&self) -> View<'_> {
        View { now: self.now, next: self.next, rtt: self.rtt }
    }
}

impl Recovery {
    /// Time has passed.
    pub fn handle_timeout(&mut self, mut parts: TimeoutParts<'_>) -> Result<(), Exhausted> {
        let Some(timer) = self.timers.armed.filter(|timer| timer.at <= parts.now) else { return Ok(()) };
        self.timers.armed = None;
        match timer.purpose {
            Purpose::Retransmit => self.on_retransmission_timeout(&mut parts)?,
            Purpose::LossProbe => self.on_probe_timeout(parts.view()),
            Purpose::Reorder => self.on_reordering_timeout(&mut parts),
            Purpose::Persist => self.on_persist_timeout(parts.room, parts.view())?,
        }
        Ok(())
    }

    /// Nothing more will be sent.
    pub fn stop(&mut self) {
        self.timers.armed = None;
        self.timers.forced = None;
    }

    pub(super) fn arm_reordering_timer(&mut self, wait: Duration, view: View<'_>) {
        let wait = wait.saturating_add(MIN_WAIT).min(view.rto());
        self.timers.arm(Purpose::Reorder, view.now, wait);
    }

    /// `tcp_set_xmit_timer`: after an acknowledgement made progress.
    pub(super) fn restart_timer(&mut self, view: View<'_>) {
        if !self.schedule_probe(view.rto(), view) {
            self.restart_retransmission(view);
        }
    }

    /// `tcp_rearm_rto`.
    fn restart_retransmission(&mut self, view: View<'_>) {
        if self.scoreboard.is_empty() {
            self.timers.armed = None;
            return;
        }
        let offset =
            self.timers.is_armed_for(Purpose::Reorder) || self.timers.is_armed_for(Purpose::LossProbe);
        // What has passed since the head left counts when a shorter timer stood in between.
        let wait = if offset { self.until_rto(view).max(LEAST_WAIT) } else { view.rto() };
        self.timers.arm(Purpose::Retransmit, view.now, wait);
    }

    /// The SYN-ACK of a Fast Open is acknowledged, until when the kernel's one timer was that of the SYN-ACK: it starts for the
    /// data that are out (`tcp_rcv_synrecv_state_fastopen`).
    pub fn on_fast_open_acked(&mut self, view: View<'_>) {
        if !self.scoreboard.is_empty() {
            self.timers.arm(Purpose::Retransmit, view.now, view.rto());
        }
    }

    /// `tcp_rto_delta_us`.
    fn until_rto(&self, view: View<'_>) -> Duration {
        let passed = self.scoreboard.front().map_or(Duration::ZERO, |head| view.now.since(head.sent_at));
        view.rto().saturating_sub(passed)
    }

    /// RFC 8985 section 7.2 (`tcp_schedule_loss_probe`). `rto_in` is when the retransmission timer would expire.
    fn schedule_probe(&mut self, rto_in: Duration, view: View<'_>) -> bool {
        let is_possible = self.settings.tail_loss_probes.is_on() && !self.is_newreno();
        if self.scoreboard.is_empty() || self.state.phase != Phase::Open || !is_possible {
            return false;
        }
        let wait = match view.rtt.srtt() {
            // An acknowledgement of a lone segment may be delayed.
            Some(srtt) if self.scoreboard.len() == 1 => srtt * 2 + MIN_RTO,
            Some(srtt) => srtt * 2 + MIN_WAIT,
            None => INITIAL_RTO,
        };
        let wait = if rto_in > Duration::ZERO { wait.min(rto_in) } else { wait };
        self.timers.arm(Purpose::LossProbe, view.now, wait);
        true
    }

    // ---- what leaves ---------------------------------------------------------------------------------------

    /// New data left (`tcp_event_new_data_sent`, end of `tcp_write_xmit`).
    pub(super) fn on_new_data_timer(&mut self, view: View<'_>, was_empty: bool) {
        if was_empty || self.timers.is_armed_for(Purpose::LossProbe) {
            self.restart_retransmission(view);
        }
        self.schedule_probe(self.until_rto(view), view);
    }

    /// Data left as a probe of the window: no probe of their loss follows (`tcp_write_wakeup`).
    pub fn on_window_probed(&mut self, view: View<'_>) {
        self.restart_retransmission(view);
    }

    /// The head left again (`tcp_xmit_retransmit_queue`).
    pub(super) fn on_head_retransmitted(&mut self, view: View<'_>) {
        if self.timers.is_armed_for(Purpose::Reorder) {
            return;
        }
        let wait = self.timers.at_most_until_user_timeout(view.rto(), self.timers.unanswered_since, view.now);
        self.timers.arm(Purpose::Retransmit, view.now, wait);
    }

    /// The probe left, so that the timer starts anew.
    pub fn on_probe_sent(&mut self, probe: Probe, view: View<'_>) {
        self.timers.probe = probe;
        self.timers.arm(Purpose::Retransmit, view.now, view.rto());
    }

    // ---- what expires --------------------------------------------------------------------------------------

    /// RFC 6298 section 5.4 to 5.6 (`tcp_retransmit_timer`).
    fn on_retransmission_timeout(&mut self, parts: &mut TimeoutParts<'_>) -> Result<(), Exhausted> {
        if self.scoreboard.is_empty() {
            return Ok(());
        }
        let since = *self.timers.unanswered_since.get_or_insert(parts.now);
        // retransmits_timed_out
        let modelled = || model_timeout(MIN_RTO, self.settings.retries, parts.rtt.max_rto());
        let limit = self.timers.user_timeout.unwrap_or_else(modelled);
        if self.timers.timeouts > 0 && parts.now.since(since) >= limit {
            return Err(Exhausted);
        }
        self.enter_timeout(parts.now, parts.next, parts.cc);
        self.timers.timeouts += 1;
        self.timers.forced = Some(Forced::Head);
        parts.rtt.back_off();
        let wait = self.timers.at_most_until_user_timeout(parts.rtt.rto(), Some(since), parts.now);
        self.timers.arm(Purpose::Retransmit, parts.now, wait);
        Ok(())
    }

    /// `tcp_enter_loss`.
    fn enter_timeout(&mut self, now: Time, next: u64, cc: &mut Congestion) {
        let fresh = !self.state.is_repairing();
        if self.scoreboard.front().is_some_and(|head| head.state == SegmentState::Sacked) {
            self.scoreboard.forget_sacks();
        }
        self.scoreboard.set_duplicates(0);
        if fresh && self.scoreboard.sacked() >= self.settings.reordering {
            self.reordering = self.reordering.min(self.settings.reordering);
        }
        self.sacks = SackCache::default();
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
        let progressed = matches!(self.state.phase, Phase::Timeout(_)) && self.timers.timeouts == 0;
        let starts = fresh || self.state.recovery_point <= self.una || progressed;
        // What a mark has reduced nothing undoes.
        if starts && self.cwr.is_none() {
            self.start_undo();
        }
        let tests = (fresh || self.timers.timeouts > 0) && self.settings.f_rto.is_on();
        let frto = if tests { Frto::Testing } else { Frto::Settled };
        self.state.phase = Phase::Timeout(frto);
        self.cwr = None;
        self.state.recovery_point = next;
        self.state.rexmit = Rexmit::None;
        self.timers.forget_probe();
        cc.on_congestion(now, CongestionKind::Timeout, self.scoreboard.in_flight());
    }

    /// RFC 8985 section 7.3 (`tcp_send_loss_probe`).
    fn on_probe_timeout(&mut self, view: View<'_>) {
        if self.timers.probe == Probe::None && !self.scoreboard.is_empty() {
            self.timers.forced = Some(Forced::Probe);
        }
        self.timers.arm(Purpose::Retransmit, view.now, self.until_rto(view).max(LEAST_WAIT));
    }

    /// RFC 8985 section 6.3 (`tcp_rack_reo_timeout`).
    fn on_reordering_timeout(&mut self, parts: &mut TimeoutParts<'_>) {
        let view = View { now: parts.now, next: parts.next, rtt: parts.rtt };
        let rack_view = self.rack_view(view);
        let before = self.scoreboard.in_flight();
        self.rack.detect_now(&mut self.scoreboard, rack_view);
        if self.scoreboard.in_flight() != before && !matches!(self.state.phase, Phase::Fast(_)) {
            self.enter_recovery(view, parts.cc);
            self.allow_fast_retransmission(parts.cc.target());
        }
        if self.state.is_repairing() {
            self.state.rexmit = Rexmit::Lost;
        }
        self.timers.arm(Purpose::Retransmit, view.now, self.until_rto(view).max(LEAST_WAIT));
    }

    fn allow_fast_retransmission(&mut self, ssthresh: u64) {
        let in_flight = self.scoreboard.in_flight();
        self.reduce(Progress { delivered: 1, newly_lost: 0, in_flight, ssthresh, una_advanced: false });
    }

    // ---- a closed window -----------------------------------------------------------------------------------

    /// Data waits, nothing is out, and the window is shut or the application holds it (`tcp_check_probe_timer`).
    pub fn on_nothing_out(&mut self, view: View<'_>) {
        if self.scoreboard.is_empty() && self.timers.armed.is_none() && self.timers.forced.is_none() {
            self.timers.persist = Persist::default();
            self.arm_persist_timer(view);
        }
    }

    /// `tcp_probe0_when`.
    pub(super) fn arm_persist_timer(&mut self, view: View<'_>) {
        let base = view.rto().max(MIN_RTO);
        let persist = self.timers.persist;
        let wait = doubled(base, persist.backoff).min(view.rtt.max_rto());
        let wait = self.timers.at_most_until_user_timeout(wait, persist.since, view.now);
        self.timers.arm(Purpose::Persist, view.now, wait);
    }

    fn on_persist_timeout(&mut self, room: Room, view: View<'_>) -> Result<(), Exhausted> {
        if !self.scoreboard.is_empty() || !room.waits {
            return Ok(());
        }
        let (limit, retries) = (self.timers.user_timeout, self.settings.retries);
        let persist = &mut self.timers.persist;
        let since = *persist.since.get_or_insert(view.now);
        let is_over = limit.is_some_and(|limit| view.now > since && view.now.since(since) >= limit);
        if is_over || persist.unanswered >= retries {
            return Err(Exhausted);
        }
        persist.unanswered += 1;
        persist.backoff = (persist.backoff + 1).min(retries);
        self.timers.forced = Some(Forced::WindowProbe);
        self.arm_persist_timer(view);
        Ok(())
    }
}
