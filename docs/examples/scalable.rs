//! Scalable TCP (Kelly, "Scalable TCP: improving performance in highspeed wide area networks", ACM CCR 33(2), 83-91,
//! 2003), with Reno's growth below a hundred segments as in Linux (`tcp_scalable.c`).
//!
//! The worked example of docs/guide/add-a-congestion-control.md.

use bentpipe_cc::{AckSample, Config, CongestionControl, CongestionKind, Event, RecoveryWindow, State};
use bentpipe_units::Bytes;

/// Each segment acknowledged adds a hundredth of a segment (section 3: a = 0.01).
const SEGMENTS_PER_INCREASE: u64 = 100;
/// A loss takes an eighth of the window (section 3: b = 0.125).
const DECREASE: u64 = 8;
/// The smallest threshold, in segments (RFC 5681 equation 4).
const MIN_SEGMENTS: u64 = 2;

/// Scalable TCP's state, in bytes.
#[derive(Clone, Debug)]
pub struct Scalable {
    mss: u64,
    cwnd: u64,
    /// None while it is infinite.
    ssthresh: Option<u64>,
    /// Acknowledged, times the segment, that has not made the window grow yet.
    credit: u64,
    in_recovery: bool,
    /// Window and threshold before the last reduction.
    prior: Option<(u64, Option<u64>)>,
}

impl Scalable {
    /// A connection that starts at `config.now`.
    pub fn new(config: Config) -> Self {
        let cwnd = config.initial_window.max(config.mss).get();
        Self { mss: config.mss.get(), cwnd, ssthresh: None, credit: 0, in_recovery: false, prior: None }
    }

    fn in_slow_start(&self) -> bool {
        self.ssthresh.is_none_or(|ssthresh| self.cwnd < ssthresh)
    }

    fn floor(&self) -> u64 {
        MIN_SEGMENTS * self.mss
    }

    fn reduce(&mut self) -> u64 {
        self.prior = Some((self.cwnd, self.ssthresh));
        let reduced = (self.cwnd - self.cwnd / DECREASE).max(self.floor());
        self.ssthresh = Some(reduced);
        reduced
    }
}

impl CongestionControl for Scalable {
    fn name(&self) -> &'static str {
        "scalable"
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let slow_start = self.in_slow_start();
        if self.in_recovery || !ack.usage.permits_growth(self.cwnd(), slow_start) {
            return;
        }
        if slow_start {
            self.cwnd = (self.cwnd + ack.acked.get()).min(self.ssthresh.unwrap_or(u64::MAX));
        } else {
            let step = self.cwnd.min(SEGMENTS_PER_INCREASE * self.mss);
            self.credit += ack.acked.get() * self.mss;
            self.cwnd += self.credit / step;
            self.credit %= step;
        }
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Congestion(congestion) => {
                let reduced = self.reduce();
                self.in_recovery = matches!(congestion.kind, CongestionKind::Loss | CongestionKind::Ecn);
                self.cwnd = match congestion.kind {
                    CongestionKind::Loss | CongestionKind::Ecn => reduced,
                    CongestionKind::Timeout => congestion.in_flight.get() + self.mss,
                    CongestionKind::Persistent => self.floor(),
                };
            }
            Event::RecoveryEnd { .. } => self.in_recovery = false,
            Event::Undo { .. } => {
                if let Some((cwnd, ssthresh)) = self.prior.take() {
                    self.cwnd = self.cwnd.max(cwnd);
                    self.ssthresh = ssthresh;
                }
                self.in_recovery = false;
            }
            Event::Idle { window } => self.cwnd = self.cwnd.min(window.get().max(self.floor())),
            Event::MssChange { mss } => {
                self.mss = mss.get();
                self.cwnd = self.cwnd.max(self.floor());
            }
        }
    }

    fn cwnd(&self) -> Bytes {
        Bytes::new(self.cwnd)
    }

    fn state(&self) -> State {
        State {
            ssthresh: self.ssthresh.map(Bytes::new),
            pacing_rate: None,
            send_quantum: None,
            bandwidth: None,
            recovery_window: RecoveryWindow::Endpoint,
        }
    }
}
