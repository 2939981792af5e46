//! What an acknowledgement means for loss recovery (`tcp_fastretrans_alert`).

use bentpipe_cc::{CongestionEvent, CongestionKind, Event};
use bentpipe_units::Time;

use super::Sender;
use super::ack::Facts;
use super::prr::Prr;
use super::rack::{RackView, Repair};
use super::recovery::{Frto, Phase, Rexmit};

/// `tcp_reordering`: segments by which packets may overtake each other before that counts as remarkable.
pub(super) const INITIAL_REORDERING: u64 = 3;
/// `tcp_max_reordering`.
const MAX_REORDERING: u64 = 300;

impl Sender {
    pub(super) fn judge(&mut self, facts: &mut Facts, was_empty: bool) {
        self.recovery.rexmit = Rexmit::Lost;
        let suspicious = facts.is_duplicate
            || facts.data_sacked
            || facts.duplicate_reported
            || self.recovery.phase != Phase::Open;
        if !suspicious || (was_empty && !facts.duplicate_reported) {
            if self.recovery.phase == Phase::Open {
                self.recovery.undo.first_retransmission = None;
            }
            // RACK finds losses by cumulative acknowledgements too once it waits for the reordering timer.
            return;
        }
        if self.recovery.phase == Phase::Open {
            self.recovery.undo.first_retransmission = None;
        } else if matches!(self.recovery.phase, Phase::Fast(_)) && self.una >= self.recovery.high {
            self.finish_recovery(facts);
        }
        match self.recovery.phase {
            Phase::Fast(_) => self.judge_in_recovery(facts),
            Phase::Timeout(_) => self.judge_after_timeout(facts),
            Phase::Open | Phase::Disorder => self.judge_losses(facts),
        }
    }

    fn judge_in_recovery(&mut self, facts: &mut Facts) {
        if facts.una_advanced && self.undo_partially(facts) {
            self.recovery.rexmit = Rexmit::Hold;
            return;
        }
        if self.undo_by_dsack(facts.now) {
            self.settle();
        }
        self.find_losses(facts);
        if !matches!(self.recovery.phase, Phase::Fast(_)) && self.board.lost() > 0 {
            self.enter_recovery(facts.now);
        }
    }

    fn judge_after_timeout(&mut self, facts: &mut Facts) {
        self.process_timeout_phase(facts);
        self.find_losses(facts);
        if self.recovery.phase == Phase::Open || facts.retransmission_lost {
            self.judge_losses(facts);
        }
    }

    fn judge_losses(&mut self, facts: &mut Facts) {
        if !self.recovery.is_repairing() {
            self.undo_by_dsack(facts.now);
        }
        self.find_losses(facts);
        if self.board.lost() > 0 {
            self.enter_recovery(facts.now);
        } else if !self.recovery.is_repairing() {
            self.settle();
        }
    }

    /// RFC 8985 section 6.2 (`tcp_identify_packet_loss`).
    fn find_losses(&mut self, facts: &mut Facts) {
        let retransmitted = self.board.retransmitted();
        let view = self.rack_view(facts.now);
        if let Some(wait) = self.rack.detect(&mut self.board, view) {
            self.arm_reordering_timer(facts.now, wait);
            facts.restart_timer = false;
        }
        facts.retransmission_lost |= self.board.retransmitted() < retransmitted;
    }

    pub(super) fn rack_view(&self, now: Time) -> RackView {
        let repair = if self.recovery.is_repairing() { Repair::InProgress } else { Repair::None };
        RackView { now, min_rtt: self.rtt.min(), srtt: self.rtt.srtt(), repair }
    }

    /// RFC 6675 section 5 step 4 (`tcp_enter_recovery`).
    pub(super) fn enter_recovery(&mut self, now: Time) {
        if !self.any_retransmission_out() {
            self.recovery.undo.first_retransmission = None;
        }
        self.begin_undo();
        let cwnd = self.cwnd();
        self.recovery.phase = Phase::Fast(Prr::new(cwnd));
        self.recovery.high = self.next;
        self.recovery.rexmit = Rexmit::Lost;
        self.forget_probe();
        self.report(now, CongestionKind::Loss);
    }

    pub(super) fn report(&mut self, now: Time, kind: CongestionKind) {
        let in_flight = self.bytes(self.board.in_flight());
        if let Some(control) = &mut self.control {
            control.on_event(Event::Congestion(CongestionEvent { now, kind, in_flight }));
        }
    }

    /// Everything that was out when the episode began is delivered (`tcp_try_undo_recovery`).
    pub(super) fn finish_recovery(&mut self, facts: &Facts) {
        if self.may_undo(facts) {
            self.undo(facts.now);
        } else {
            self.rack.on_recovered();
            if let Some(control) = &mut self.control {
                control.on_event(Event::RecoveryEnd { now: facts.now });
            }
        }
        self.recovery.phase = Phase::Open;
    }

    /// RFC 5682 section 3.1, the variant with SACK (`tcp_process_loss`).
    fn process_timeout_phase(&mut self, facts: &Facts) {
        let recovered = self.una >= self.recovery.high;
        if facts.una_advanced && self.may_undo(facts) {
            self.undo_timeout(facts.now);
            return;
        }
        if self.recovery.phase == Phase::Timeout(Frto::Testing) {
            // Step 3b: something sent only before the timeout was delivered after it.
            if facts.original_delivered {
                self.undo_timeout(facts.now);
                return;
            }
            if self.next > self.recovery.high {
                // Step 3a: the loss was real.
                if facts.data_sacked || facts.is_duplicate {
                    self.recovery.phase = Phase::Timeout(Frto::Settled);
                }
            } else if facts.una_advanced && !recovered {
                self.recovery.high = self.next;
                // Step 2b: new data tells whether the path is alive.
                if self.next < self.end() && self.window_end() > self.next {
                    self.recovery.rexmit = Rexmit::NewFirst;
                    return;
                }
                self.recovery.phase = Phase::Timeout(Frto::Settled);
            }
        }
        if recovered {
            self.finish_recovery(facts);
        }
    }

    /// Open, or disorder while something is missing (`tcp_try_keep_open`).
    pub(super) fn settle(&mut self) {
        let retransmissions = self.any_retransmission_out();
        if !retransmissions {
            self.recovery.undo.first_retransmission = None;
        }
        let missing = self.board.sacked() + self.board.lost() > 0 || retransmissions;
        let phase = if missing { Phase::Disorder } else { Phase::Open };
        if self.recovery.phase != phase {
            self.recovery.phase = phase;
            self.recovery.high = self.next;
        }
    }

    /// Packets overtook each other by `distance` octets.
    pub(super) fn learn_reordering(&mut self, distance: u64) {
        if distance > self.reordering * self.mss {
            self.reordering = distance.div_ceil(self.mss).min(MAX_REORDERING);
        }
        self.rack.on_reordering();
    }
}
