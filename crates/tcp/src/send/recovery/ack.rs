//! What an acknowledgement does to recovery, in the order of `tcp_ack`: what it delivers (`tcp_sacktag_write_queue`,
//! `tcp_clean_rtx_queue`), and what follows from that (`tcp_fastretrans_alert`).

use crate::send::ack::Ack;
use crate::send::congestion::Congestion;
use crate::send::recovery::outcome::{AckOutcome, Before};
use crate::send::recovery::rack::RackView;
use crate::send::recovery::sack::{Block, SackCache, is_dsack};
use crate::send::recovery::scoreboard::{History, SegmentState};
use crate::send::recovery::state::{Phase, Rexmit};
use crate::send::recovery::{Recovery, Room, View};

/// What the search for losses found.
#[derive(Clone, Copy, Debug, Default)]
struct Losses {
    /// A retransmission is among them.
    retransmission_lost: bool,
    /// The timer now waits for what may only be reordered.
    reordering_awaited: bool,
}

impl Recovery {
    /// Takes in an acknowledgement of what was sent.
    #[inline]
    pub fn on_ack(
        &mut self,
        ack: &Ack<'_>,
        window_changed: bool,
        view: View<'_>,
        cc: &mut Congestion,
    ) -> AckOutcome {
        let mut outcome = AckOutcome::new(ack, self.before(), self.timers.wheel());
        outcome.is_duplicate = !(outcome.una_advanced || window_changed || ack.carries_data);
        self.timers.on_ack(outcome.una_advanced);
        self.tag_sacks(&mut outcome, ack.sack, view, cc);
        if outcome.una_advanced {
            self.remove_acked(&mut outcome, view, cc);
        }
        if self.is_newreno() {
            self.count_duplicates(&mut outcome, view, cc);
        }
        // A selective acknowledgement restarts the timer only when it is of something sent before the head.
        outcome.restart_timer = outcome.data_acked
            || !outcome.una_advanced
                && self.scoreboard.front().is_some_and(|head| outcome.is_sacked_before(head.sent_at));
        outcome
    }

