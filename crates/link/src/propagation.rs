//! From the end of a transmission to the far end of the link. Model page: docs/models/propagation.md.

use bentpipe_run::JitterSpec;
use bentpipe_units::{Duration, Time};

use crate::Way;
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
}

impl Propagation {
    pub(crate) fn new(delay: Duration, jitter: &JitterSpec, seed: u64, way: Way) -> Self {
        let jitter = match *jitter {
            JitterSpec::None => Jitter::None,
            JitterSpec::Normal { sd_ns } => {
                Jitter::Normal { sd: sd_ns, stream: Stream::new(seed, way, "propagation") }
            }
        };
        Self { delay, jitter, last_release: Time::ZERO }
    }

    /// When a packet whose transmission ended at `sent` leaves the link:
    /// max(last release, sent + max(0, delay + sd * N(0, 1))).
    pub(crate) fn release(&mut self, sent: Time) -> Time {
        let delay = match &mut self.jitter {
            Jitter::None => self.delay,
            Jitter::Normal { sd, stream } => {
                let offset = (sd.as_nanos() as f64 * stream.normal()).round() as i64;
                Duration::from_nanos(self.delay.as_nanos().saturating_add_signed(offset))
            }
        };
        self.last_release = self.last_release.max(sent.saturating_add(delay));
        self.last_release
    }
}
