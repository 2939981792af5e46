//! Loss recovery: what is out, what of it is lost, and what leaves again.

mod ack;
mod cwr;
mod episode;
mod newreno;
pub(crate) mod outcome;
pub(crate) mod prr;
mod rack;
pub(crate) mod rto_tlp;
pub(crate) mod sack;
pub(crate) mod scoreboard;
pub(crate) mod state;
pub(crate) mod timer;
mod undo;

use bentpipe_cc::rate::PacketState;
use bentpipe_units::{Duration, Time};

use crate::LossRecovery;
use crate::config::Retransmission;
use crate::options::SackPermitted;
use crate::send::congestion::Congestion;
use crate::send::recovery::prr::Progress;
use crate::send::recovery::rack::Rack;
use crate::send::recovery::sack::SackCache;
use crate::send::recovery::scoreboard::{History, Make, Scoreboard};
use crate::send::recovery::state::{Cwr, Frto, Phase, RecoveryState, Rexmit};
use crate::send::recovery::timer::{Forced, Probe, Timers};
use crate::send::rtt::Rtt;
use crate::wheel::TimerWheel;

/// Recovery as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Recovery {
    /// First unacknowledged position (SND.UNA).
    una: u64,
    scoreboard: Scoreboard,
    /// Whether the peer acknowledges selectively.
    sack_permitted: SackPermitted,
    sacks: SackCache,
    /// Segments that the peer reported as duplicates (`dsack_dups`).
    duplicates: u64,
    rack: Rack,
    /// Degree of reordering in segments (`tp->reordering`).
    reordering: u64,
    state: RecoveryState,
    cwr: Option<Cwr>,
    timers: Timers,
    settings: Retransmission,
}

/// What recovery sees of the rest of the sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub now: Time,
    /// First position not yet sent (SND.NXT).
    pub next: u64,
    pub rtt: &'a Rtt,
}

/// Whether what was never sent might leave, as far as the peer's window goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Whether something waits.
    pub waits: bool,
    /// Whether the window allows any byte behind SND.NXT.
    pub is_open: bool,
    /// Whether the first segment that waits fits into the window.
    pub first_fits: bool,
}

impl View<'_> {
    fn rto(&self) -> Duration {
        self.rtt.rto()
    }
}

impl Recovery {
    pub fn new(first: u64, wheel: TimerWheel, settings: Retransmission) -> Self {
        Self {
            una: first,
            scoreboard: Scoreboard::default(),
            sack_permitted: SackPermitted::Yes,
            sacks: SackCache::default(),
            duplicates: 0,
            rack: Rack::new(),
            reordering: settings.reordering,
            state: RecoveryState::new(),
            cwr: None,
            timers: Timers::new(wheel),
            settings,
        }
    }

    /// What lies below `position` was acknowledged with the handshake.
    pub const fn start_at(&mut self, position: u64) {
        self.una = position;
    }

    /// The handshake told whether the peer acknowledges selectively.
    pub const fn establish(&mut self, sack_permitted: SackPermitted) {
        self.sack_permitted = sack_permitted;
    }

    // ---- getters -------------------------------------------------------------------------------------------

    /// First unacknowledged position (SND.UNA).
    pub const fn una(&self) -> u64 {
        self.una
    }

    pub const fn scoreboard(&self) -> &Scoreboard {
        &self.scoreboard
    }

    /// Segments that are deemed in the network.
    pub fn in_flight(&self) -> u64 {
        self.scoreboard.in_flight()
    }

    /// The window in segments: that of the algorithm, or that of the reduction under way.
    pub fn cwnd(&self, cc: &Congestion) -> u64 {
        match self.state.phase {
            Phase::Fast(prr) if cc.leaves_reduction_to_endpoint() => prr.cwnd(),
            _ => match self.cwr {
                Some(cwr) if cc.leaves_reduction_to_endpoint() => cwr.prr.cwnd(),
                _ => cc.cwnd(),
            },
        }
    }