    /// Takes in an acknowledgement that a later one has overtaken: it brings selective acknowledgements and no more
    /// (`tcp_ack`, old_ack).
    pub fn on_old_ack(&mut self, ack: &Ack<'_>, room: Room, view: View<'_>, cc: &mut Congestion) {
        let mut outcome = AckOutcome::new(ack, self.before(), self.timers.wheel());
        self.tag_sacks(&mut outcome, ack.sack, view, cc);
        cc.on_old_ack();
        self.note_reordering(&outcome, cc);
        self.update_state(&outcome, room, view, cc);
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
            self.on_dsack(outcome, first, view.next, cc);
            blocks = rest;
        }
        // RFC 2018: a block outside of what is out is nonsense.
        let is_sound =
            |block: &Block| block.start < block.end && self.una <= block.start && block.end <= view.next;
        let known = SackCache::of(blocks.iter().copied().filter(is_sound));
        let seen = std::mem::replace(&mut self.sacks, known);
        // In the order of the stream, whatever theirs: none that is acknowledged at once has overtaken another.
        for block in known.blocks() {
            seen.for_each_new(block, |fresh| self.tag(outcome, (block, fresh), view, cc));
        }
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
            outcome.on_sacked(&before, forward_end, self.state.recovery_point);
            cc.on_delivered(outcome.now, &before.rate);
            self.rack.on_delivered(outcome.now, &before, view.rtt.min());
        }
    }

    /// A duplicate arrived at the peer: a retransmission was unnecessary (`tcp_check_dsack`, `tcp_dsack_seen`).
    fn on_dsack(&mut self, outcome: &mut AckOutcome, duplicate: &Block, next: u64, cc: &mut Congestion) {
        let segments = (duplicate.end - duplicate.start).div_ceil(cc.mss());
        // Duplicates beyond the number of retransmissions are the network's.
        self.duplicates += segments;
        if self.duplicates > self.scoreboard.total_retransmitted() {
            return;
        }
        // The retransmission has arrived too, beside the original.
        outcome.on_duplicate_reported(segments);
        cc.on_duplicates_delivered(outcome.now, segments);
        if segments == 1 && self.timers.probe.is_of(duplicate.end) {
            outcome.probe_was_duplicate = true;
        } else {
            self.rack.on_dsack(self.una, next);
        }
        if duplicate.end <= self.una {
            self.state.undo.on_dsack(duplicate.end, segments);
        } else {
            self.on_dsack_beyond_hole(outcome, duplicate);
        }
    }

    /// The duplicates are still out: each says what it is of (`tcp_sacktag_one`).
    fn on_dsack_beyond_hole(&mut self, outcome: &mut AckOutcome, duplicate: &Block) {
        for id in self.scoreboard.touched_by(duplicate.start, duplicate.end) {
            let Some(sent) = self.scoreboard.get(id).filter(|sent| sent.history == History::Retransmitted)
            else {
                continue;
            };
            self.state.undo.on_dsack(sent.end, 1);
            if sent.state == SegmentState::Sacked {
                // Original and repetition both arrived: what is beyond had overtaken it.
                outcome.note_overtaken(sent.start);
            }
        }
    }

    // ---- cumulative (tcp_clean_rtx_queue) --------------------------------------------------------------------

    fn remove_acked(&mut self, outcome: &mut AckOutcome, view: View<'_>, cc: &mut Congestion) {
        let position = outcome.position;
        let is_small = position - self.una < cc.mss();
        let had_sacked = self.scoreboard.sacked() > 0;
        let (mut acked, mut last) = (0, None);
        self.scoreboard.trim(position);
        while let Some(sent) = self.scoreboard.pop_acked(position) {
            self.timers.forced = None;
            acked += 1;
            last = Some(sent.rate);
            outcome.on_acked(&sent, self.state.recovery_point);
            if sent.state != SegmentState::Sacked && !self.is_newreno() {
                cc.on_delivered(outcome.now, &sent.rate);
                if !outcome.is_of_the_original(&sent) {
                    self.rack.on_delivered(outcome.now, &sent, view.rtt.min());
                }
            }
        }
        if let Some(last) = last.filter(|_| self.is_newreno()) {
            let fresh = self.remove_duplicates(acked);
            outcome.on_acked_beside_duplicates(fresh);
            cc.on_delivered(outcome.now, &last);
            cc.on_duplicates_delivered(outcome.now, fresh - 1);
        }
        // A lone small segment is all that a round trip has delivered, and nothing is amiss: a receiver waits with that.
        outcome.is_maybe_delayed = is_small
            && acked == 1
            && !had_sacked
            && last.is_some_and(|rate| cc.is_first_delivered_since(&rate));
        self.una = position;
        cc.on_acked(position);
        // A receiver that drops what it acknowledged selectively (RFC 2018 section 8) is found out here.
        if self.scoreboard.front().is_some_and(|sent| sent.state == SegmentState::Sacked) {
            self.scoreboard.forget_sacks();
            self.sacks = SackCache::default();
        }
    }

    // ---- what follows (tcp_fastretrans_alert) ----------------------------------------------------------------

    /// Draws the conclusions from an acknowledgement whose round-trip time is taken in.
    pub fn alert(&mut self, outcome: &AckOutcome, room: Room, view: View<'_>, cc: &mut Congestion) {
        self.note_reordering(outcome, cc);
        self.on_probe_answer(outcome, view, cc);
        let losses = self.update_state(outcome, room, view, cc);
        if outcome.restart_timer && !losses.reordering_awaited {
            self.restart_timer(view);
        }
        if outcome.before.was_empty {
            self.on_window_of_blocked_sender(room, view);
        }
    }

    fn update_state(
        &mut self,
        outcome: &AckOutcome,
        room: Room,
        view: View<'_>,
        cc: &mut Congestion,
    ) -> Losses {
        self.state.rexmit = Rexmit::Lost;
        let suspicious = outcome.is_duplicate
            || outcome.data_sacked
            || outcome.duplicate_reported
            || self.state.phase != Phase::Open;
        if !suspicious || (outcome.before.was_empty && !outcome.duplicate_reported) {
            if self.state.phase == Phase::Open {
                self.state.undo.first_retransmission = None;
            }
            // RACK finds losses by cumulative acknowledgements too once it waits for the reordering timer.
            return Losses::default();
        }
        if self.state.phase == Phase::Open {
            self.state.undo.first_retransmission = None;
        } else if matches!(self.state.phase, Phase::Fast(_)) && self.una >= self.state.recovery_point {
            self.finish_recovery(outcome, cc);
            if self.awaits_more() {
                return Losses::default();
            }
        }
        match self.state.phase {
            Phase::Fast(_) => self.update_in_recovery(outcome, view, cc),
            Phase::Timeout(_) => self.update_after_timeout(outcome, room, view, cc),
            Phase::Open | Phase::Disorder => self.update_open_or_disorder(outcome, view, cc),
        }
    }

    fn update_in_recovery(&mut self, outcome: &AckOutcome, view: View<'_>, cc: &mut Congestion) -> Losses {
        if outcome.una_advanced && self.undo_partially(outcome, view.next, cc) {
            self.state.rexmit = Rexmit::None;
            return Losses::default();
        }
        if self.undo_by_dsack(view.now, cc) {
            self.settle(view.next);
        }
        let losses = self.find_losses(outcome, view);
        if !matches!(self.state.phase, Phase::Fast(_)) && self.scoreboard.lost() > 0 {
            self.enter_recovery(view, cc);
        }
        losses
    }

    fn update_after_timeout(
        &mut self,
        outcome: &AckOutcome,
        room: Room,
        view: View<'_>,
        cc: &mut Congestion,
    ) -> Losses {
        self.process_timeout_phase(outcome, room, view, cc);
        let mut losses = self.find_losses(outcome, view);
        if self.state.phase == Phase::Open || losses.retransmission_lost {
            losses.reordering_awaited |= self.update_open_or_disorder(outcome, view, cc).reordering_awaited;
        }
        losses
    }

    fn update_open_or_disorder(
        &mut self,
        outcome: &AckOutcome,
        view: View<'_>,
        cc: &mut Congestion,
    ) -> Losses {
        if !self.state.is_repairing() {
            self.undo_by_dsack(view.now, cc);
        }
        let losses = self.find_losses(outcome, view);
        if self.scoreboard.lost() > 0 {
            self.enter_recovery(view, cc);
        } else if !self.state.is_repairing() {
            self.settle(view.next);
        }
        losses
    }

    /// RFC 8985 section 6.2 (`tcp_identify_packet_loss`).
    fn find_losses(&mut self, outcome: &AckOutcome, view: View<'_>) -> Losses {
        if self.is_newreno() {
            self.mark_first_lost(outcome.una_advanced);
            return Losses::default();
        }
        let retransmitted = self.scoreboard.retransmitted();
        let rack_view = self.rack_view(view);
        let wait = self.rack.detect(&mut self.scoreboard, rack_view);
        if let Some(wait) = wait {
            self.arm_reordering_timer(wait, view);
        }
        Losses {
            retransmission_lost: self.scoreboard.retransmitted() < retransmitted,
            reordering_awaited: wait.is_some(),
        }
    }

    pub(super) fn rack_view(&self, view: View<'_>) -> RackView {
        RackView {
            now: view.now,
            min_rtt: view.rtt.min(),
            srtt: view.rtt.srtt(),
            is_repairing: self.state.is_repairing(),
            reordering: self.reordering,
        }
    }
}
