//! Losses of a peer that acknowledges nothing selectively (RFC 6582): each duplicate acknowledgement tells that some
//! segment has arrived (`tcp_is_reno`).

use crate::options::SackPermitted;
use crate::send::congestion::Congestion;
use crate::send::recovery::episode::MAX_REORDERING;
use crate::send::recovery::outcome::AckOutcome;
use crate::send::recovery::scoreboard::SegmentState;
use crate::send::recovery::state::Phase;
use crate::send::recovery::{Recovery, View};

impl Recovery {
    /// Whether the peer reports nothing but how far everything is in order.
    pub(super) fn is_newreno(&self) -> bool {
        self.sack_permitted == SackPermitted::No
    }

    /// `acked` segments were acknowledged: one fills the hole, the others are those that duplicates have told of
    /// (`tcp_remove_reno_sacks`). Returns how many are news.
    pub(super) fn remove_duplicates(&mut self, acked: u64) -> u64 {
        let fresh = acked.saturating_sub(self.scoreboard.duplicates()).max(1);
        let left = self.scoreboard.duplicates().saturating_sub(acked.saturating_sub(1));
        self.scoreboard.set_duplicates(left);
        self.check_duplicates(acked);
        fresh
    }

    /// Counts a duplicate acknowledgement, or forgets those before (`tcp_add_reno_sack`, `tcp_reset_reno_sack`).
    pub(super) fn count_duplicates(&mut self, outcome: &mut AckOutcome, view: View<'_>, cc: &mut Congestion) {
        let goes_on = matches!(self.state.phase, Phase::Fast(_));
        let is_over = goes_on && self.una >= self.state.recovery_point;
        if is_over || (outcome.una_advanced && !goes_on) {
            self.scoreboard.set_duplicates(0);
        }
        if is_over || outcome.una_advanced {
            return;
        }
        // After a timeout a duplicate tells of new data only (RFC 5682 section 2.1 step 2b).
        let tests_nothing =
            matches!(self.state.phase, Phase::Timeout(_)) && view.next <= self.state.recovery_point;
        if !outcome.is_duplicate || outcome.before.was_empty || tests_nothing {
            return;
        }
        let before = self.scoreboard.duplicates();
        self.scoreboard.set_duplicates(before + 1);
        self.check_duplicates(0);
        let delivered = self.scoreboard.duplicates().saturating_sub(before);
        outcome.newly_delivered += delivered;
        cc.on_duplicates_delivered(outcome.now, delivered);
    }

    /// More duplicates than segments behind a hole: packets have overtaken each other (`tcp_check_reno_reordering`).
    fn check_duplicates(&mut self, acked: u64) {
        let out = self.scoreboard.len();
        let holes = self.scoreboard.lost().max(1).min(out);
        if self.scoreboard.duplicates() + holes > out {
            self.scoreboard.set_duplicates(out - holes);
            self.reordering = (out + acked).min(MAX_REORDERING);
            self.rack.on_reordering();
        }
    }

    /// Three duplicates, or in recovery an acknowledgement of a part: the first segment is lost
    /// (`tcp_newreno_mark_lost`).
    pub(super) fn mark_first_lost(&mut self, una_advanced: bool) {
        let is_lost = match self.state.phase {
            Phase::Open | Phase::Disorder => self.scoreboard.duplicates() >= self.reordering,
            Phase::Fast(_) => una_advanced,
            Phase::Timeout(_) => false,
        };
        if is_lost && self.scoreboard.front().is_some_and(|head| head.state != SegmentState::Lost) {
            self.scoreboard.mark_lost(self.scoreboard.first_id());
        }
    }

    /// Whether the end of an episode is not believed yet: duplicates of what it has retransmitted would start another
    /// (RFC 6582 section 4.1; `tcp_is_non_sack_preventing_reopen`).
    pub(super) fn awaits_more(&self) -> bool {
        self.is_newreno() && self.una == self.state.recovery_point
    }
}
