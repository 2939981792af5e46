//! What one direction did since the mark, and per 100 ms.

pub(crate) mod bins;
mod series;

use bentpipe_units::{Bytes, Time};

use self::series::{Bin, Series};
use crate::{DirectionReport, DropCause, DropCounts};

/// What one direction did since the mark.
pub(crate) struct Counters {
    marked: Time,
    offered_packets: u64,
    offered_bytes: Bytes,
    delivered_packets: u64,
    delivered_bytes: Bytes,
    drops: DropCounts,
    queue: QueueGauge,
    series: Series,
}

/// The queue's length over time.
struct QueueGauge {
    bytes: Bytes,
    since: Time,
    /// Bytes times nanoseconds from the mark to `since`.
    integral: u128,
    max: Bytes,
}

impl Counters {
    pub(crate) fn new(marked: Time) -> Self {
        Self {
            marked,
            offered_packets: 0,
            offered_bytes: Bytes::ZERO,
            delivered_packets: 0,
            delivered_bytes: Bytes::ZERO,
            drops: DropCounts::default(),
            queue: QueueGauge { bytes: Bytes::ZERO, since: marked, integral: 0, max: Bytes::ZERO },
            series: Series::new(marked),
        }
    }

    /// Starts again at `now`, with the queue as it is.
    pub(crate) fn mark(&mut self, now: Time) {
        self.marked = now;
        self.offered_packets = 0;
        self.offered_bytes = Bytes::ZERO;
        self.delivered_packets = 0;
        self.delivered_bytes = Bytes::ZERO;
        self.drops = DropCounts::default();
        self.queue = QueueGauge { since: now, integral: 0, max: self.queue.bytes, ..self.queue };
        self.series.mark(now);
    }

    pub(crate) fn offered(&mut self, at: Time, size: Bytes) {
        self.offered_packets += 1;
        self.offered_bytes += size;
        self.series.bin(at).sent += size;
    }

    /// Counts a delivery that was due at or after the mark.
    pub(crate) fn delivered(&mut self, due: Time, size: Bytes) {
        if due < self.marked {
            return;
        }
        self.delivered_packets += 1;
        self.delivered_bytes += size;
        self.series.bin(due).delivered += size;
    }

    /// Counts a drop at or after the mark.
    pub(crate) fn dropped(&mut self, at: Time, cause: DropCause) {
        if at < self.marked {
            return;
        }
        match cause {
            DropCause::Queue => self.drops.queue += 1,
            DropCause::Channel => self.drops.channel += 1,
            DropCause::Oversize => self.drops.oversize += 1,
        }
        self.series.bin(at).drops += 1;
    }

    /// The queue holds `bytes` from `at` on. Calls come in order of time.
    pub(crate) fn queue(&mut self, at: Time, bytes: Bytes) {
        self.queue.set(at, bytes);
        self.series.queue(at, bytes);
    }

    pub(crate) fn report(&self, now: Time) -> DirectionReport {
        DirectionReport {
            offered_packets: self.offered_packets,
            offered_bytes: self.offered_bytes,
            delivered_packets: self.delivered_packets,
            delivered_bytes: self.delivered_bytes,
            drops: self.drops,
            queue_mean_bytes: self.queue.mean(self.marked, now),
            queue_max_bytes: self.queue.max,
            queue_classes: Vec::new(),
        }
    }

    /// The bins until `now`, each with its end.
    pub(crate) fn series(&mut self, now: Time) -> impl Iterator<Item = (Time, Bin)> {
        self.series.until(now)
    }
}

impl QueueGauge {
    fn set(&mut self, at: Time, bytes: Bytes) {
        self.integral = self.integral_until(at);
        self.since = at;
        self.bytes = bytes;
        self.max = self.max.max(bytes);
    }

    fn integral_until(&self, at: Time) -> u128 {
        self.integral + u128::from(self.bytes.get()) * u128::from(at.since(self.since).as_nanos())
    }

    /// (1/T) * integral of the waiting bytes over the T since the mark; zero at the mark itself.
    fn mean(&self, marked: Time, now: Time) -> f64 {
        match now.since(marked).as_nanos() {
            0 => 0.0,
            span => self.integral_until(now) as f64 / span as f64,
        }
    }
}
