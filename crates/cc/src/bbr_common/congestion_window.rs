//! The congestion window: its floor, and the window to come back to after a reduction.

use bentpipe_units::Bytes;

use crate::Config;

/// The smallest window in packets: enough for delayed acknowledgements (draft: MinPipeCwnd).
const MIN_PACKETS: u64 = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct CongestionWindow {
    pub mss: Bytes,
    pub initial: Bytes,
    pub cwnd: Bytes,
    /// The window before an episode or ProbeRTT.
    pub prior: Bytes,
}

impl CongestionWindow {
    pub fn new(config: &Config) -> Self {
        let initial = config.initial_window.max(config.mss);
        Self { mss: config.mss, initial, cwnd: initial, prior: Bytes::ZERO }
    }

    pub fn packets(&self, n: u64) -> Bytes {
        Bytes::new(n * self.mss.get())
    }

    pub fn floor(&self) -> Bytes {
        self.packets(MIN_PACKETS)
    }

    /// BBRSaveCwnd: the window to restore later, when the present one may be reduced already.
    pub fn save(&mut self, is_reduced: bool) {
        self.prior = if is_reduced { self.prior.max(self.cwnd) } else { self.cwnd };
    }

    /// BBRRestoreCwnd.
    pub fn restore(&mut self) {
        self.cwnd = self.cwnd.max(self.prior);
    }

    pub fn on_mss_change(&mut self, mss: Bytes) {
        self.mss = mss;
        self.cwnd = self.cwnd.max(self.floor());
    }
}
