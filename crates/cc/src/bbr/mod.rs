//! BBR version 1 with the behaviour of Linux.
//!
//! `BBR...` names the procedure of draft-cardwell-iccrg-bbr-congestion-control-00, the description of version 1,
//! that a function implements.

mod cycle;
mod full_pipe;
mod min_rtt;
mod policer;
mod recovery;
mod spec;

use bentpipe_units::{Bytes, Duration, Rate, Time};
use rand_core::SeedableRng;
use rand_pcg::Pcg32;

pub use crate::bbr_common::Mode;
use crate::bbr_common::{
    Aggregation, AggregationLimits, CongestionWindow, HALF_ROUNDS, PacingRate, ProbeRtt, bdp,
    quantum_packets, state,
};
use crate::control::{EventHandlers, ResumableModel};
use crate::filter::MaxFilter;
use crate::rate::RateSample;
use crate::round::{Boundary, Rounds};
use crate::{
    AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, Demand, Event, RecoverySpan,
    Resumable, SentSample, State,
};
use cycle::{Cycle, CycleLevels};
use full_pipe::FullPipe;
use min_rtt::MinRtt;
use policer::{Outcome, Policer, PolicerView};
use recovery::{Episode, Succession, Window};
pub use spec::BbrSpec;

/// Start-up's pacing and window gain, 2/ln 2: the smallest that doubles the rate each round.
const HIGH_GAIN: f64 = 2885.0 / 1000.0;
/// Drain empties in one round what start-up queued.
const DRAIN_GAIN: f64 = 1.0 / HIGH_GAIN;
/// Twice the BDP, so that delayed and gathered acknowledgements do not stall the sender.
const CWND_GAIN: f64 = 2.0;
/// Rounds for which the largest bandwidth sample counts.
const BANDWIDTH_ROUNDS: u64 = 10;

/// BBR's state.
#[derive(Clone, Debug)]
pub struct Bbr {
    window: CongestionWindow,
    rng: Pcg32,
    mode: Mode,
    rounds: Rounds,
    max_bandwidth: MaxFilter<Rate>,
    min_rtt: MinRtt,
    pipe: FullPipe,
    cycle: Cycle,
    probe_rtt: Option<ProbeRtt>,
    policer: Policer,
    aggregation: Aggregation,
    spec: BbrSpec,
    recovery_span: RecoverySpan,
    episode: Episode,
    /// The round in which the last episode ended.
    recovered_in: Option<u64>,
    /// Whether the flight in progress started after a pause: then nothing queued and ProbeRTT is not needed.
    is_restarting_from_idle: bool,
    ssthresh: Option<Bytes>,
    pacing_rate: PacingRate,
    delivered: Bytes,
    delivered_at: Time,
}

impl Bbr {
    /// A connection that starts at `config.now`.
    pub fn new(config: Config) -> Self {
        let mut rng = Pcg32::seed_from_u64(config.seed);
        let cycle = Cycle::start(&mut rng, config.now);
        let window = CongestionWindow::new(&config);
        Self {
            window,
            rng,
            mode: Mode::Startup,
            rounds: Rounds::default(),
            max_bandwidth: MaxFilter::new(BANDWIDTH_ROUNDS),
            min_rtt: MinRtt { value: config.handshake_rtt, at: config.now },
            pipe: FullPipe::new(),
            cycle,
            probe_rtt: None,
            policer: Policer::new(config.now),
            aggregation: Aggregation::new(config.now),
            spec: config.bbr,
            recovery_span: config.recovery_span,
            episode: Episode::None,
            recovered_in: None,
            is_restarting_from_idle: false,
            ssthresh: None,
            pacing_rate: PacingRate::new(window.cwnd, config.handshake_rtt, HIGH_GAIN),
            delivered: Bytes::ZERO,
            delivered_at: config.now,
        }
    }

