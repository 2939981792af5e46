//! How long packets of one class waited, and how many were marked or dropped for it.

use std::collections::BTreeMap;

use bentpipe_units::Duration;

use crate::QueueClassReport;

/// Width of a bin of waits; a percentile is the upper end of its bin.
const BIN: Duration = Duration::from_micros(10);

/// Waits of the packets that left since the workload started, in bins of [`BIN`].
pub(super) struct Sojourn {
    waits: BTreeMap<u64, u64>,
    packets: u64,
    marked_packets: u64,
    dropped_packets: u64,
}

impl Sojourn {
    pub(super) const fn new() -> Self {
        Self { waits: BTreeMap::new(), packets: 0, marked_packets: 0, dropped_packets: 0 }
    }

    /// A packet left after this wait.
    pub(super) fn left(&mut self, wait: Duration) {
        self.packets += 1;
        *self.waits.entry(wait.as_nanos().div_ceil(BIN.as_nanos())).or_default() += 1;
    }

    /// It was marked here.
    pub(super) const fn marked(&mut self) {
        self.marked_packets += 1;
    }

    /// One was dropped in place of a mark.
    pub(super) const fn dropped(&mut self) {
        self.dropped_packets += 1;
    }

    pub(super) fn report(&self, name: &str) -> QueueClassReport {
        QueueClassReport {
            name: name.to_owned(),
            packets: self.packets,
            marked_packets: self.marked_packets,
            dropped_packets: self.dropped_packets,
            wait_p50: self.percentile(0.5),
            wait_p99: self.percentile(0.99),
            wait_max: self.percentile(1.0),
        }
    }

    /// The nearest rank; none where nothing left.
    fn percentile(&self, p: f64) -> Option<Duration> {
        let rank = (p * self.packets as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let bin = self.waits.iter().find(|(_, count)| {
            seen += **count;
            seen >= rank
        });
        bin.map(|(bin, _)| BIN * *bin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank_and_none_where_nothing_left() {
        let mut sojourn = Sojourn::new();
        assert_eq!(sojourn.report("all").wait_p99, None);
        // 1, 2, ... 100 tenths of a millisecond: ranks 50, 99 and 100.
        for wait in 1..=100 {
            sojourn.left(Duration::from_micros(100 * wait));
        }
        let report = sojourn.report("all");
        let [p50, p99, max] = [5_000, 9_900, 10_000].map(|us| Some(Duration::from_micros(us)));
        assert_eq!((report.wait_p50, report.wait_p99, report.wait_max), (p50, p99, max));
    }
}