    /// `icsk_ca_state`.
    pub const fn phase(&self) -> LossRecovery {
        match self.state.phase {
            Phase::Open | Phase::Disorder if self.cwr.is_some() => LossRecovery::Reduction,
            Phase::Open => LossRecovery::Open,
            Phase::Disorder => LossRecovery::Disorder,
            Phase::Fast(_) => LossRecovery::Recovery,
            Phase::Timeout(_) => LossRecovery::Loss,
        }
    }

    pub const fn reordering(&self) -> u64 {
        self.reordering
    }

    /// How often packets overtook each other.
    pub const fn reorderings(&self) -> u64 {
        self.rack.reorderings()
    }

    pub const fn has_remarkable_reordering(&self) -> bool {
        self.reordering > self.settings.reordering
    }

    /// Whether nothing is suspicious.
    pub fn is_open(&self) -> bool {
        self.state.phase == Phase::Open && self.cwr.is_none()
    }

    /// Whether something is missing that is not deemed lost.
    pub fn is_disordered(&self) -> bool {
        self.state.phase == Phase::Disorder
    }

    pub const fn is_repairing(&self) -> bool {
        self.state.is_repairing()
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    pub fn timeout(&self) -> Option<Time> {
        self.timers.armed.map(|timer| timer.at)
    }

    // ---- what leaves ---------------------------------------------------------------------------------------

    /// What leaves now whatever the window says.
    pub const fn take_forced(&mut self) -> Option<Forced> {
        self.timers.forced.take()
    }

    /// By how many doublings the timer has grown (`icsk_backoff`).
    pub fn backoff(&self) -> u32 {
        self.timers.timeouts.max(self.timers.persist.backoff)
    }

    /// Probes of a closed window that nothing has answered (`icsk_probes_out`).
    pub const fn unanswered_probes(&self) -> u32 {
        self.timers.persist.unanswered
    }

    /// For how long the peer may leave everything unanswered; none for Linux's own times.
    pub const fn set_user_timeout(&mut self, timeout: Option<Duration>) {
        self.timers.user_timeout = timeout;
    }

    pub const fn user_timeout(&self) -> Option<Duration> {
        self.timers.user_timeout
    }

    /// The lost segment that leaves next, if any may.
    pub fn next_lost(&self) -> Option<u64> {
        let may = self.state.rexmit == Rexmit::Lost && self.state.is_repairing();
        if may { self.scoreboard.next_waiting() } else { None }
    }

    /// The pacing timer has expired: what is lost leaves first, even while new data tests a timeout (`tcp_tsq_write`).
    pub const fn on_pacing_timer(&mut self) {
        self.state.rexmit = Rexmit::Lost;
    }

    /// Whether new data leaves before what is lost (RFC 5682 section 3.1 step 2b).
    pub fn wants_new_first(&self) -> bool {
        self.state.rexmit == Rexmit::NewFirst
    }

    /// There is no new data: whether ordinary recovery follows (RFC 5682 section 3.1 step 2b).
    pub fn on_nothing_new(&mut self, next: u64) -> bool {
        if next > self.state.recovery_point {
            return false;
        }
        self.state.phase = Phase::Timeout(Frto::Settled);
        self.state.rexmit = Rexmit::Lost;
        true
    }

    /// All has left that could by now.
    pub const fn end_burst(&mut self) {
        self.scoreboard.end_burst();
    }

    /// A segment leaves for the first time.
    pub fn on_new_sent(&mut self, start: u64, end: u64, make: Make, rate: PacketState, view: View<'_>) {
        let was_empty = self.scoreboard.is_empty();
        self.scoreboard.push(start, end, make, view.now, rate);
        self.count_sent();
        if self.state.rexmit == Rexmit::NewFirst {
            self.state.rexmit = Rexmit::None;
        }
        self.on_new_data_timer(view, was_empty);
    }

    /// All that is out travelled with the SYN, up to `next`, and was not taken (`tcp_non_congestion_loss_retransmit`).
    pub fn on_syn_data_lost(&mut self, next: u64) {
        let all: Vec<u64> = self.scoreboard.iter().map(|(id, _)| id).collect();
        all.into_iter().for_each(|id| self.scoreboard.mark_lost(id));
        self.state.phase = Phase::Timeout(Frto::Settled);
        self.state.recovery_point = next;
        self.state.rexmit = Rexmit::Lost;
    }

    /// A segment is about to be retransmitted; see [`Scoreboard::collapse`].
    pub fn collapse(&mut self, id: u64, space: u64, data_end: u64) {
        self.scoreboard.collapse(id, space, data_end);
    }

    /// A segment is to leave again in segments of `mss`.
    pub fn fit(&mut self, id: u64, mss: u64) {
        self.scoreboard.fit(id, mss);
    }

    /// What leaves again with a segment ends with it.
    pub fn part_behind(&mut self, id: u64) {
        self.scoreboard.part(id + 1);
    }

    /// The segment that a probe repeats, of no more than `mss`.
    pub fn fit_last(&mut self, mss: u64) -> Option<u64> {
        self.scoreboard.fit_last(mss)
    }

    /// A lost segment leaves again.
    pub fn on_retransmitted(&mut self, id: u64, rate: PacketState, view: View<'_>) {
        self.scoreboard.retransmit(id, view.now, rate);
        self.state.undo.on_retransmission(self.timers.wheel().timestamp(view.now));
        self.count_sent();
        if id == self.scoreboard.first_id() {
            self.on_head_retransmitted(view);
        }
    }

    /// The last segment leaves again as a probe.
    pub fn on_probe_repeated(&mut self, id: u64, rate: PacketState, view: View<'_>) {
        self.scoreboard.repeat(id, view.now, rate);
        self.on_probe_sent(Probe::Again(view.next), view);
    }

    fn count_sent(&mut self) {
        if let Phase::Fast(prr) = &mut self.state.phase {
            prr.on_sent();
        }
        if let Some(cwr) = &mut self.cwr {
            cwr.prr.on_sent();
        }
    }

    // ---- the window ----------------------------------------------------------------------------------------

    /// The reduction under way goes on (`tcp_cwnd_reduction`).
    pub fn reduce(&mut self, progress: Progress) {
        if let Phase::Fast(prr) = &mut self.state.phase {
            prr.on_ack(progress);
        }
        if let Some(cwr) = &mut self.cwr {
            cwr.prr.on_ack(progress);
        }
    }

    /// Whether a retransmission of what is still out has been made (`tcp_any_retrans_done`).
    fn any_retransmission_out(&self) -> bool {
        self.scoreboard.retransmitted() > 0
            || self
                .scoreboard
                .front()
                .is_some_and(|sent| sent.history == History::Retransmitted || sent.retransmission_in_flight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1448;

    /// The degree of reordering after a segment came behind so many others.
    fn after(segments: u64) -> Recovery {
        let mut recovery = Recovery::new(1, TimerWheel::default(), Retransmission::LINUX);
        recovery.learn_reordering(segments * MSS, MSS);
        recovery
    }

    #[test]
    fn reordering_by_more_than_three_segments_is_remarkable() {
        // tcp_reordering: TCP_FASTRETRANS_THRESH.
        assert_eq!((after(3).reordering(), after(3).has_remarkable_reordering()), (3, false));
        assert_eq!((after(4).reordering(), after(4).has_remarkable_reordering()), (4, true));
    }

    #[test]
    fn reordering_by_more_than_300_segments_counts_as_300() {
        // tcp_max_reordering.
        assert_eq!([after(300), after(400)].map(|recovery| recovery.reordering()), [300, 300]);
    }

    #[test]
    fn the_degree_of_reordering_is_the_largest_seen() {
        // tcp_check_sack_reordering: metric > tp->reordering * mss.
        assert_eq!(after(2).reordering(), 3);
        let mut recovery = after(10);
        recovery.learn_reordering(5 * MSS, MSS);
        assert_eq!(recovery.reordering(), 10);
        recovery.learn_reordering(10 * MSS + 1, MSS);
        assert_eq!(recovery.reordering(), 11);
    }
}
