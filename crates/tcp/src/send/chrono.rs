//! What a sender spends its time on (`tcp_chrono_start`, `tcp_chrono_stop`).

use bentpipe_units::{Duration, Time};

use crate::info::TimeSpent;

/// What holds the data that are there to send; where several do, the highest counts (`enum tcp_chrono`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Limit {
    /// The congestion window, the pacer and the round trip: all the rest.
    Busy,
    /// The window that the peer announced.
    PeerWindow,
    /// The send buffer, which is full and has all gone out.
    SendBuffer,
}

/// Times by what the sender was limited by; none runs while nothing waits and nothing is out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chronograph {
    running: Option<Limit>,
    since: Time,
    /// Of each limit, by its place among them.
    spent: [Duration; 3],
}

impl Chronograph {
    pub const fn new(now: Time) -> Self {
        Self { running: None, since: now, spent: [Duration::ZERO; 3] }
    }

    /// The limit holds from now on, unless a higher one does.
    pub fn start(&mut self, now: Time, limit: Limit) {
        if self.running < Some(limit) {
            self.switch(now, Some(limit));
        }
    }

    /// The limit holds no more.
    pub fn stop(&mut self, now: Time, limit: Limit) {
        if self.running == Some(limit) {
            self.switch(now, Some(Limit::Busy));
        }
    }

    /// Nothing waits and nothing is out.
    pub fn rest(&mut self, now: Time) {
        self.switch(now, None);
    }

    /// The times until now (`tcp_get_info_chrono_stats`).
    pub fn read(mut self, now: Time) -> TimeSpent {
        self.switch(now, None);
        let [busy, peer_window, send_buffer] = self.spent;
        TimeSpent { busy: busy + peer_window + send_buffer, peer_window, send_buffer }
    }

    fn switch(&mut self, now: Time, next: Option<Limit>) {
        if let Some(limit) = self.running {
            self.spent[limit as usize] += now.since(self.since);
        }
        self.running = next;
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn the_highest_limit_counts_and_all_of_them_are_busy() {
        let mut chrono = Chronograph::new(at(0));
        chrono.start(at(1), Limit::Busy);
        chrono.start(at(2), Limit::SendBuffer);
        chrono.start(at(3), Limit::PeerWindow);
        chrono.stop(at(4), Limit::PeerWindow);
        chrono.stop(at(5), Limit::SendBuffer);
        chrono.rest(at(7));
        let spent = chrono.read(at(9));
        assert_eq!(spent.busy, Duration::from_secs(6), "from the first byte until all is acknowledged");
        assert_eq!(spent.send_buffer, Duration::from_secs(3));
        assert_eq!(spent.peer_window, Duration::ZERO, "the send buffer stands above it");
    }

    #[test]
    fn what_still_runs_is_read_until_now() {
        let mut chrono = Chronograph::new(at(0));
        chrono.start(at(1), Limit::PeerWindow);
        assert_eq!(chrono.read(at(3)).peer_window, Duration::from_secs(2));
        assert_eq!(chrono.read(at(4)).busy, Duration::from_secs(3));
    }
}
