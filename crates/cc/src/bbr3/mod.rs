//! BBR version 3 (draft-ietf-ccwg-bbr), in the order of events of its implementation for Linux.
//!
//! `BBR...` names the procedure of the draft that a function implements.

mod bounds;
mod control;
mod cycle;
mod flight;
mod full_bandwidth;
mod min_rtt;
mod probe;
mod signals;
mod startup;

use bentpipe_units::{Bytes, Duration, Rate, Time};
use rand_core::SeedableRng;
use rand_pcg::Pcg32;

pub use crate::bbr_common::Mode;
use crate::bbr_common::{Aggregation, CongestionWindow, PacingRate, ProbeRtt, state};
use crate::control::EventHandlers;
use crate::rate::RateSample;
use crate::round::{Boundary, Rounds};
use crate::{
    AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, Demand, Event, SentSample, State,
};
use bounds::{Bounds, Latest, UNBOUNDED};
use flight::{Departures, Flight};
use full_bandwidth::FullBandwidth;
use min_rtt::MinRtt;
pub use probe::Phase;
use probe::{Feedback, Probe};

/// Start-up's pacing gain, 4 ln 2: the rate doubles each round.
const STARTUP_GAIN: f64 = 2.77;
/// Drain's pacing gain.
const DRAIN_GAIN: f64 = 0.5;
/// Pacing gains of ProbeBW; cruise and refill: 1.
const UP_GAIN: f64 = 1.25;
const DOWN_GAIN: f64 = 0.9;
/// Window gain, and that of the probe.
const CWND_GAIN: f64 = 2.0;
const UP_CWND_GAIN: f64 = 2.25;
/// The window of ProbeRTT in BDP.
const PROBE_RTT_GAIN: f64 = 0.5;

/// Where the connection is in an episode of loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Episode {
    None,
    Recovery,
    /// Over with the acknowledgement that is about to be taken in, so that it covers the round that ends with it.
    Ended,
    Timeout,
}

/// Losses since the present loss round started.
#[derive(Clone, Copy, Debug)]
struct LossRound {
    /// Delivered when it ends.
    end: Bytes,
    /// Acknowledgements with losses; in start-up only.
    startup_losses: u32,
    any: bool,
}

/// BBRv3's state.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    window: CongestionWindow,
    rng: Pcg32,
    mode: Mode,
    rounds: Rounds,
    departures: Departures,
    /// Maxima of the previous and the present cycle (`bw_hi`).
    max_bandwidth: [Rate; 2],
    latest: Latest,
    loss_round: LossRound,
    bounds: Bounds,
    /// The bounds before the episode, for undoing it.
    prior_bounds: Bounds,
    full: FullBandwidth,
    probe: Probe,
    min_rtt: MinRtt,
    probe_rtt: Option<ProbeRtt>,
    aggregation: Aggregation,
    episode: Episode,
    /// Whether the flight in progress started after a pause.
    is_restarting_from_idle: bool,
    ssthresh: Option<Bytes>,
    pacing_rate: PacingRate,
    delivered: Bytes,
}

/// What one acknowledgement says to the model.
#[derive(Clone, Copy, Debug)]
struct Sample<'a> {
    ack: &'a AckSample,
    /// A valid rate sample; packets of ProbeRTT count as application-limited.
    rate: Option<RateSample>,
    flight: Option<Flight>,
    boundary: Boundary,
    loss_boundary: Boundary,
}

impl Sample<'_> {
    fn bandwidth(&self) -> Rate {
        self.rate.map_or(Rate::ZERO, |rate| rate.rate())
    }

    fn is_app_limited(&self) -> bool {
        self.rate.is_some_and(|rate| rate.demand == Demand::AppLimited)
    }
}

