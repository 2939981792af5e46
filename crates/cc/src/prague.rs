//! Prague (draft-briscoe-iccrg-prague-congestion-control-04), after its Linux original: DCTCP's answer to marks for the
//! public Internet. Model page: docs/models/prague.md.

use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::control::EventHandlers;
use crate::{AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, Event, State};

/// g of the moving average (section 2.3.2; RFC 8257 section 4.2).
const GAIN: f64 = 1.0 / 16.0;
/// `RTT_virt`: flows of a shorter round trip grow as one of this (section 2.4.4).
const VIRTUAL_RTT: Duration = Duration::from_millis(25);
/// What a loss leaves of the window (its fall-back on loss; `prague_ssthresh`: Reno's half).
const LOSS_BETA: f64 = 0.5;
/// The smallest window, in segments (`MIN_CWND`).
const MIN_WINDOW: f64 = 2.0;
/// The longest burst (its packet pacing, 250 us; `prague_burst_shift`).
const LONGEST_BURST: Duration = Duration::from_micros(250);
/// Windows per round trip in slow start (`prague_update_pacing_rate`); one beyond half the threshold.
const SLOW_START_PACING: f64 = 2.0;

/// Prague's state.
#[derive(Clone, Debug)]
pub struct Prague {
    mss: f64,
    /// Bytes; the fraction is kept, so that growth by less than one adds up.
    cwnd: f64,
    /// Bytes; infinite until the first mark or loss.
    ssthresh: f64,
    /// Moving average of the part of what arrives that is marked; none before the first mark.
    alpha: Option<f64>,
    round: Round,
    srtt: Option<Duration>,
    /// In the answer to a loss, in which the window does not grow.
    has_lost: bool,
    prior: Option<Prior>,
}

/// What was acknowledged and marked since the average was brought up to date.
#[derive(Clone, Copy, Debug)]
struct Round {
    started: Time,
    acked: f64,
    marked: f64,
}

/// Window and threshold before the last loss, for undoing its answer.
#[derive(Clone, Copy, Debug)]
struct Prior {
    cwnd: f64,
    ssthresh: f64,
}

impl Prague {
    /// A connection that starts at `config.now`.
    pub fn new(config: Config) -> Self {
        Self {
            mss: config.mss.get() as f64,
            cwnd: config.initial_window.max(config.mss).get() as f64,
            ssthresh: f64::INFINITY,
            alpha: None,
            round: Round { started: config.now, acked: 0.0, marked: 0.0 },
            srtt: config.handshake_rtt,
            has_lost: false,
            prior: None,
        }
    }

    /// Moving average of the marked part; none before the first mark.
    pub const fn alpha(&self) -> Option<f64> {
        self.alpha
    }

    fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    fn floor(&self) -> f64 {
        MIN_WINDOW * self.mss
    }

    /// The round trip by which it counts its rounds: max(srtt, RTT_virt).
    fn virtual_rtt(&self) -> Duration {
        self.srtt.map_or(VIRTUAL_RTT, |srtt| srtt.max(VIRTUAL_RTT))
    }

    /// alpha <- (1 - g) alpha + g F, once each virtual round trip, from the first mark on (section 2.3.2).
    fn count(&mut self, ack: &AckSample) {
        let acked = ack.acked.get() as f64;
        self.round.acked += acked;
        self.round.marked += ack.marked.get() as f64;
        if self.alpha.is_none() && ack.marked > Bytes::ZERO {
            // The first mark is answered as if all were marked (RFC 8257 section 3.3; `upscaled_alpha` at the start).
            self.alpha = Some(1.0);
        }
        if ack.now.since(self.round.started) < self.virtual_rtt() || self.round.acked == 0.0 {
            return;
        }
        let fraction = (self.round.marked / self.round.acked).min(1.0);
        self.alpha = self.alpha.map(|alpha| alpha + GAIN * (fraction - alpha));
        self.round = Round { started: ack.now, acked: 0.0, marked: 0.0 };
    }

