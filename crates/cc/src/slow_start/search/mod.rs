//! SEARCH (draft-chung-ccwg-search-09): slow start ends when less arrives than was sent a round trip before.

mod bins;
mod drain;
mod step;
#[cfg(test)]
mod tests;

use bentpipe_units::{Bytes, Duration, Time};

use crate::AckSample;
use bins::{Bins, Outcome, Progress};
use drain::Drain;
pub(crate) use step::Step;

/// SEARCH's state.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// The least window that a drain comes down to.
    initial_window: Bytes,
    /// Sent since the connection started, repeated or not.
    sent: u64,
    /// Delivered since the connection started.
    delivered: u64,
    /// None before the first round trip, and after a pause.
    bins: Option<Bins>,
    drain: Option<Drain>,
}

impl Search {
    pub const fn new(initial_window: Bytes) -> Self {
        Self { initial_window, sent: 0, delivered: 0, bins: None, drain: None }
    }

    /// A packet leaves.
    pub fn on_sent(&mut self, bytes: Bytes) {
        self.sent += bytes.get();
    }

    /// Packets arrived, in whatever phase.
    pub fn on_delivered(&mut self, bytes: Bytes) {
        self.delivered += bytes.get();
    }

    /// An acknowledgement of the first slow start, which [`on_delivered`](Self::on_delivered) has counted.
    pub fn on_ack(&mut self, ack: &AckSample, cwnd: Bytes, mss: Bytes) -> Step {
        if let Some(drain) = &mut self.drain {
            return drain.on_ack(ack, cwnd, mss);
        }
        let Some(rtt) = ack.rtt else { return Step::Grow };
        if self.judge(ack.now, rtt) != Some(Outcome::Exit) {
            return Step::Grow;
        }
        let delivered = self.bins.as_ref().map_or(0, Bins::delivered_in_initial_rtt);
        let target = Bytes::new(delivered / mss.get() * mss.get()).max(self.initial_window);
        if target >= cwnd {
            return Step::Leave(cwnd);
        }
        self.drain = Some(Drain::new(cwnd, target));
        Step::Drain(cwnd)
    }

    /// What is made of the bins, where an acknowledgement is the first beyond a bin.
    fn judge(&mut self, now: Time, rtt: Duration) -> Option<Outcome> {
        let Some(bins) = &mut self.bins else {
            self.bins = Bins::new(now, rtt, self.sent, self.delivered);
            return None;
        };
        match bins.advance(now, self.sent, self.delivered) {
            Progress::Inside => None,
            Progress::Next => Some(bins.judge(rtt)),
            Progress::Stale => {
                self.bins = None;
                None
            }
        }
    }
}
