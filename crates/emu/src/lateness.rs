//! How late the link hands packets over, by which a run's validity is judged.

use bentpipe_run::LatenessReport;
use bentpipe_units::{Duration, Time};
use hdrhistogram::Histogram;

/// Significant digits kept of every value.
const DIGITS: u8 = 3;
/// Longest lateness told apart: ten seconds.
const LONGEST_NS: u64 = 10_000_000_000;

/// How late packets were released: actual minus due.
#[derive(Debug)]
pub(crate) struct Lateness {
    histogram: Histogram<u64>,
    refused: u64,
}

impl Lateness {
    pub(crate) fn new() -> Self {
        let histogram = Histogram::new_with_max(LONGEST_NS, DIGITS).expect("constant bounds are valid");
        Self { histogram, refused: 0 }
    }

    pub(crate) fn released(&mut self, due: Time, actual: Time) {
        self.histogram.saturating_record(actual.since(due).as_nanos());
    }

    /// The receiving device did not take a packet.
    pub(crate) fn refused(&mut self) {
        self.refused += 1;
    }

    pub(crate) fn report(&self) -> LatenessReport {
        let quantile = |q| Duration::from_nanos(self.histogram.value_at_quantile(q));
        LatenessReport {
            p50: quantile(0.5),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: Duration::from_nanos(self.histogram.max()),
            count: self.histogram.len(),
            refused: self.refused,
        }
    }
}
