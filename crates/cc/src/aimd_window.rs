//! The window of additive increase and multiplicative decrease, in bytes: Reno's, and what Hybla keeps of it.

use bentpipe_units::{Bytes, Time};

use crate::control::{EventHandlers, ResumableWindow};
use crate::phase::Phase;
use crate::{CongestionEvent, CongestionKind, State};

/// The smallest threshold, in segments (RFC 5681 equation 4; RFC 9002 section 7.2: kMinimumWindow).
const MIN_SEGMENTS: u64 = 2;

/// What a reduction leaves of the window (RFC 5681 equation 4).
const BETA: f64 = 0.5;

/// Window and threshold, with what is needed to take a reduction back.
#[derive(Clone, Debug)]
pub(crate) struct AimdWindow {
    mss: u64,
    cwnd: u64,
    /// None while it is infinite.
    ssthresh: Option<u64>,
    /// Bytes acknowledged in congestion avoidance since the window grew last (`snd_cwnd_cnt`).
    cwnd_cnt: u64,
    phase: Phase,
    prior: Option<Prior>,
}

#[derive(Clone, Copy, Debug)]
struct Prior {
    cwnd: u64,
    ssthresh: Option<u64>,
}

impl AimdWindow {
    pub fn new(mss: Bytes, initial: Bytes) -> Self {
        Self {
            mss: mss.get(),
            cwnd: initial.max(mss).get(),
            ssthresh: None,
            cwnd_cnt: 0,
            phase: Phase::Open,
            prior: None,
        }
    }

    pub const fn cwnd(&self) -> Bytes {
        Bytes::new(self.cwnd)
    }

    pub fn ssthresh(&self) -> Option<Bytes> {
        self.ssthresh.map(Bytes::new)
    }

    pub const fn mss(&self) -> Bytes {
        Bytes::new(self.mss)
    }

    pub const fn phase(&self) -> Phase {
        self.phase
    }

    pub fn in_slow_start(&self) -> bool {
        self.ssthresh.is_none_or(|ssthresh| self.cwnd < ssthresh)
    }

    /// The window in whole segments.
    pub const fn segments(&self) -> u64 {
        self.cwnd / self.mss
    }

    /// Sets the window, for algorithms with an increase of their own.
    pub fn set(&mut self, cwnd: u64) {
        self.cwnd = cwnd;
    }

    /// Slow start ends at the present window.
    pub const fn leave_slow_start(&mut self) {
        self.ssthresh = Some(self.cwnd);
    }

    /// RFC 5681 section 3.1 for an acknowledgement of `acked` bytes (`tcp_reno_cong_avoid`).
    pub fn grow(&mut self, acked: Bytes) {
        let mut acked = acked.get();
        if self.in_slow_start() {
            acked = self.slow_start(acked);
        }
        if acked > 0 {
            self.avoid(acked);
        }
    }

    /// RFC 5681 equation 2, with the appropriate byte counting of RFC 3465 without its limit (`tcp_slow_start`);
    /// returns what is left for congestion avoidance.
    fn slow_start(&mut self, acked: u64) -> u64 {
        let before = self.cwnd;
        self.cwnd = (before + acked).min(self.ssthresh.unwrap_or(u64::MAX));
        acked - (self.cwnd - before)
    }

    /// RFC 5681 equation 3: a segment for each window acknowledged (`tcp_cong_avoid_ai`).
    fn avoid(&mut self, acked: u64) {
        let window = self.cwnd;
        // What gathered with a larger window is worth one segment.
        if self.cwnd_cnt >= window {
            self.cwnd_cnt = 0;
            self.cwnd += self.mss;
        }
        self.cwnd_cnt += acked;
        let windows = self.cwnd_cnt / window;
        self.cwnd_cnt -= windows * window;
        self.cwnd += windows * self.mss;
    }

    /// One segment acknowledged that did not make the window grow; whether a window of them has gathered.
    pub const fn count_segment(&mut self) {
        self.cwnd_cnt += self.mss;
    }

    /// Whether a whole window has been acknowledged since the count was cleared.
    pub const fn is_cwnd_acknowledged(&self) -> bool {
        self.cwnd_cnt >= self.cwnd
    }

    pub const fn clear_cwnd_cnt(&mut self) {
        self.cwnd_cnt = 0;
    }

    pub fn state(&self) -> State {
        State::of_window(self.ssthresh())
    }

    /// RFC 5681 equation 4 with the window for the flight (`tcp_reno_ssthresh`), in whole segments.
    fn reduce(&mut self) -> u64 {
        self.prior = Some(Prior { cwnd: self.cwnd, ssthresh: self.ssthresh });
        let ssthresh = (self.segments() / 2).max(MIN_SEGMENTS) * self.mss;
        self.ssthresh = Some(ssthresh);
        ssthresh
    }

    const fn floor(&self) -> u64 {
        MIN_SEGMENTS * self.mss
    }
}

impl ResumableWindow for AimdWindow {
    fn set_cwnd(&mut self, cwnd: Bytes) {
        self.cwnd = cwnd.get();
    }

    fn retreat(&mut self, cwnd: Bytes) {
        self.cwnd = cwnd.get();
        self.cwnd_cnt = 0;
        self.prior = None;
    }

    fn set_ssthresh(&mut self, ssthresh: Bytes) {
        self.ssthresh = Some(ssthresh.get());
    }

    fn beta(&self) -> f64 {
        BETA
    }
}

impl EventHandlers for AimdWindow {
    fn on_congestion(&mut self, event: &CongestionEvent) {
        match event.kind {
            CongestionKind::Loss | CongestionKind::Ecn => {
                self.cwnd = self.reduce();
                self.phase = Phase::Recovery;
            }
            CongestionKind::Timeout | CongestionKind::Persistent => {
                // The losses of one flight reduce the threshold once, however they come to light.
                if self.phase == Phase::Open {
                    self.reduce();
                }
                self.cwnd = match event.kind {
                    // RFC 5681 section 3.1, and the flight that Linux grants beside the loss window.
                    CongestionKind::Timeout => event.in_flight.get() + self.mss,
                    // RFC 9002 section 7.6.2.
                    _ => self.floor(),
                };
                self.phase = Phase::Timeout;
                self.cwnd_cnt = 0;
            }
        }
    }

    fn on_recovery_end(&mut self, _now: Time) {
        self.phase = Phase::Open;
    }

    /// `tcp_reno_undo_cwnd`, `tcp_undo_cwnd_reduction`.
    fn on_undo(&mut self, _now: Time) {
        if let Some(prior) = self.prior.take() {
            self.cwnd = self.cwnd.max(prior.cwnd);
            self.ssthresh = self.ssthresh.zip(prior.ssthresh).map(|(now, then)| now.max(then));
        }
        self.phase = Phase::Open;
    }

    /// RFC 2861 section 3.1: ssthresh keeps three quarters of what was open.
    fn on_idle(&mut self, window: Bytes) {
        self.ssthresh = self.ssthresh.map(|ssthresh| ssthresh.max(self.cwnd * 3 / 4));
        self.cwnd = self.cwnd.min(window.get().max(self.floor()));
    }

    fn on_mss_change(&mut self, mss: Bytes) {
        self.mss = mss.get();
        self.cwnd = self.cwnd.max(self.floor());
    }
}
