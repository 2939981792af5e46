//! The peer's window, and how much the application may write ahead of it.

use bentpipe_cc::Event;
use bentpipe_units::{Bytes, Duration, Time};

use crate::config::AfterIdle;
use crate::send::Sender;
use crate::send::recovery::Phase;

/// The peer's window (RFC 9293 section 3.3.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SendWindow {
    /// SND.WND, scaled.
    pub size: u64,
    /// SND.WL1.
    wl1: u64,
    /// The largest ever (RFC 9293 section 3.8.6.2.1).
    pub max: u64,
}

impl SendWindow {
    /// RFC 9293 section 3.10.7.4: the window of the newest segment counts (`tcp_ack_update_window`). Whether it
    /// changed.
    pub fn update(&mut self, seq: u64, size: u64, advances: bool) -> bool {
        let newer = seq > self.wl1 || (seq == self.wl1 && (size > self.size || size == 0));
        if !advances && !newer {
            return false;
        }
        self.wl1 = seq;
        let changed = size != self.size;
        self.size = size;
        self.max = self.max.max(size);
        changed
    }

    /// The window of a SYN or of the segment that completes the handshake.
    pub fn initialize(&mut self, seq: u64, size: u64) {
        *self = Self { size, wl1: seq, max: size };
    }
}

impl Sender {
    /// The peer announces a window with the handshake.
    pub fn initialize_window(&mut self, seq: u64, size: u64) {
        self.window.initialize(seq, size);
    }

    /// First position that the peer's window does not allow.
    pub(in crate::send) const fn window_end(&self) -> u64 {
        self.una + self.window.size
    }

    /// RFC 2861: after an idle time longer than the timeout the window halves once per timeout
    /// (`tcp_slow_start_after_idle_check`, `tcp_cwnd_restart`).
    pub(in crate::send) fn restart_after_idle(&mut self, now: Time) {
        let rto = self.rto();
        let mut idle = now.since(self.last_data_at);
        if self.config.after_idle == AfterIdle::Keep || !self.scoreboard.is_empty() || idle <= rto {
            return;
        }
        let mut cwnd = self.cwnd();
        let restart = self.config.initial_window.min(cwnd);
        while idle > rto && cwnd > restart {
            idle = idle.saturating_sub(rto);
            cwnd /= 2;
        }
        let window = self.bytes(cwnd.max(restart));
        if let Some(cc) = &mut self.cc {
            cc.on_event(Event::Idle { window });
        }
        self.idle.since = now;
        self.idle.used = 0;
    }

    /// RFC 2861: a window that the application does not fill for a timeout shrinks towards what was used
    /// (`tcp_cwnd_validate`, `tcp_cwnd_application_limited`).
    pub(in crate::send) fn validate_window(&mut self, now: Time) {
        let usage = self.usage.usage();
        let (cwnd, out) = (self.cwnd(), self.scoreboard.len());
        let slow_start = self.ssthresh().is_none_or(|ssthresh| cwnd < ssthresh);
        if usage.permits_growth(self.bytes(cwnd), slow_start) {
            self.idle.used = 0;
            self.idle.since = now;
            return;
        }
        self.idle.used = self.idle.used.max(out);
        if self.config.after_idle == AfterIdle::Keep || now.since(self.idle.since) < self.rto() {
            return;
        }
        if self.recovery.phase == Phase::Open && !self.buffer.has_waiting_writer() {
            let used = self.idle.used.max(self.config.initial_window);
            let window = self.bytes(cwnd.midpoint(used));
            if let Some(cc) = self.cc.as_mut().filter(|_| used < cwnd) {
                cc.on_event(Event::Idle { window });
            }
            self.idle.used = 0;
        }
        self.idle.since = now;
    }

    /// Slow-start threshold in segments.
    pub(in crate::send) fn ssthresh(&self) -> Option<u64> {
        self.cc.as_ref()?.state().ssthresh.map(|ssthresh| ssthresh.get() / self.mss)
    }

    /// The peer's last word on its window.
    pub const fn peer_window(&self) -> Bytes {
        Bytes::new(self.window.size)
    }

    pub(in crate::send) fn srtt_or_zero(&self) -> Duration {
        self.rtt.srtt().unwrap_or(Duration::ZERO)
    }
}
