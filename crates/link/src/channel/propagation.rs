//! From the end of a transmission to the far end of the link. Model page: docs/models/propagation.md.

use bentpipe_units::{Duration, Time};

use crate::QuantileSpec;
use crate::channel::empirical::Empirical;
use crate::random::{Seed, Stream};

/// Random variation of the propagation delay.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum JitterSpec {
    /// The delay is constant.
    None,
    /// Normally distributed around the delay, cut off where the delay would be negative.
    Normal {
        /// Standard deviation.
        sd_ns: Duration,
    },
    /// Of any distribution, and constant for a while at a time.
    Empirical {
        /// The quantile function, linear between its points: at least two, from p = 0 to p = 1, both columns ascending.
        quantiles: Vec<QuantileSpec>,
        /// How long a value holds before the next one is drawn; at least 1 ms.
        hold_ns: Duration,
    },
}

/// Propagation delay of one direction.
pub(crate) struct Propagation {
    jitter: Jitter,
    last_release: Time,
}

enum Jitter {
    None,
    Normal { sd: Duration, stream: Stream },
    Empirical(Empirical),
}

impl Propagation {
    pub(crate) fn new(jitter: &JitterSpec, seed: Seed, start: Time) -> Self {
        let jitter = match jitter {
            JitterSpec::None => Jitter::None,
            JitterSpec::Normal { sd_ns } => Jitter::Normal { sd: *sd_ns, stream: seed.stream("propagation") },
            JitterSpec::Empirical { quantiles, hold_ns } => {
                Jitter::Empirical(Empirical::new(quantiles, *hold_ns, seed, start))
            }
        };
        Self { jitter, last_release: Time::ZERO }
    }

    /// When a packet whose transmission ended at `sent`, when the propagation took `delay`, leaves the link:
    /// max(last release, sent + max(0, delay + offset)), the normal offset being sd * N(0, 1).
    pub(crate) fn release(&mut self, sent: Time, delay: Duration) -> Time {
        let offset_ns = match &mut self.jitter {
            Jitter::None => 0,
            Jitter::Normal { sd, stream } => (sd.as_nanos() as f64 * stream.normal()).round() as i64,
            Jitter::Empirical(empirical) => empirical.offset_ns(sent),
        };
        let delay = Duration::from_nanos(delay.as_nanos().saturating_add_signed(offset_ns));
        self.last_release = self.last_release.max(sent.saturating_add(delay));
        self.last_release
    }
}
