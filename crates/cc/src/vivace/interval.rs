//! Monitor intervals: what was sent in one round trip, and what became of it.

use super::delay::Line;
use super::utility::{Outcome, utility};
use crate::acked_or_lost::AckedOrLost;
use crate::{AckSample, Demand};

/// The fewest packets that show a difference of some per cent.
const MIN_PACKETS: u64 = 20;

/// An interval whose packets are leaving.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    /// Bit/s.
    rate: u64,
    /// Bytes sent before it.
    start: u64,
    opened_at_us: u64,
    acked: u64,
    lost: u64,
    demand: Demand,
    line: Line,
}

/// An interval whose packets have left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    interval: Interval,
    /// Bytes sent before its end.
    end: u64,
    closed_at_us: u64,
}

/// What an interval showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// Something else than the rate set the pace.
    Void,
    Worth(i64),
}

impl Interval {
    pub const fn open(rate: u64, sent: u64, now_us: u64) -> Self {
        Self {
            rate,
            start: sent,
            opened_at_us: now_us,
            acked: 0,
            lost: 0,
            demand: Demand::Backlogged,
            line: Line::EMPTY,
        }
    }

    pub const fn rate(&self) -> u64 {
        self.rate
    }

    pub const fn owns(&self, acked_or_lost_before: u64) -> bool {
        acked_or_lost_before >= self.start
    }

    /// An acknowledgement that is about its packets.
    pub fn take(&mut self, ack: &AckSample, now_us: u64) {
        self.acked += ack.acked.get();
        self.lost += ack.lost.get();
        if ack.rate.is_some_and(|rate| rate.demand == Demand::AppLimited) {
            self.demand = Demand::AppLimited;
        }
        if let Some(rtt) = ack.rtt {
            let rtt_us = rtt.as_nanos() / 1_000;
            let departure_us = now_us.saturating_sub(rtt_us).saturating_sub(self.opened_at_us);
            self.line.add(departure_us, rtt_us);
        }
    }

    /// Whether a round trip has passed and enough packets have left to judge it.
    pub const fn is_long_enough(&self, count: &AckedOrLost, mss: u64) -> bool {
        count.acked_or_lost() > self.start && count.sent() - self.start >= MIN_PACKETS * mss
    }

    pub const fn close(self, sent: u64, now_us: u64) -> Closed {
        Closed { interval: self, end: sent, closed_at_us: now_us }
    }
}

impl Closed {
    pub fn take(&mut self, ack: &AckSample, now_us: u64) {
        self.interval.take(ack, now_us);
    }

    pub const fn is_acked_or_lost(&self, count: &AckedOrLost) -> bool {
        count.acked_or_lost() >= self.end
    }

    pub fn judge(&self) -> Judgement {
        let Interval { rate, start, opened_at_us, acked, lost, demand, line } = self.interval;
        let allowed = (rate / 8).saturating_mul(self.closed_at_us - opened_at_us) / 1_000_000;
        let sent = self.end - start;
        if demand == Demand::AppLimited || sent.saturating_mul(10) < allowed.saturating_mul(9) {
            return Judgement::Void;
        }
        Judgement::Worth(utility(Outcome { rate, growth_ppm: line.growth_ppm(), acked, lost }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, at_ms, packets};

    #[test]
    fn an_interval_has_twenty_packets_at_least() {
        let interval = Interval::open(1_000_000, 0, 0);
        let mut count = AckedOrLost::default();
        for n in 1..=20 {
            count.on_sent(packets(1));
            count.on_ack(&ack(at_ms(100), packets(1)));
            assert_eq!(interval.is_long_enough(&count, packets(1).get()), n == 20, "{n} packets");
        }
    }
}
