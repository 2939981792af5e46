//! The episodes of loss recovery: how they start, end, and turn out to be spurious.

use bentpipe_cc::CongestionKind;
use bentpipe_units::Time;

use crate::send::congestion::Congestion;
use crate::send::recovery::outcome::AckOutcome;
use crate::send::recovery::prr::Prr;
use crate::send::recovery::state::{Frto, Phase, Rexmit};
use crate::send::recovery::timer::{Persist, Probe, Purpose};
use crate::send::recovery::{Recovery, Room, View};

/// `tcp_max_reordering`.
pub(super) const MAX_REORDERING: u64 = 300;

impl Recovery {
    /// RFC 6675 section 5 step 4 (`tcp_enter_recovery`).
    pub(super) fn enter_recovery(&mut self, view: View<'_>, cc: &mut Congestion) {
        if !self.any_retransmission_out() {
            self.state.undo.first_retransmission = None;
        }
        // A loss in the round trip of a mark is part of its episode, which nothing undoes (`tcp_in_cwnd_reduction`).
        let reduction = self.cwr.take();
        if reduction.is_none() {
            self.start_undo();
        }
        self.state.phase = Phase::Fast(reduction.map_or_else(|| Prr::new(self.cwnd(cc)), |cwr| cwr.prr));
        self.state.recovery_point = reduction.map_or(view.next, |cwr| cwr.end);
        self.state.rexmit = Rexmit::Lost;
        self.timers.forget_probe();
        if reduction.is_none() {
            cc.on_congestion(view.now, CongestionKind::Loss, self.scoreboard.in_flight());
        }
    }

    /// Everything that was out when the episode started is delivered (`tcp_try_undo_recovery`).
    pub(super) fn finish_recovery(&mut self, outcome: &AckOutcome, cc: &mut Congestion) {
        let is_undone = self.state.undo.is_due(outcome.echo);
        if is_undone {
            self.undo(outcome.now, cc);
        } else {
            self.rack.on_recovered();
        }
        if self.awaits_more() {
            return;
        }
        if !is_undone {
            cc.on_recovery_end(outcome.now);
        }
        self.state.phase = Phase::Open;
    }

    /// RFC 5682 section 3.1, the variant with SACK (`tcp_process_loss`).
    pub(super) fn process_timeout_phase(
        &mut self,
        outcome: &AckOutcome,
        room: Room,
        view: View<'_>,
        cc: &mut Congestion,
    ) {
        let recovered = self.una >= self.state.recovery_point;
        if outcome.una_advanced && self.state.undo.is_due(outcome.echo) {
            self.undo_timeout(outcome.now, cc);
            return;
        }
        if self.state.phase == Phase::Timeout(Frto::Testing) {
            // Step 3b: something sent only before the timeout was delivered after it.
            if outcome.original_delivered {
                self.undo_timeout(outcome.now, cc);
                return;
            }
            if view.next > self.state.recovery_point {
                // Step 3a: the loss was real.
                if outcome.data_sacked || outcome.is_duplicate {
                    self.state.phase = Phase::Timeout(Frto::Settled);
                }
            } else if outcome.una_advanced && !recovered {
                self.state.recovery_point = view.next;
                // Step 2b: new data tells whether the path is alive.
                if room.waits && room.is_open {
                    self.state.rexmit = Rexmit::NewFirst;
                    return;
                }
                self.state.phase = Phase::Timeout(Frto::Settled);
            }
        }
        if recovered {
            self.finish_recovery(outcome, cc);
        }
    }

    /// Open, or disorder while something is missing (`tcp_try_keep_open`).
    pub(super) fn settle(&mut self, next: u64) {
        let retransmissions = self.any_retransmission_out();
        if !retransmissions {
            self.state.undo.first_retransmission = None;
        }
        let missing = self.scoreboard.sacked() + self.scoreboard.lost() > 0 || retransmissions;
        let phase = if missing { Phase::Disorder } else { Phase::Open };
        if self.state.phase != phase {
            self.state.phase = phase;
            self.state.recovery_point = next;
        }
    }

    // ---- reordering ----------------------------------------------------------------------------------------

