//! Timers.

use bentpipe_units::Time;

use super::Connection;
use crate::event::Closed;
use crate::receive::Decision;
use crate::state::State;

impl Connection {
    /// When [`handle_timeout`](Self::handle_timeout) is due, unless something else happens before.
    pub fn poll_timeout(&self) -> Option<Time> {
        if self.state == State::Closed {
            return None;
        }
        let receive = self.receive.timeout().filter(|_| self.state.is_synchronized());
        let timers = [
            self.handshake.timer,
            self.send.timeout(),
            self.send.paced_until(),
            receive,
            self.keep_alive.timer,
            self.lingers_until,
        ];
        timers.into_iter().flatten().min()
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.state == State::Closed {
            return;
        }
        if self.handshake.timer.is_some_and(|at| at <= now) {
            self.on_handshake_timeout(now);
        }
        if self.lingers_until.is_some_and(|at| at <= now) {
            self.vanish(Closed::Finished);
        }
        if self.send.handle_timeout(now).is_err() {
            self.vanish(Closed::TimedOut);
        }
        if self.keep_alive.timer.is_some_and(|at| at <= now) {
            self.on_keep_alive_timeout(now);
        }
        if self.state.is_synchronized()
            && self.receive.handle_timeout(now, self.sender_view()) == Decision::Send
        {
            self.pending.acknowledgement = true;
        }
    }
}
