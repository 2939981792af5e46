//! What an acknowledgement means for loss recovery (`tcp_fastretrans_alert`).

use bentpipe_cc::{CongestionEvent, CongestionKind, Event};
use bentpipe_units::Time;

use crate::send::Sender;
use crate::send::ack::AckOutcome;
use crate::send::recovery::prr::Prr;
use crate::send::recovery::rack::RackView;
use crate::send::recovery::{Frto, Phase, Rexmit};

/// `tcp_reordering`: segments by which packets may overtake each other before that counts as remarkable.
pub(in crate::send) const INITIAL_REORDERING: u64 = 3;
/// `tcp_max_reordering`.
const MAX_REORDERING: u64 = 300;

impl Sender {
    pub(in crate::send) fn update_recovery_state(&mut self, outcome: &mut AckOutcome, was_empty: bool) {
        self.recovery.rexmit = Rexmit::Lost;
        let suspicious = outcome.is_duplicate
            || outcome.data_sacked
            || outcome.duplicate_reported
            || self.recovery.phase != Phase::Open;
        if !suspicious || (was_empty && !outcome.duplicate_reported) {
            if self.recovery.phase == Phase::Open {
                self.recovery.undo.first_retransmission = None;
            }
            // RACK finds losses by cumulative acknowledgements too once it waits for the reordering timer.
            return;
        }
        if self.recovery.phase == Phase::Open {
            self.recovery.undo.first_retransmission = None;
        } else if matches!(self.recovery.phase, Phase::Fast(_)) && self.una >= self.recovery.recovery_point {
            self.finish_recovery(outcome);
        }
        match self.recovery.phase {
            Phase::Fast(_) => self.update_in_recovery(outcome),
            Phase::Timeout(_) => self.update_after_timeout(outcome),
            Phase::Open | Phase::Disorder => self.update_open_or_disorder(outcome),
        }
    }

    fn update_in_recovery(&mut self, outcome: &mut AckOutcome) {
        if outcome.una_advanced && self.undo_partially(outcome) {
            self.recovery.rexmit = Rexmit::None;
            return;
        }
        if self.undo_by_dsack(outcome.now) {
            self.settle();
        }
        self.find_losses(outcome);
        if !matches!(self.recovery.phase, Phase::Fast(_)) && self.scoreboard.lost() > 0 {
            self.enter_recovery(outcome.now);
        }
    }

    fn update_after_timeout(&mut self, outcome: &mut AckOutcome) {
        self.process_timeout_phase(outcome);
        self.find_losses(outcome);
        if self.recovery.phase == Phase::Open || outcome.retransmission_lost {
            self.update_open_or_disorder(outcome);
        }
    }

    fn update_open_or_disorder(&mut self, outcome: &mut AckOutcome) {
        if !self.recovery.is_repairing() {
            self.undo_by_dsack(outcome.now);
        }
        self.find_losses(outcome);
        if self.scoreboard.lost() > 0 {
            self.enter_recovery(outcome.now);
        } else if !self.recovery.is_repairing() {
            self.settle();
        }
    }

    /// RFC 8985 section 6.2 (`tcp_identify_packet_loss`).
    fn find_losses(&mut self, outcome: &mut AckOutcome) {
        let retransmitted = self.scoreboard.retransmitted();
        let view = self.rack_view(outcome.now);
        if let Some(wait) = self.rack.detect(&mut self.scoreboard, view) {
            self.arm_reordering_timer(outcome.now, wait);
            outcome.restart_timer = false;
        }
        outcome.retransmission_lost |= self.scoreboard.retransmitted() < retransmitted;
    }

    pub(in crate::send) fn rack_view(&self, now: Time) -> RackView {
        RackView {
            now,
            min_rtt: self.rtt.min(),
            srtt: self.rtt.srtt(),
            is_repairing: self.recovery.is_repairing(),
        }
    }

    /// RFC 6675 section 5 step 4 (`tcp_enter_recovery`).
    pub(in crate::send) fn enter_recovery(&mut self, now: Time) {
        if !self.any_retransmission_out() {
            self.recovery.undo.first_retransmission = None;
        }
        self.begin_undo();
        let cwnd = self.cwnd();
        self.recovery.phase = Phase::Fast(Prr::new(cwnd));
        self.recovery.recovery_point = self.next;
        self.recovery.rexmit = Rexmit::Lost;
        self.forget_probe();
        self.report(now, CongestionKind::Loss);
    }

    pub(in crate::send) fn report(&mut self, now: Time, kind: CongestionKind) {
        let in_flight = self.bytes(self.scoreboard.in_flight());
        if let Some(cc) = &mut self.cc {
            cc.on_event(Event::Congestion(CongestionEvent { now, kind, in_flight }));
        }
    }

    /// Everything that was out when the episode began is delivered (`tcp_try_undo_recovery`).
    pub(in crate::send) fn finish_recovery(&mut self, outcome: &AckOutcome) {
        if self.may_undo(outcome) {
            self.undo(outcome.now);
        } else {
            self.rack.on_recovered();
            if let Some(cc) = &mut self.cc {
                cc.on_event(Event::RecoveryEnd { now: outcome.now });
            }
        }
        self.recovery.phase = Phase::Open;
    }

    /// RFC 5682 section 3.1, the variant with SACK (`tcp_process_loss`).
    fn process_timeout_phase(&mut self, outcome: &AckOutcome) {
        let recovered = self.una >= self.recovery.recovery_point;
        if outcome.una_advanced && self.may_undo(outcome) {
            self.undo_timeout(outcome.now);
            return;
        }
        if self.recovery.phase == Phase::Timeout(Frto::Testing) {
            // Step 3b: something sent only before the timeout was delivered after it.
            if outcome.original_delivered {
                self.undo_timeout(outcome.now);
                return;
            }
            if self.next > self.recovery.recovery_point {
                // Step 3a: the loss was real.
                if outcome.data_sacked || outcome.is_duplicate {
                    self.recovery.phase = Phase::Timeout(Frto::Settled);
                }
            } else if outcome.una_advanced && !recovered {
                self.recovery.recovery_point = self.next;
                // Step 2b: new data tells whether the path is alive.
                if self.next < self.end() && self.window_end() > self.next {
                    self.recovery.rexmit = Rexmit::NewFirst;
                    return;
                }
                self.recovery.phase = Phase::Timeout(Frto::Settled);
            }
        }
        if recovered {
            self.finish_recovery(outcome);
        }
    }

    /// Open, or disorder while something is missing (`tcp_try_keep_open`).
    pub(in crate::send) fn settle(&mut self) {
        let retransmissions = self.any_retransmission_out();
        if !retransmissions {
            self.recovery.undo.first_retransmission = None;
        }
        let missing = self.scoreboard.sacked() + self.scoreboard.lost() > 0 || retransmissions;
        let phase = if missing { Phase::Disorder } else { Phase::Open };
        if self.recovery.phase != phase {
            self.recovery.phase = phase;
            self.recovery.recovery_point = self.next;
        }
    }

    /// Packets overtook each other by `distance` octets.
    pub(in crate::send) fn learn_reordering(&mut self, distance: u64) {
        if distance > self.reordering * self.mss {
            self.reordering = distance.div_ceil(self.mss).min(MAX_REORDERING);
        }
        self.rack.on_reordering();
    }
}