    /// `tcp_check_sack_reordering`.
    pub(super) fn note_reordering(&mut self, outcome: &AckOutcome, cc: &Congestion) {
        let forward_end = outcome.before.forward_end;
        let Some(from) = outcome.reordered_from.filter(|from| *from < forward_end) else { return };
        self.learn_reordering(forward_end - from, cc.mss());
    }

    /// Packets overtook each other by `distance` bytes.
    pub(super) fn learn_reordering(&mut self, distance: u64, mss: u64) {
        if distance > self.reordering * mss {
            self.reordering = distance.div_ceil(mss).min(MAX_REORDERING);
        }
        self.rack.on_reordering();
    }

    // ---- the tail loss probe -------------------------------------------------------------------------------

    /// RFC 8985 section 7.4 (`tcp_process_tlp_ack`).
    pub(super) fn on_probe_answer(&mut self, outcome: &AckOutcome, view: View<'_>, cc: &mut Congestion) {
        let ack = outcome.position;
        let Some(end) = self.timers.probe.end().filter(|end| ack >= *end) else { return };
        let Probe::Again(_) = self.timers.probe else {
            self.timers.probe = Probe::None;
            return;
        };
        let plain_duplicate = outcome.is_duplicate && !outcome.data_sacked;
        if outcome.probe_was_duplicate || (ack == end && plain_duplicate) {
            // Original and probe both arrived.
            self.timers.probe = Probe::None;
        } else if ack > end {
            // The probe repaired a loss, which counts as any other.
            self.timers.probe = Probe::None;
            cc.on_congestion(outcome.now, CongestionKind::Loss, self.scoreboard.in_flight());
            cc.on_recovery_end(outcome.now);
            self.settle(view.next);
        }
    }

    /// `tcp_ack_probe`: an answer to a probe of the peer's window.
    pub(super) fn on_window_of_blocked_sender(&mut self, room: Room, view: View<'_>) {
        if !self.timers.is_armed_for(Purpose::Persist) {
            return;
        }
        if room.first_fits {
            self.timers.armed = None;
            self.timers.persist = Persist::default();
        } else {
            self.arm_persist_timer(view);
        }
    }

    // ---- a reduction is taken back -------------------------------------------------------------------------

    /// `tcp_init_undo`: duplicates of what is out again, and of the probe, may be reported later.
    pub(super) fn start_undo(&mut self) {
        let probes = u64::from(matches!(self.timers.probe, Probe::Again(_)));
        self.state.undo.start(self.una, self.scoreboard.retransmitted() + probes);
    }

    /// `tcp_undo_cwnd_reduction`.
    pub(super) fn undo(&mut self, now: Time, cc: &mut Congestion) {
        cc.on_undo(now);
        self.state.undo.marker = None;
        self.rack.on_undo();
    }

    /// `tcp_try_undo_loss`.
    pub(super) fn undo_timeout(&mut self, now: Time, cc: &mut Congestion) {
        self.scoreboard.unmark_lost();
        self.undo(now, cc);
        self.timers.timeouts = 0;
        self.state.phase = Phase::Open;
        self.timers.forced = None;
    }

    /// `tcp_try_undo_dsack`.
    pub(super) fn undo_by_dsack(&mut self, now: Time, cc: &mut Congestion) -> bool {
        let unnecessary = self.state.undo.all_unnecessary();
        if unnecessary {
            self.rack.on_dsack_undo();
            self.undo(now, cc);
            if matches!(self.state.phase, Phase::Fast(_)) {
                self.state.phase = Phase::Open;
            }
        }
        unnecessary
    }

    /// `tcp_try_undo_partial`: a hole was filled by the original. Whether nothing more is to be retransmitted.
    pub(super) fn undo_partially(&mut self, outcome: &AckOutcome, next: u64, cc: &mut Congestion) -> bool {
        if self.state.undo.marker.is_none() || !self.state.undo.original_arrived(outcome.echo) {
            return false;
        }
        // The overtaken segment is the first of the recovery.
        let forward_end = self.scoreboard.forward_end(self.una);
        self.learn_reordering(forward_end.saturating_sub(outcome.before.una), cc.mss());
        if self.scoreboard.retransmitted() > 0 {
            return true;
        }
        self.scoreboard.unmark_lost();
        self.undo(outcome.now, cc);
        self.settle(next);
        false
    }
}
