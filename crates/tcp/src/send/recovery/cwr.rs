//! The answer to a mark that the peer echoes (RFC 3168 section 6.1.2; `TCP_CA_CWR`).

use bentpipe_cc::CongestionKind;
use bentpipe_units::Time;

use crate::send::congestion::Congestion;
use crate::send::recovery::prr::Prr;
use crate::send::recovery::state::Cwr;
use crate::send::recovery::{Recovery, View};

impl Recovery {
    /// An acknowledgement echoes a mark: a reduction once a round trip, and none beside that for a loss
    /// (`tcp_enter_cwr`).
    pub fn on_mark_echoed(&mut self, view: View<'_>, cc: &mut Congestion) {
        // "ECE, hence prohibit cwnd undoing, the reduction is required" (`tcp_fastretrans_alert`, step A).
        self.state.undo.marker = None;
        if self.cwr.is_some() || self.state.is_repairing() {
            return;
        }
        self.cwr = Some(Cwr { end: view.next, prr: Prr::new(self.cwnd(cc)) });
        cc.on_congestion(view.now, CongestionKind::Ecn, self.scoreboard.in_flight());
    }

    /// It ends when something is acknowledged that was sent after it, which told the peer of it (`tcp_fastretrans_alert`,
    /// TCP_CA_CWR).
    pub fn finish_cwr(&mut self, now: Time, cc: &mut Congestion) {
        let una = self.una;
        if self.cwr.take_if(|cwr| una > cwr.end).is_some() {
            cc.on_recovery_end(now);
        }
    }
}
