//! From the model to rate, window and burst.

use bentpipe_units::{Bytes, Duration, Rate};

use super::bounds::UNBOUNDED;
use super::{Bbr3, InitialRate, MIN_RATE, Mode, Phase, STARTUP_GAIN};
use crate::AckSample;

/// One per cent below the estimate, so that queues drain.
const PACING_MARGIN: f64 = 0.99;
/// RTT assumed by the initial pacing rate when none is known.
const UNKNOWN_RTT: Duration = Duration::from_millis(1);

impl Bbr3 {
    /// BBRInitPacingRate.
    pub(super) fn init_pacing_rate(&mut self, rtt: Option<Duration>) {
        if rtt.is_some() {
            self.initial_rate = InitialRate::FromRtt;
        }
        let bandwidth = Rate::of(self.cwnd, rtt.unwrap_or(UNKNOWN_RTT));
        self.pacing_rate = bandwidth.mul_f64(STARTUP_GAIN * PACING_MARGIN).max(MIN_RATE);
    }

    /// BBRSetPacingRateWithGain.
    pub(super) fn update_pacing_rate(&mut self, gain: f64) {
        let rate = self.bw().mul_f64(gain * PACING_MARGIN).max(MIN_RATE);
        if self.full.was_reached() || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// BBRInflight.
    pub(super) fn inflight(&self, bandwidth: Rate, gain: f64) -> Bytes {
        self.quantized(self.bdp(bandwidth, gain))
    }

    pub(super) fn bdp(&self, bandwidth: Rate, gain: f64) -> Bytes {
        match self.min_rtt.get() {
            Some(rtt) => {
                let bytes = bandwidth.as_bytes_per_sec() * rtt.as_secs_f64() * gain;
                self.packets((bytes / self.mss.get() as f64).ceil() as u64)
            }
            None => self.initial_window,
        }
    }

    /// BBRQuantizationBudget.
    fn quantized(&self, bytes: Bytes) -> Bytes {
        let bursts = self.packets(3 * self.quantum_packets());
        let probe = if self.is_in(Phase::Up) { self.packets(2) } else { Bytes::ZERO };
        bytes.max(bursts).max(self.floor()) + probe
    }

    /// BBRSetSendQuantum: about a millisecond's worth, and more on short paths.
    pub(super) fn quantum_packets(&self) -> u64 {
        const MAX_BURST: u64 = 65_536;
        const HALVED_EACH_US: u64 = 512;
        let least = self.min_rtt.get().map_or(u64::MAX, |rtt| rtt.as_nanos() / 1_000);
        let for_short_paths = MAX_BURST.checked_shr((least / HALVED_EACH_US).min(64) as u32).unwrap_or(0);
        let burst = (self.pacing_rate.as_bps() / 8 / 1024 + for_short_paths).min(MAX_BURST);
        (burst / self.mss.get()).max(2)
    }

    /// BBRSetCwnd.
    pub(super) fn update_cwnd(&mut self, ack: &AckSample) {
        if ack.acked > Bytes::ZERO {
            let bandwidth = self.bw();
            let mut target = self.bdp(bandwidth, self.cwnd_gain());
            target += self.aggregation.allowance(bandwidth);
            let target = self.quantized(target);
            if self.full.was_reached() {
                self.cwnd = (self.cwnd + ack.acked).min(target);
            } else if self.cwnd < target || self.cwnd.get() < 2 * self.initial_window.get() {
                self.cwnd += ack.acked;
            }
            self.cwnd = self.cwnd.max(self.floor());
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd();
    }

    /// BBRBoundCwndForModel.
    fn bound_cwnd(&mut self) {
        let long_term = match (self.mode, self.probe.phase) {
            (Mode::ProbeBw, Phase::Down | Phase::Refill | Phase::Up) => self.bounds.inflight_hi,
            (Mode::ProbeBw, Phase::Cruise) | (Mode::ProbeRtt, _) => {
                self.bounds.with_headroom(self.mss, self.floor())
            }
            (Mode::Startup | Mode::Drain, _) => UNBOUNDED,
        };
        self.cwnd = self.cwnd.min(long_term.min(self.bounds.inflight_lo).max(self.floor()));
    }
}