    /// The state of the machine.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The path's RTT as far as known.
    pub const fn min_rtt(&self) -> Option<Duration> {
        self.min_rtt.value
    }

    /// Pacing gain of the present state.
    pub const fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => DRAIN_GAIN,
            Mode::ProbeBw if self.policer.rate().is_some() => 1.0,
            Mode::ProbeBw => self.cycle.gain(),
            Mode::ProbeRtt => 1.0,
        }
    }

    const fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBw => CWND_GAIN,
            Mode::ProbeRtt => 1.0,
        }
    }

    fn bandwidth_in_use(&self) -> Rate {
        self.policer.rate().unwrap_or_else(|| self.max_bandwidth.max())
    }

    // ---- the model -----------------------------------------------------------------------------------------

    /// BBRUpdateBtlBw, with what Linux adds: the policer and the aggregation of acknowledgements.
    fn update_bandwidth(&mut self, ack: &AckSample, rate: RateSample, boundary: Boundary) {
        self.consult_policer(ack.lost, rate.demand, boundary);
        // A sample that the application limited only shows a lower bound.
        if rate.demand == Demand::Backlogged || rate.rate() >= self.max_bandwidth.max() {
            self.max_bandwidth.update(self.rounds.count(), rate.rate());
        }
        let limits = AggregationLimits { window: self.window, half_rounds: HALF_ROUNDS };
        self.aggregation.on_ack(ack, boundary, self.bandwidth_in_use(), limits);
    }

    fn consult_policer(&mut self, lost: Bytes, demand: Demand, boundary: Boundary) {
        let (at, delivered) = (self.delivered_at, self.delivered);
        let view = PolicerView { at, delivered, lost, demand, boundary, mode: self.mode };
        if self.policer.on_ack(view) == Outcome::Released {
            self.enter_probe_bw();
        }
    }

    /// BBRCheckCyclePhase.
    fn update_cycle(&mut self, ack: &AckSample) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let bandwidth = self.max_bandwidth.max();
        let levels = CycleLevels {
            probed: self.inflight(bandwidth, self.cycle.gain()),
            drained: self.inflight(bandwidth, 1.0),
        };
        let min_rtt = self.min_rtt.value.unwrap_or(Duration::MAX);
        if self.cycle.is_over(ack, self.delivered_at, min_rtt, levels, self.pacing_gain()) {
            self.cycle.advance(self.delivered_at);
        }
    }

    /// BBRCheckDrain.
    fn update_drain(&mut self, ack: &AckSample) {
        let one_bdp = self.inflight(self.max_bandwidth.max(), 1.0);
        if self.mode == Mode::Startup && self.pipe.is_reached() {
            self.mode = Mode::Drain;
            self.ssthresh = Some(one_bdp);
        }
        if self.mode == Mode::Drain && ack.in_flight <= one_bdp {
            self.enter_probe_bw();
        }
    }

    /// BBRUpdateRTprop and BBRCheckProbeRTT.
    fn update_min_rtt(&mut self, ack: &AckSample, boundary: Boundary) {
        let is_due = self.min_rtt.on_ack(ack);
        if is_due && !self.is_restarting_from_idle && self.mode != Mode::ProbeRtt {
            self.window.save(true);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt = Some(ProbeRtt::new(ack.delivered));
        }
        let floor = self.window.floor();
        if self.mode == Mode::ProbeRtt
            && let Some(probe_rtt) = &mut self.probe_rtt
            && probe_rtt.on_ack(ack, boundary, floor, &mut self.rounds) == Boundary::Start
        {
            self.leave_probe_rtt_when_due(ack.now);
        }
        if ack.rate.is_some() {
            self.is_restarting_from_idle = false;
        }
    }

    fn leave_probe_rtt_when_due(&mut self, now: Time) {
        if self.probe_rtt.is_some_and(|probe_rtt| probe_rtt.is_long_enough(now)) {
            self.min_rtt.at = now;
            self.window.restore();
            if self.pipe.is_reached() {
                self.enter_probe_bw();
            } else {
                self.mode = Mode::Startup;
            }
        }
    }

    fn enter_probe_bw(&mut self) {
        self.mode = Mode::ProbeBw;
        self.cycle = Cycle::start(&mut self.rng, self.delivered_at);
    }

    // ---- what is controlled --------------------------------------------------------------------------------

    fn update_pacing_rate(&mut self, gain: f64) {
        self.pacing_rate.update(self.bandwidth_in_use(), gain, self.pipe.is_reached());
    }

    /// BBRInflight: the BDP in whole packets, with room for the bursts on both hosts.
    fn inflight(&self, bandwidth: Rate, gain: f64) -> Bytes {
        self.quantized(self.bdp(bandwidth, gain))
    }

    fn bdp(&self, bandwidth: Rate, gain: f64) -> Bytes {
        match self.min_rtt.value {
            Some(rtt) => Bytes::new(bdp(bandwidth, rtt, gain).ceil() as u64),
            None => self.window.initial,
        }
    }

    fn quantized(&self, bytes: Bytes) -> Bytes {
        let bursts = 3 * self.quantum_packets();
        let probe = if self.mode == Mode::ProbeBw && self.cycle.is_probing() { 2 } else { 0 };
        let packets = bytes.get().div_ceil(self.window.mss.get()) + bursts;
        self.window.packets(packets.next_multiple_of(2) + probe)
    }

    /// BBRSetSendQuantum (`bbr_tso_segs_goal`).
    fn quantum_packets(&self) -> u64 {
        const SLOW: Rate = Rate::from_bps(1_200_000);
        const MAX_PACKETS: u64 = 127;
        let rate = self.pacing_rate.get();
        let least = if rate < SLOW { 1 } else { 2 };
        quantum_packets(rate, 0, self.window.mss).clamp(least, MAX_PACKETS)
    }

    /// BBRSetCwnd.
    fn update_cwnd(&mut self, ack: &AckSample) {
        if ack.acked > Bytes::ZERO {
            self.window.cwnd = match self.episode.window(ack, self.window, &mut self.rounds) {
                Window::Binding(cwnd) => cwnd.max(self.window.mss),
                Window::Base(cwnd) => self.towards_target(cwnd, ack).max(self.window.floor()),
            };
        }
        if self.mode == Mode::ProbeRtt {
            self.window.cwnd = self.window.cwnd.min(self.window.floor());
        }
    }

    fn towards_target(&self, cwnd: Bytes, ack: &AckSample) -> Bytes {
        let bandwidth = self.bandwidth_in_use();
        let mut target = self.bdp(bandwidth, self.cwnd_gain());
        if self.pipe.is_reached() && self.spec.extra_acked.is_on() {
            target += self.aggregation.allowance(bandwidth);
        }
        let target = self.quantized(target);
        if self.pipe.is_reached() {
            (cwnd + ack.acked).min(target)
        } else if cwnd < target || ack.delivered < self.window.initial {
            cwnd + ack.acked
        } else {
            cwnd
        }
    }

    fn save_cwnd(&mut self) {
        let reduced = self.episode.holds_a_window() || self.mode == Mode::ProbeRtt;
        self.window.save(reduced);
    }

    /// Under steady loss one episode follows the other, and conserving packets anew each time would starve the flow.
    ///
    /// TCP sees that for itself: its episode ends when the retransmissions are acknowledged, and by then the next
    /// losses are known. Where it ends a round trip earlier, a loss in the round after the end continues it.
    fn succession(&self) -> Succession {
        let recently = self.recovered_in.is_some_and(|end| self.rounds.count() <= end + 1);
        match self.recovery_span {
            RecoverySpan::RoundTrip if recently => Succession::Continues,
            _ => Succession::New,
        }
    }

    fn on_timeout(&mut self, window: Bytes) {
        self.save_cwnd();
        self.episode = Episode::Restarting;
        self.window.cwnd = window;
        self.pipe.on_timeout();
        // A timeout ends a round, and something in it was lost.
        self.consult_policer(self.window.mss, Demand::Backlogged, Boundary::Start);
    }
}