impl Bbr3 {
    /// A connection that starts at `config.now`.
    pub fn new(config: Config) -> Self {
        let window = CongestionWindow::new(&config);
        Self {
            window,
            rng: Pcg32::seed_from_u64(config.seed),
            mode: Mode::Startup,
            rounds: Rounds::default(),
            departures: Departures::default(),
            max_bandwidth: [Rate::ZERO; 2],
            latest: Latest::NOTHING,
            // The first round of losses starts when the first flight is delivered.
            loss_round: LossRound { end: Bytes::new(1), startup_losses: 0, any: false },
            bounds: Bounds::NONE,
            prior_bounds: Bounds::NONE,
            full: FullBandwidth::new(),
            probe: Probe::new(config.now),
            min_rtt: MinRtt::new(config.handshake_rtt, config.now),
            probe_rtt: None,
            aggregation: Aggregation::new(config.now),
            episode: Episode::None,
            is_restarting_from_idle: false,
            ssthresh: None,
            pacing_rate: PacingRate::new(window.cwnd, config.handshake_rtt, STARTUP_GAIN),
            delivered: Bytes::ZERO,
        }
    }

    /// The state of the machine.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Where the cycle of ProbeBW is.
    pub const fn phase(&self) -> Phase {
        self.probe.phase
    }

    /// The path's RTT as far as known.
    pub const fn min_rtt(&self) -> Option<Duration> {
        self.min_rtt.get()
    }

    /// What the model allows in flight in the long run; `None` until losses have shown a limit.
    pub fn inflight_hi(&self) -> Option<Bytes> {
        Some(self.bounds.inflight_hi).filter(|bound| *bound != UNBOUNDED)
    }

    /// Pacing gain of the present state.
    pub const fn pacing_gain(&self) -> f64 {
        match (self.mode, self.probe.phase) {
            (Mode::Startup, _) => STARTUP_GAIN,
            (Mode::Drain, _) => DRAIN_GAIN,
            (Mode::ProbeBw, Phase::Up) => UP_GAIN,
            (Mode::ProbeBw, Phase::Down) => DOWN_GAIN,
            (Mode::ProbeBw, Phase::Cruise | Phase::Refill) | (Mode::ProbeRtt, _) => 1.0,
        }
    }

    const fn cwnd_gain(&self) -> f64 {
        match (self.mode, self.probe.phase) {
            (Mode::ProbeBw, Phase::Up) => UP_CWND_GAIN,
            (Mode::ProbeRtt, _) => 1.0,
            _ => CWND_GAIN,
        }
    }

    fn max_bw(&self) -> Rate {
        self.max_bandwidth[0].max(self.max_bandwidth[1])
    }

    fn bw(&self) -> Rate {
        self.max_bw().min(self.bounds.bandwidth_lo)
    }

    fn is_in(&self, phase: Phase) -> bool {
        self.mode == Mode::ProbeBw && self.probe.phase == phase
    }

    /// IsProbingBW.
    fn is_probing(&self) -> bool {
        self.mode == Mode::Startup || self.is_in(Phase::Refill) || self.is_in(Phase::Up)
    }

    // ---- ProbeRTT -------------------------------------------------------------------------------------------

