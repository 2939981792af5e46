//! RACK: a segment is lost when one sent sufficiently later was delivered (RFC 8985 section 6.2).

use bentpipe_units::{Duration, Time};

use crate::send::recovery::scoreboard::{History, Scoreboard, Sent, Verdict};

/// Recoveries for which a widened reordering window is kept (`TCP_RACK_RECOVERY_THRESH`).
const REO_WND_PERSIST: u8 = 16;
const MAX_REO_WND_MULT: u64 = 255;

/// RACK's state.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    /// The most recently sent segment among those delivered: RACK.xmit_ts, and the order of transmission where
    /// times are equal (RACK.end_seq: in real time they hardly ever are).
    newest: Option<(Time, u64)>,
    /// RACK.rtt.
    rtt: Duration,
    /// The burst of the segment that it is of: what left at the same instant in a later one waits still, as it does in
    /// real time.
    rtt_burst: u64,
    /// Whether something was delivered since losses were looked for last.
    has_progressed: bool,
    /// RACK.reo_wnd_mult.
    reo_wnd_mult: u64,
    /// RACK.reo_wnd_persist.
    reo_wnd_persist: u8,
    /// RACK.dsack_round: the window is not widened again before this position is acknowledged.
    dsack_round: Option<u64>,
    /// How often packets overtook each other (RACK.reordering_seen, `reord_seen`).
    reorderings: u64,
}

/// What RACK looks at besides its own state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RackView {
    pub now: Time,
    pub min_rtt: Option<Duration>,
    pub srtt: Option<Duration>,
    /// Whether losses are being repaired.
    pub is_repairing: bool,
    /// Segments delivered out of order that end the grace of the reordering window (RFC 8985 section 6.2: DupThresh).
    pub reordering: u64,
}

impl Rack {
    pub const fn new() -> Self {
        Self {
            newest: None,
            rtt: Duration::ZERO,
            rtt_burst: 0,
            has_progressed: false,
            reo_wnd_mult: 1,
            reo_wnd_persist: 0,
            dsack_round: None,
            reorderings: 0,
        }
    }

    /// RACK_update: a segment was delivered for the first time.
    pub fn on_delivered(&mut self, now: Time, sent: &Sent, min_rtt: Option<Duration>) {
        let rtt = now.since(sent.sent_at);
        // Section 6.2 step 2: an acknowledgement this quick is of the original, not of the retransmission. As in Linux,
        // the step's look at the echoed timestamp is left to who calls: beyond a hole that is the one of the segment
        // before the hole (RFC 7323 section 4.3), older than any retransmission.
        if sent.history == History::Retransmitted && min_rtt.is_some_and(|least| rtt < least) {
            return;
        }
        self.has_progressed = true;
        (self.rtt, self.rtt_burst) = (rtt, sent.burst);
        self.newest = self.newest.max(Some((sent.sent_at, sent.transmission)));
    }

    /// Step 4: a DSACK after reordering widens the window, once per round trip.
    pub fn on_dsack(&mut self, una: u64, next: u64) {
        if self.dsack_round.is_some_and(|end| una >= end) {
            self.dsack_round = None;
        }
        if self.reorderings > 0 && self.dsack_round.is_none() {
            self.dsack_round = Some(next);
            self.reo_wnd_mult = (self.reo_wnd_mult + 1).min(MAX_REO_WND_MULT);
            self.reo_wnd_persist = REO_WND_PERSIST;
        }
    }

    pub fn on_reordering(&mut self) {
        self.reorderings += 1;
    }

    pub const fn reorderings(&self) -> u64 {
        self.reorderings
    }

    /// A recovery ended without being undone.
    pub fn on_recovered(&mut self) {
        self.reo_wnd_persist = self.reo_wnd_persist.saturating_sub(1);
        if self.reo_wnd_persist == 0 {
            self.reo_wnd_mult = 1;
        }
    }

    /// DSACKs showed that every retransmission was unnecessary: the window stays wide one more time.
    pub fn on_dsack_undo(&mut self) {
        self.reo_wnd_persist = (self.reo_wnd_persist + 1).min(REO_WND_PERSIST);
    }

    /// A recovery turned out to be spurious: losses are judged anew.
    pub fn on_undo(&mut self) {
        self.has_progressed = true;
    }

    /// Steps 4 and 5: marks what is lost; returns how long to wait for what may only be reordered.
    pub fn detect(&mut self, scoreboard: &mut Scoreboard, view: RackView) -> Option<Duration> {
        if !std::mem::take(&mut self.has_progressed) {
            return None;
        }
        self.detect_now(scoreboard, view)
    }

    /// The same when the reordering timer has expired.
    pub fn detect_now(&mut self, scoreboard: &mut Scoreboard, view: RackView) -> Option<Duration> {
        let newest = self.newest?;
        let grace = self.reo_wnd(scoreboard, view);
        let mut longest = None;
        scoreboard.for_each_by_time(|_, sent| {
            if (sent.sent_at, sent.transmission) >= newest {
                return Verdict::Stop;
            }
            match self.remaining(view.now, sent, grace) {
                None => Verdict::Lost,
                remaining => {
                    longest = longest.max(remaining);
                    Verdict::Waits
                }
            }
        });
        longest
    }

    /// Whether the segment is past RACK's time at a timeout, without grace for reordering (`tcp_timeout_mark_lost`).
    pub fn is_overdue(&self, now: Time, sent: &Sent) -> bool {
        self.remaining(now, sent, Duration::ZERO).is_none()
    }

    /// How long until a segment is lost (`tcp_rack_skb_timeout`); None when it is.
    fn remaining(&self, now: Time, sent: &Sent, grace: Duration) -> Option<Duration> {
        let (limit, elapsed) = (self.rtt + grace, now.since(sent.sent_at));
        let waits = (elapsed, self.rtt_burst) < (limit, sent.burst);
        waits.then(|| limit.saturating_sub(elapsed))
    }

    /// RACK_update_reo_wnd.
    fn reo_wnd(&self, scoreboard: &Scoreboard, view: RackView) -> Duration {
        if self.reorderings == 0 && (view.is_repairing || scoreboard.sacked() >= view.reordering) {
            return Duration::ZERO;
        }
        let quarter = view.min_rtt.unwrap_or(Duration::ZERO) / 4;
        (quarter * self.reo_wnd_mult).min(view.srtt.unwrap_or(Duration::ZERO))
    }
}

#[cfg(test)]
mod tests;