impl EventHandlers for Bbr {
    fn on_congestion(&mut self, event: &CongestionEvent) {
        match event.kind {
            CongestionKind::Loss => {
                self.save_cwnd();
                self.episode.on_loss(self.succession());
            }
            // Version 1 does not listen to marks.
            CongestionKind::Ecn => {}
            CongestionKind::Timeout => self.on_timeout(event.in_flight + self.window.mss),
            CongestionKind::Persistent => self.on_timeout(self.window.floor()),
        }
    }

    fn on_recovery_end(&mut self, _now: Time) {
        if self.episode != Episode::None {
            self.episode = Episode::Ended;
            self.recovered_in = Some(self.rounds.count());
        }
    }

    fn on_undo(&mut self, now: Time) {
        self.pipe.on_undo();
        self.policer.reset(self.delivered_at, self.delivered);
        self.on_recovery_end(now);
    }

    fn on_mss_change(&mut self, mss: Bytes) {
        self.window.on_mss_change(mss);
    }
}

/// RFC 9959 appendix B.
impl ResumableModel for Bbr {
    fn is_starting_up(&self) -> bool {
        self.mode == Mode::Startup && !self.pipe.is_reached()
    }

    fn drain(&mut self) {
        if self.mode == Mode::Startup {
            self.pipe.fill();
            self.mode = Mode::Drain;
            self.ssthresh = Some(self.inflight(self.max_bandwidth.max(), 1.0));
            self.update_pacing_rate(self.pacing_gain());
        }
    }

