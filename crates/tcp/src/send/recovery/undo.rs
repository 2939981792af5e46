//! Taking back a reduction that was not warranted: Eifel (RFC 3522, 4015), DSACK (RFC 3708), F-RTO (RFC 5682).

use bentpipe_cc::Event;
use bentpipe_units::Time;

use crate::segment::timestamp_before;
use crate::send::Sender;
use crate::send::ack::AckOutcome;
use crate::send::recovery::rto_tlp::Probe;
use crate::send::recovery::{Phase, Undo};

impl Sender {
    /// `tcp_init_undo`: duplicates of what is out again, and of the probe, may be reported later.
    pub(in crate::send) fn begin_undo(&mut self) {
        let probes = u64::from(matches!(self.probe, Probe::Again(_)));
        self.recovery.undo.begin(self.una, self.scoreboard.retransmitted() + probes);
    }

    /// `tcp_may_undo`.
    pub(in crate::send) fn may_undo(&self, outcome: &AckOutcome) -> bool {
        let undo = &self.recovery.undo;
        undo.marker.is_some() && (undo.all_unnecessary() || self.original_arrived(outcome))
    }

    /// RFC 3522: the acknowledgement echoes a timestamp from before the first retransmission, or there was none
    /// (`tcp_packet_delayed`).
    fn original_arrived(&self, outcome: &AckOutcome) -> bool {
        match self.recovery.undo.first_retransmission {
            None => true,
            Some(first) => outcome.echo.is_some_and(|echo| timestamp_before(echo, first)),
        }
    }

    /// `tcp_undo_cwnd_reduction`.
    pub(in crate::send) fn undo(&mut self, now: Time) {
        if let Some(cc) = &mut self.cc {
            cc.on_event(Event::Undo { now });
        }
        self.recovery.undo = Undo { marker: None, ..self.recovery.undo };
        self.rack.on_undo();
    }

    /// `tcp_try_undo_loss`.
    pub(in crate::send) fn undo_timeout(&mut self, now: Time) {
        self.scoreboard.unmark_lost();
        self.undo(now);
        self.recovery.timeouts = 0;
        self.recovery.phase = Phase::Open;
        self.forced = None;
    }

    /// `tcp_try_undo_dsack`.
    pub(in crate::send) fn undo_by_dsack(&mut self, now: Time) -> bool {
        let unnecessary = self.recovery.undo.all_unnecessary();
        if unnecessary {
            self.rack.on_dsack_undo();
            self.undo(now);
            if matches!(self.recovery.phase, Phase::Fast(_)) {
                self.recovery.phase = Phase::Open;
            }
        }
        unnecessary
    }

    /// `tcp_try_undo_partial`: a hole was filled by the original. Whether nothing more is to be retransmitted.
    pub(in crate::send) fn undo_partially(&mut self, outcome: &AckOutcome) -> bool {
        if self.recovery.undo.marker.is_none() || !self.original_arrived(outcome) {
            return false;
        }
        // The overtaken segment is the first of the recovery.
        let forward_end = self.scoreboard.forward_end(self.una);
        self.learn_reordering(forward_end.saturating_sub(outcome.prior_una));
        if self.scoreboard.retransmitted() > 0 {
            return true;
        }
        self.scoreboard.unmark_lost();
        self.undo(outcome.now);
        self.settle();
        false
    }
}
