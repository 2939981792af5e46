//! CUBIC (RFC 9438) with the behaviour of Linux.

mod cwnd_cnt;
mod epoch;

use bentpipe_units::{Bytes, Duration, Time};

use crate::control::{EventHandlers, ResumableWindow};
use crate::phase::Phase;
use crate::slow_start::{Search, SlowStart, SlowStartExit, SlowStartView, Step, Verdict};
use crate::{
    AckSample, Config, CongestionControl, CongestionEvent, CongestionKind, CwndUnit, Event, Resumable,
    SentSample, State,
};
use cwnd_cnt::CwndCnt;
use epoch::{BETA, Epoch};

/// The smallest window after a reduction, in segments (RFC 5681 equation 4).
const MIN_WINDOW: f64 = 2.0;
/// RTT samples this soon after a reduction still hold the queue of the episode.
const QUEUE_DRAINS: Duration = Duration::from_secs(1);

/// CUBIC's state.
#[derive(Clone, Debug)]
pub struct Cubic {
    mss: Bytes,
    cwnd_unit: CwndUnit,
    /// Bytes; where bytes are counted the fraction is kept, so that growth by less than one adds up.
    cwnd: f64,
    /// Bytes; infinite until the first exit from slow start.
    ssthresh: f64,
    /// W_max in bytes; none before the first loss and after a timeout.
    w_max: Option<f64>,
    epoch: Option<Epoch>,
    /// Towards the next segment, where segments are counted.
    cwnd_cnt: CwndCnt,
    min_rtt: Option<Duration>,
    last_sent: Time,
    phase: Phase,
    /// Window and threshold before the last reduction, for undoing it.
    prior: Option<Prior>,
    exit: SlowStartExit,
    slow_start: SlowStart,
    detector: Detector,
    search: Option<Box<Search>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detector {
    Armed,
    Spent,
}

#[derive(Clone, Copy, Debug)]
struct Prior {
    cwnd: f64,
    ssthresh: f64,
}

impl Cubic {
    /// A connection that starts at `config.now`.
    pub fn new(config: Config) -> Self {
        Self {
            mss: config.mss,
            cwnd_unit: config.cwnd_unit,
            cwnd: config.initial_window.max(config.mss).get() as f64,
            ssthresh: f64::INFINITY,
            w_max: None,
            epoch: None,
            cwnd_cnt: CwndCnt::default(),
            min_rtt: None,
            last_sent: config.now,
            phase: Phase::Open,
            prior: None,
            exit: config.slow_start_exit,
            slow_start: SlowStart::new(config.slow_start_exit, config.now),
            detector: Detector::Armed,
            search: config.slow_start_exit.search(config.initial_window.max(config.mss)),
        }
    }

    fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    fn segments(&self, n: f64) -> f64 {
        n * self.mss.get() as f64
    }

    /// What of a window counts.
    fn counted(&self, bytes: f64) -> f64 {
        match self.cwnd_unit {
            CwndUnit::Bytes => bytes,
            CwndUnit::Segments => self.segments((bytes / self.segments(1.0)).floor()),
        }
    }

    fn watch_delay(&mut self, ack: &AckSample, rtt: Duration) {
        if self.epoch.is_some_and(|epoch| ack.now.since(epoch.start()) < QUEUE_DRAINS) {
            return;
        }
        let min_rtt = self.min_rtt.map_or(rtt, |least| least.min(rtt));
        self.min_rtt = Some(min_rtt);
        if self.detector == Detector::Armed && self.in_slow_start() {
            let view = SlowStartView { cwnd: self.cwnd(), mss: self.mss, min_rtt };
            if self.slow_start.on_ack(ack, rtt, view) == Verdict::Exit {
                self.detector = Detector::Spent;
                self.ssthresh = self.cwnd;
            }
        }
    }

    /// Whether SEARCH sets the window of the first slow start for now, in place of its growth.
    fn watch_delivery(&mut self, ack: &AckSample) -> bool {
        let Some(search) = &mut self.search else { return false };
        search.on_delivered(ack.acked);
        if self.ssthresh.is_finite() {
            return false;
        }
        match search.on_ack(ack, Bytes::new(self.cwnd as u64), self.mss) {
            Step::Grow => return false,
            Step::Drain(cwnd) => self.cwnd = cwnd.get() as f64,
            Step::Leave(cwnd) => {
                self.cwnd = cwnd.get() as f64;
                self.ssthresh = self.cwnd;
            }
        }
        true
    }

    /// Slow start up to the threshold; returns the bytes left for congestion avoidance.
    fn grow_slow_start(&mut self, acked: Bytes) -> f64 {
        let increase = match self.detector {
            Detector::Armed => self.slow_start.increase(acked, self.mss),
            Detector::Spent => acked.get() as f64,
        };
        let before = self.cwnd;
        self.cwnd = (self.cwnd + increase).min(self.ssthresh);
        increase - (self.cwnd - before)
    }

    fn grow_cubic(&mut self, now: Time, acked: f64) {
        let mss = self.mss.get() as f64;
        let (cwnd, w_max, cwnd_unit) = (self.cwnd, self.w_max, self.cwnd_unit);
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(now, cwnd, w_max, mss, cwnd_unit));
        epoch.on_acked(acked, cwnd, mss);
        match cwnd_unit {
            CwndUnit::Bytes => self.cwnd += acked * epoch.growth(now, self.min_rtt, cwnd, mss),
            CwndUnit::Segments => {
                if self.cwnd_cnt.is_due(now, cwnd) {
                    self.cwnd_cnt.set_growth(now, cwnd, epoch.growth(now, self.min_rtt, cwnd, mss));
                }
                self.cwnd += mss * self.cwnd_cnt.spend((acked / mss) as u64) as f64;
            }
        }
    }