    fn is_draining(&self) -> bool {
        self.mode == Mode::Drain
    }
}

impl CongestionControl for Bbr {
    fn name(&self) -> &'static str {
        "bbr"
    }

    fn on_sent(&mut self, sent: &SentSample) {
        if !sent.ends_a_pause() {
            return;
        }
        // BBRHandleRestartFromIdle: after a pause start at the estimate itself, since the pipe is empty.
        self.is_restarting_from_idle = true;
        self.aggregation.restart_epoch(sent.now);
        match self.mode {
            Mode::ProbeBw => self.update_pacing_rate(1.0),
            Mode::ProbeRtt => self.leave_probe_rtt_when_due(sent.now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.policer.count_lost(ack.lost);
        self.delivered = ack.delivered;
        if ack.acked > Bytes::ZERO {
            self.delivered_at = ack.now;
        }
        let rate = ack.rate.map(|rate| self.probe_rtt.map_or(rate, |probe_rtt| probe_rtt.mark(rate)));
        let boundary = self.rounds.on_ack(ack);
        self.episode.on_boundary(boundary);
        if let Some(rate) = rate {
            self.update_bandwidth(ack, rate, boundary);
        }
        self.update_cycle(ack);
        self.pipe.on_ack(rate, boundary, self.max_bandwidth.max());
        self.update_drain(ack);
        self.update_min_rtt(ack, boundary);
        self.pacing_rate.on_srtt(self.window.cwnd, ack.srtt, HIGH_GAIN);
        self.update_pacing_rate(self.pacing_gain());
        self.update_cwnd(ack);
    }

    fn on_event(&mut self, event: Event) {
        self.handle(event);
    }

    fn cwnd(&self) -> Bytes {
        self.window.cwnd
    }

    fn state(&self) -> State {
        let quantum = self.window.packets(self.quantum_packets());
        state(self.ssthresh, self.pacing_rate, quantum, self.bandwidth_in_use())
    }

    fn resumable(&mut self) -> Option<Resumable<'_>> {
        Some(Resumable::Model(self))
    }
}