    /// What arrived without a mark makes the window grow, also in rounds with marks (its additive increase: unsaturated marking).
    fn grow(&mut self, unmarked: f64) {
        let mut unmarked = unmarked;
        if self.in_slow_start() {
            let before = self.cwnd;
            self.cwnd = (self.cwnd + unmarked).min(self.ssthresh);
            unmarked -= self.cwnd - before;
        }
        // A segment each round trip, times (srtt / RTT_virt)^2: the same rate of growth at any shorter round trip (section 2.4.4).
        let ratio = self.srtt.map_or(1.0, |srtt| srtt.as_secs_f64() / self.virtual_rtt().as_secs_f64());
        self.cwnd += unmarked * self.mss * ratio * ratio / self.cwnd;
    }
}

impl EventHandlers for Prague {
    fn on_congestion(&mut self, event: &CongestionEvent) {
        match event.kind {
            CongestionKind::Ecn => {
                // W <- (1 - alpha / 2) W, once a round trip (section 2.4.2).
                // What a mark reduces is not given back with an earlier loss that turns out to be none.
                self.prior = None;
                let alpha = self.alpha.unwrap_or(1.0);
                self.alpha = Some(alpha);
                self.cwnd = (self.cwnd * (1.0 - alpha / 2.0)).max(self.floor());
                self.ssthresh = self.cwnd;
            }
            CongestionKind::Loss => {
                self.prior = Some(Prior { cwnd: self.cwnd, ssthresh: self.ssthresh });
                self.cwnd = (self.cwnd * LOSS_BETA).max(self.floor());
                self.ssthresh = self.cwnd;
                self.has_lost = true;
            }
            CongestionKind::Timeout | CongestionKind::Persistent => {
                if !self.has_lost {
                    self.ssthresh = (self.cwnd * LOSS_BETA).max(self.floor());
                }
                self.prior = None;
                self.has_lost = false;
                self.cwnd = match event.kind {
                    // RFC 5681 section 3.1, and the flight that Linux grants beside the loss window.
                    CongestionKind::Timeout => event.in_flight.get() as f64 + self.mss,
                    // RFC 9002 section 7.6.2.
                    _ => self.floor(),
                };
            }
        }
    }

    fn on_recovery_end(&mut self, _now: Time) {
        self.has_lost = false;
    }

    /// Only losses can turn out to be none.
    fn on_undo(&mut self, _now: Time) {
        if let Some(prior) = self.prior.take() {
            self.cwnd = self.cwnd.max(prior.cwnd);
            self.ssthresh = self.ssthresh.max(prior.ssthresh);
        }
        self.has_lost = false;
    }

    fn on_idle(&mut self, window: Bytes) {
        // RFC 2861 section 3.1: ssthresh keeps three quarters of what was open.
        self.ssthresh = self.ssthresh.max(self.cwnd * 0.75);
        self.cwnd = self.cwnd.min((window.get() as f64).max(self.floor()));
    }

    fn on_mss_change(&mut self, mss: Bytes) {
        self.mss = mss.get() as f64;
        self.cwnd = self.cwnd.max(self.floor());
    }
}

impl CongestionControl for Prague {
    fn name(&self) -> &'static str {
        "prague"
    }

    fn on_ack(&mut self, ack: &AckSample) {
        self.srtt = ack.srtt.or(self.srtt);
        self.count(ack);
        let permitted = ack.usage.permits_growth(self.cwnd(), self.in_slow_start());
        if permitted && !self.has_lost {
            self.grow(ack.acked.get().saturating_sub(ack.marked.get()) as f64);
        }
    }

    fn on_event(&mut self, event: Event) {
        self.handle(event);
    }

    fn cwnd(&self) -> Bytes {
        Bytes::new(self.cwnd as u64)
    }

    /// Its packet pacing: at a window a round trip, so that it builds no queue by itself.
    fn state(&self) -> State {
        let gain = if self.cwnd < self.ssthresh / 2.0 { SLOW_START_PACING } else { 1.0 };
        let pacing_rate = self.srtt.map(|srtt| Rate::of(self.cwnd(), srtt).mul_f64(gain));
        let burst = pacing_rate.map(|rate| rate.volume_in(LONGEST_BURST).max(Bytes::new(self.mss as u64)));
        let ssthresh = self.ssthresh.is_finite().then(|| Bytes::new(self.ssthresh as u64));
        State { pacing_rate, send_quantum: burst, ..State::of_window(ssthresh) }
    }
}
