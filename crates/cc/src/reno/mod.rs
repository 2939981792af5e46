//! Reno (RFC 5681, RFC 6582) with the behaviour of Linux (`tcp_cong.c`).

mod window;

use bentpipe_units::{Bytes, Time};

use crate::{AckSample, Config, CongestionControl, CongestionEvent, RecoveryWindow, SentSample};
pub(crate) use window::{Phase, Window};

/// Reno's state.
#[derive(Clone, Debug)]
pub struct Reno {
    window: Window,
}

impl Reno {
    /// A connection that starts at `config.now`.
    pub fn new(config: Config) -> Self {
        Self { window: Window::new(config.mss, config.initial_window) }
    }
}

impl CongestionControl for Reno {
    fn name(&self) -> &'static str {
        "reno"
    }

    fn on_sent(&mut self, _sent: &SentSample) {}

    fn on_ack(&mut self, ack: &AckSample) {
        let permitted = ack.usage.permits_growth(self.window.cwnd(), self.window.in_slow_start());
        if permitted && self.window.phase() != Phase::Recovery {
            self.window.grow(ack.acked);
        }
    }

    fn on_congestion(&mut self, event: &CongestionEvent) {
        self.window.on_congestion(event);
    }

    fn on_recovery_end(&mut self, _now: Time) {
        self.window.on_recovery_end();
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.on_undo();
    }

    fn on_idle(&mut self, window: Bytes) {
        self.window.on_idle(window);
    }

    fn on_mss_change(&mut self, mss: Bytes) {
        self.window.on_mss_change(mss);
    }

    fn cwnd(&self) -> Bytes {
        self.window.cwnd()
    }

    fn ssthresh(&self) -> Option<Bytes> {
        self.window.ssthresh()
    }

    fn recovery_window(&self) -> RecoveryWindow {
        RecoveryWindow::Endpoint
    }

    fn clone_box(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}
