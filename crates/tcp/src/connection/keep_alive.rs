//! Probes of a peer that has been silent while nothing is out (RFC 9293 section 3.8.4, `tcp_keepalive_timer`).

use bentpipe_units::{Duration, Time};

use super::{Connection, Reset};
use crate::config::KeepAlive;
use crate::event::Closed;

impl Connection {
    /// Whether and how a silent peer is probed (`SO_KEEPALIVE`, `TCP_KEEPIDLE`, `TCP_KEEPINTVL`, `TCP_KEEPCNT`).
    pub fn set_keep_alive(&mut self, now: Time, limits: Option<KeepAlive>) {
        let before = self.keep_alive.limits;
        self.keep_alive.limits = limits;
        match (before, limits) {
            (_, None) => self.keep_alive.timer = None,
            (None, Some(_)) => self.restart_keep_alive(now),
            // tcp_sock_set_keepidle_locked; the other times count from the next probe on.
            (Some(before), Some(limits)) if before.idle != limits.idle => {
                let passed = now.since(self.keep_alive.heard_at);
                self.arm_keep_alive(now, limits.idle.saturating_sub(passed));
            }
            _ => {}
        }
    }

    /// The idle time counts from now on: the connection is open, or data is out.
    pub(super) fn restart_keep_alive(&mut self, now: Time) {
        if let Some(limits) = self.keep_alive.limits {
            self.arm_keep_alive(now, limits.idle);
        }
    }

    pub(super) fn on_keep_alive_timeout(&mut self, now: Time) {
        self.keep_alive.timer = None;
        let Some(limits) = self.keep_alive.limits else { return };
        // A socket that its application has left waits elsewhere (`tcp_time_wait`).
        if !self.is_open() || self.lingers_until.is_some() {
            return;
        }
        if self.send.has_anything_out() {
            self.restart_keep_alive(now);
            return;
        }
        let silent_for = now.since(self.keep_alive.heard_at);
        if silent_for < limits.idle {
            self.arm_keep_alive(now, limits.idle.saturating_sub(silent_for));
            return;
        }
        let is_over = match self.send.user_timeout() {
            Some(timeout) => silent_for >= timeout && self.keep_alive.unanswered > 0,
            None => self.keep_alive.unanswered >= limits.probes,
        };
        if is_over {
            // What came before can still be read (`tcp_write_err`).
            self.pending.reset = Some(Reset::Own);
            self.vanish(Closed::TimedOut);
            return;
        }
        self.keep_alive.unanswered += 1;
        self.pending.keep_alive = true;
        self.arm_keep_alive(now, limits.interval);
    }

    fn arm_keep_alive(&mut self, now: Time, wait: Duration) {
        self.keep_alive.timer = Some(self.wheel.expiry(now, wait));
    }
}
