//! From the end of a transmission to the far end of the link. Model page: docs/models/propagation.md.

use bentpipe_run::JitterSpec;
use bentpipe_units::{Duration, Time};

use crate::Way;
use crate::channel::empirical::Empirical;
use crate::random::Stream;

/// Propagation delay of one direction.
pub(crate) struct Propagation {
    delay: Duration,
    jitter: Jitter,
    last_release: Time,
}

enum Jitter {
    None,
    Normal { sd: Duration, stream: Stream },
    Empirical(Empirical),
}

impl Propagation {
    pub(crate) fn new(delay: Duration, jitter: &JitterSpec, seed: u64, way: Way, start: Time) -> Self {
        let jitter = match jitter {
            JitterSpec::None => Jitter::None,
            JitterSpec::Normal { sd_ns } => {
                Jitter::Normal { sd: *sd_ns, stream: Stream::new(seed, way, "propagation") }
            }
            JitterSpec::Empirical { quantiles, hold_ns } => {
                Jitter::Empirical(Empirical::new(quantiles, *hold_ns, seed, way, start))
            }
        };
        Self { delay, jitter, last_release: Time::ZERO }
    }

    /// When a packet whose transmission ended at `sent` leaves the link:
    /// max(last release, sent + max(0, delay + offset)), the normal offset being sd * N(0, 1).
    pub(crate) fn release(&mut self, sent: Time) -> Time {
        let offset_ns = match &mut self.jitter {
            Jitter::None => 0,
            Jitter::Normal { sd, stream } => (sd.as_nanos() as f64 * stream.normal()).round() as i64,
            Jitter::Empirical(empirical) => empirical.offset_ns(sent),
        };
        let delay = Duration::from_nanos(self.delay.as_nanos().saturating_add_signed(offset_ns));
        self.last_release = self.last_release.max(sent.saturating_add(delay));
        self.last_release
    }
}
