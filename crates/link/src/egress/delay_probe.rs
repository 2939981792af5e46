//! The series of delays: what the time of packets in either direction was spent on, as means of each 100 ms.

use std::collections::VecDeque;

use bentpipe_units::{Duration, Time};

use crate::Table;
use crate::counters::bins::Bins;
use crate::egress::Delay;

/// What the time of one direction's packets is spent on, from arrival to delivery.
pub(crate) struct DelayProbe {
    marked: Time,
    /// Packets that were sent and will arrive, in this order; with their time from there to here.
    travelling: VecDeque<(Delay, Duration)>,
    bins: Bins<Sums>,
}

/// Of the packets delivered in a bin.
#[derive(Clone, Copy, Default)]
struct Sums {
    packets: u64,
    delay: Delay,
    propagation: Duration,
}

impl DelayProbe {
    pub(crate) fn new(start: Time) -> Self {
        Self { marked: start, travelling: VecDeque::new(), bins: Bins::new(start, Sums::default()) }
    }

    pub(crate) fn mark(&mut self, now: Time) {
        self.marked = now;
        self.bins.mark(now);
    }

    /// A packet that will arrive was sent.
    pub(crate) fn sent(&mut self, delay: Delay, propagation: Duration) {
        self.travelling.push_back((delay, propagation));
    }

    /// The first of the packets that were sent is delivered.
    pub(crate) fn delivered(&mut self, due: Time) {
        let first = self.travelling.pop_front();
        if let Some((delay, propagation)) = first.filter(|_| due >= self.marked) {
            let bin = self.bins.at(due);
            bin.packets += 1;
            bin.delay = bin.delay + delay;
            bin.propagation += propagation;
        }
    }
}

/// Means over the packets delivered in each bin.
pub(crate) fn table(forward: &mut DelayProbe, return_: &mut DelayProbe, now: Time) -> Table {
    let mut table = Table::default();
    for ((end, forward), (_, return_)) in forward.bins.until(now).zip(return_.bins.until(now)) {
        table.push([
            ("time_s", end.since(Time::ZERO).as_secs_f64()),
            ("forward_queue_s", forward.mean(forward.delay.queue)),
            ("forward_framing_s", forward.mean(forward.delay.transmission)),
            ("forward_propagation_s", forward.mean(forward.propagation)),
            ("return_queue_s", return_.mean(return_.delay.queue)),
            ("return_request_s", return_.mean(return_.delay.request)),
            ("return_slot_s", return_.mean(return_.delay.slot)),
            ("return_burst_s", return_.mean(return_.delay.transmission)),
            ("return_propagation_s", return_.mean(return_.propagation)),
        ]);
    }
    table
}

impl Sums {
    /// No packets have no mean: 0/0 is NaN.
    fn mean(&self, sum: Duration) -> f64 {
        sum.as_secs_f64() / self.packets as f64
    }
}