    /// Section 4.6 and, for `W_max`, fast convergence (section 4.7).
    fn reduce(&mut self) {
        self.prior = Some(Prior { cwnd: self.cwnd, ssthresh: self.ssthresh });
        self.w_max = match self.w_max {
            Some(w_max) if self.cwnd < w_max => Some(self.counted(self.cwnd * (1.0 + BETA) / 2.0)),
            _ => Some(self.cwnd),
        };
        self.epoch = None;
        self.cwnd_cnt.clear();
        self.ssthresh = self.counted(self.cwnd * BETA).max(self.segments(MIN_WINDOW));
        // RFC 9406 section 4.3: HyStart++ is for the initial slow start; Linux keeps HyStart armed.
        if matches!(self.exit, SlowStartExit::HyStartPlusPlus(_)) {
            self.detector = Detector::Spent;
        }
    }

    /// Section 4.8: everything learnt about the path is stale.
    fn restart(&mut self, now: Time, cwnd: f64) {
        self.phase = Phase::Timeout;
        self.cwnd = cwnd;
        self.w_max = None;
        self.epoch = None;
        self.cwnd_cnt = CwndCnt::default();
        self.min_rtt = None;
        if self.exit.is_linuxs() {
            self.slow_start = SlowStart::new(self.exit, now);
            self.detector = Detector::Armed;
        }
    }
}

impl EventHandlers for Cubic {
    fn on_congestion(&mut self, event: &CongestionEvent) {
        match event.kind {
            CongestionKind::Loss | CongestionKind::Ecn => {
                self.reduce();
                self.cwnd = self.ssthresh;
                self.phase = Phase::Recovery;
            }
            CongestionKind::Timeout | CongestionKind::Persistent => {
                // The losses of one flight reduce the threshold once, however they come to light.
                if self.phase == Phase::Open {
                    self.reduce();
                }
                let restart = match event.kind {
                    // RFC 5681 section 3.1, and the flight that Linux grants beside the loss window.
                    CongestionKind::Timeout => (event.in_flight + self.mss).get() as f64,
                    // RFC 9002 section 7.6.2.
                    _ => self.segments(MIN_WINDOW),
                };
                self.restart(event.now, restart);
            }
        }
    }

    fn on_recovery_end(&mut self, _now: Time) {
        self.phase = Phase::Open;
    }

    fn on_undo(&mut self, _now: Time) {
        if let Some(prior) = self.prior.take() {
            self.cwnd = self.cwnd.max(prior.cwnd);
            self.ssthresh = self.ssthresh.max(prior.ssthresh);
        }
        self.phase = Phase::Open;
    }

    fn on_idle(&mut self, window: Bytes) {
        // RFC 2861 section 3.1: ssthresh keeps three quarters of what was open.
        self.ssthresh = self.ssthresh.max(self.counted(self.cwnd * 0.75));
        self.cwnd = self.cwnd.min((window.get() as f64).max(self.segments(MIN_WINDOW)));
    }

    fn on_mss_change(&mut self, mss: Bytes) {
        self.mss = mss;
        self.cwnd = self.cwnd.max(self.segments(MIN_WINDOW));
    }
}

impl ResumableWindow for Cubic {
    fn set_cwnd(&mut self, cwnd: Bytes) {
        self.cwnd = self.counted(cwnd.get() as f64);
    }

    fn retreat(&mut self, cwnd: Bytes) {
        self.set_cwnd(cwnd);
        self.prior = None;
    }

    fn set_ssthresh(&mut self, ssthresh: Bytes) {
        self.ssthresh = self.counted(ssthresh.get() as f64);
    }

    fn beta(&self) -> f64 {
        BETA
    }
}

impl CongestionControl for Cubic {
    fn name(&self) -> &'static str {
        "cubic"
    }

    fn on_sent(&mut self, sent: &SentSample) {
        // Section 5.8: time in which nothing was sent is no time in which to grow.
        if sent.prior_in_flight == Bytes::ZERO
            && let Some(epoch) = &mut self.epoch
        {
            epoch.postpone(sent.now.since(self.last_sent), sent.now);
        }
        self.last_sent = sent.now;
        if let Some(search) = &mut self.search {
            search.on_sent(sent.bytes);
        }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt {
            self.watch_delay(ack, rtt);
        }
        if self.watch_delivery(ack) {
            return;
        }
        let permitted = ack.usage.permits_growth(self.cwnd(), self.in_slow_start());
        if self.phase == Phase::Recovery || !permitted {
            return;
        }
        let mut acked = ack.acked.get() as f64;
        if self.in_slow_start() {
            self.slow_start.on_growth(ack);
            acked = self.grow_slow_start(ack.acked);
        }
        if acked > 0.0 {
            self.grow_cubic(ack.now, acked);
        }
    }

    fn on_event(&mut self, event: Event) {
        self.handle(event);
    }

    fn cwnd(&self) -> Bytes {
        Bytes::new(self.cwnd as u64)
    }

    fn state(&self) -> State {
        State::of_window(self.ssthresh.is_finite().then(|| Bytes::new(self.ssthresh as u64)))
    }

    fn resumable(&mut self) -> Option<Resumable<'_>> {
        Some(Resumable::Window(self))
    }
}