    /// BBRUpdateMinRTT and BBRCheckProbeRTT.
    fn update_min_rtt(&mut self, sample: &Sample<'_>) {
        let ack = sample.ack;
        let is_due = self.min_rtt.on_ack(ack);
        if is_due && !self.is_restarting_from_idle && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.window.save(true);
            self.probe_rtt = Some(ProbeRtt::new(ack.delivered));
            self.probe.feedback = Feedback::Stopping;
            self.rounds.restart(ack.delivered);
        }
        let floor = self.probe_rtt_cwnd();
        if self.mode == Mode::ProbeRtt
            && let Some(probe_rtt) = &mut self.probe_rtt
            && probe_rtt.on_ack(ack, sample.boundary, floor, &mut self.rounds) == Boundary::Start
        {
            self.leave_probe_rtt_when_due(ack.now);
        }
        if sample.rate.is_some() {
            self.is_restarting_from_idle = false;
        }
    }

    /// BBRExitProbeRTT.
    fn leave_probe_rtt_when_due(&mut self, now: Time) {
        if !self.probe_rtt.is_some_and(|probe_rtt| probe_rtt.is_long_enough(now)) {
            return;
        }
        self.min_rtt.on_probe_rtt_end(now);
        self.window.restore();
        self.bounds.reset_short_term();
        if self.full.was_reached() {
            self.mode = Mode::ProbeBw;
            self.start_down(now);
            self.start_cruise();
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// BBRProbeRTTCwnd.
    fn probe_rtt_cwnd(&self) -> Bytes {
        self.bdp(self.bw(), PROBE_RTT_GAIN).max(self.window.floor())
    }

    // ---- episodes of loss ------------------------------------------------------------------------------------

    /// BBRSaveCwnd, and the bounds for undoing what follows.
    fn save(&mut self) {
        let reduced =
            matches!(self.episode, Episode::Recovery | Episode::Timeout) || self.mode == Mode::ProbeRtt;
        self.window.save(reduced);
        self.prior_bounds = self.bounds;
    }

    /// BBROnEnterRTO.
    fn on_timeout(&mut self, window: Bytes) {
        self.save();
        self.episode = Episode::Timeout;
        self.full.restart(Rate::ZERO);
        if !self.is_probing() && self.bounds.inflight_lo == UNBOUNDED {
            self.bounds.inflight_lo = self.window.cwnd.max(self.window.prior);
        }
        self.note_loss(self.delivered);
        self.window.cwnd = window;
    }
}

impl EventHandlers for Bbr3 {
    fn on_congestion(&mut self, event: &CongestionEvent) {
        match event.kind {
            CongestionKind::Loss => {
                self.save();
                self.episode = Episode::Recovery;
            }
            // Marks mean something to version 3 only where the network promises shallow thresholds.
            CongestionKind::Ecn => {}
            CongestionKind::Timeout => self.on_timeout(event.in_flight + self.window.mss),
            CongestionKind::Persistent => self.on_timeout(self.window.floor()),
        }
    }

    fn on_recovery_end(&mut self, _now: Time) {
        self.episode = match self.episode {
            Episode::Recovery => Episode::Ended,
            Episode::Timeout => {
                self.window.restore();
                Episode::None
            }
            Episode::None | Episode::Ended => Episode::None,
        };
    }

    fn on_undo(&mut self, _now: Time) {
        self.full.restart(Rate::ZERO);
        self.loss_round.any = false;
        self.bounds.undo(self.prior_bounds);
        self.window.restore();
        self.episode = Episode::None;
    }

    fn on_mss_change(&mut self, mss: Bytes) {
        self.window.on_mss_change(mss);
    }
}

impl CongestionControl for Bbr3 {
    fn name(&self) -> &'static str {
        "bbr3"
    }

    fn on_sent(&mut self, sent: &SentSample) {
        self.departures.on_sent(sent);
        if !sent.ends_a_pause() {
            return;
        }
        // BBRHandleRestartFromIdle.
        self.is_restarting_from_idle = true;
        self.aggregation.restart_epoch(sent.now);
        match self.mode {
            Mode::ProbeBw => self.update_pacing_rate(1.0),
            Mode::ProbeRtt => self.leave_probe_rtt_when_due(sent.now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.delivered = ack.delivered;
        let flight = self.departures.on_ack(ack);
        if ack.lost > Bytes::ZERO {
            self.on_lost(ack, flight);
        }
        let rate = ack.rate.map(|rate| self.probe_rtt.map_or(rate, |probe_rtt| probe_rtt.mark(rate)));
        let boundary = self.rounds.on_ack(ack);
        if boundary == Boundary::Start {
            self.probe.rounds_since += 1;
        }
        let loss_boundary = self.update_latest(ack, rate);
        let sample = Sample { ack, rate, flight, boundary, loss_boundary };
        self.update_congestion_signals(&sample);
        self.update_aggregation(&sample);
        self.check_startup_losses(&sample);
        self.check_full_bandwidth(&sample);
        self.check_drain(&sample);
        self.update_cycle(&sample);
        self.update_min_rtt(&sample);
        self.pacing_rate.on_srtt(self.window.cwnd, ack.srtt, STARTUP_GAIN);
        self.update_pacing_rate(self.pacing_gain());
        self.update_cwnd(ack);
        self.advance_latest(&sample);
        if self.episode == Episode::Ended {
            self.episode = Episode::None;
        }
    }

    fn on_event(&mut self, event: Event) {
        self.handle(event);
    }

    fn cwnd(&self) -> Bytes {
        self.window.cwnd
    }

    fn state(&self) -> State {
        let quantum = self.window.packets(self.quantum_packets());
        state(self.ssthresh, self.pacing_rate, quantum, self.bw())
    }
}
