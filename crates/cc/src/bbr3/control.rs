//! From the model to rate, window and send quantum.

use bentpipe_units::{Bytes, Rate};

use super::bounds::UNBOUNDED;
use super::{Bbr3, Mode, Phase};
use crate::AckSample;
use crate::bbr_common::{bdp, quantum_packets};

impl Bbr3 {
    pub(super) fn update_pacing_rate(&mut self, gain: f64) {
        self.pacing_rate.update(self.bw(), gain, self.full.was_reached());
    }

    /// BBRInflight.
    pub(super) fn inflight(&self, bandwidth: Rate, gain: f64) -> Bytes {
        self.quantized(self.bdp(bandwidth, gain))
    }

    pub(super) fn bdp(&self, bandwidth: Rate, gain: f64) -> Bytes {
        match self.min_rtt.get() {
            Some(rtt) => {
                let bytes = bdp(bandwidth, rtt, gain);
                self.window.packets((bytes / self.window.mss.get() as f64).ceil() as u64)
            }
            None => self.window.initial,
        }
    }

    /// BBRQuantizationBudget.
    fn quantized(&self, bytes: Bytes) -> Bytes {
        let bursts = self.window.packets(3 * self.quantum_packets());
        let probe = if self.is_in(Phase::Up) { self.window.packets(2) } else { Bytes::ZERO };
        bytes.max(bursts).max(self.window.floor()) + probe
    }

    /// BBRSetSendQuantum, with more on short paths.
    pub(super) fn quantum_packets(&self) -> u64 {
        const ON_SHORT_PATHS: u64 = 65_536;
        const HALVED_EACH_US: u64 = 512;
        let least = self.min_rtt.get().map_or(u64::MAX, |rtt| rtt.as_nanos() / 1_000);
        let for_short_paths =
            ON_SHORT_PATHS.checked_shr((least / HALVED_EACH_US).min(64) as u32).unwrap_or(0);
        quantum_packets(self.pacing_rate.get(), for_short_paths, self.window.mss).max(2)
    }

    /// BBRSetCwnd.
    pub(super) fn update_cwnd(&mut self, ack: &AckSample) {
        if ack.acked > Bytes::ZERO {
            let bandwidth = self.bw();
            let mut target = self.bdp(bandwidth, self.cwnd_gain());
            target += self.aggregation.allowance(bandwidth);
            let target = self.quantized(target);
            if self.full.was_reached() {
                self.window.cwnd = (self.window.cwnd + ack.acked).min(target);
            } else if self.window.cwnd < target || self.window.cwnd.get() < 2 * self.window.initial.get() {
                self.window.cwnd += ack.acked;
            }
            self.window.cwnd = self.window.cwnd.max(self.window.floor());
        }
        if self.mode == Mode::ProbeRtt {
            self.window.cwnd = self.window.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd();
    }

    /// BBRBoundCwndForModel.
    fn bound_cwnd(&mut self) {
        let long_term = match (self.mode, self.probe.phase) {
            (Mode::ProbeBw, Phase::Down | Phase::Refill | Phase::Up) => self.bounds.inflight_hi,
            (Mode::ProbeBw, Phase::Cruise) | (Mode::ProbeRtt, _) => {
                self.bounds.with_headroom(self.window.mss, self.window.floor())
            }
            (Mode::Startup | Mode::Drain, _) => UNBOUNDED,
        };
        self.window.cwnd =
            self.window.cwnd.min(long_term.min(self.bounds.inflight_lo).max(self.window.floor()));
    }
}
