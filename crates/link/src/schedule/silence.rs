//! Silences at the edges of epochs. Model page: docs/models/schedule.md.

use bentpipe_units::Duration;

use crate::random::Stream;
use crate::{SpecError, error::require};

/// A time around the edge of an epoch at which nothing gets through, in both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SilenceSpec {
    /// What becomes of packets meanwhile.
    pub state: SilenceKindSpec,
    /// Median of the duration, which is lognormal.
    pub median_ns: Duration,
    /// Its 90th percentile.
    pub p90_ns: Duration,
    /// Shorter ones last this long.
    pub min_ns: Duration,
    /// Longer ones last this long.
    pub max_ns: Duration,
    /// A silence begins before the edge by a span that is uniform from this one ...
    pub lead_min_ns: Duration,
    /// ... to this one.
    pub lead_max_ns: Duration,
}

/// What becomes of packets while the path is silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SilenceKindSpec {
    /// They wait in the queue.
    Hold,
    /// They are sent and lost.
    Lose,
}

/// One silence, as it was drawn.
pub(crate) struct Silence {
    /// From its begin to the edge.
    pub(crate) lead: Duration,
    pub(crate) duration: Duration,
}

/// Standard normal quantile of 0.9.
const Z90: f64 = 1.281_551_565_544_600_4;

impl SilenceSpec {
    pub(crate) fn check(&self, period: Duration) -> Result<(), SpecError> {
        let Self { median_ns, p90_ns, min_ns, max_ns, lead_min_ns, lead_max_ns, .. } = *self;
        require(median_ns > Duration::ZERO, "median_ns", "more than 0", median_ns.as_nanos())?;
        let at_least = |least: Duration| format!("{} ns at least", least.as_nanos());
        require(p90_ns >= median_ns, "p90_ns", &at_least(median_ns), p90_ns.as_nanos())?;
        require(max_ns >= min_ns, "max_ns", &at_least(min_ns), max_ns.as_nanos())?;
        require(lead_max_ns >= lead_min_ns, "lead_max_ns", &at_least(lead_min_ns), lead_max_ns.as_nanos())?;
        // So that no silence reaches into the one after it, with edges moved by half a period.
        let most = Duration::from_nanos(period.as_nanos() / 4);
        let longest = max_ns.saturating_add(lead_max_ns);
        let expected = format!("with lead_max_ns at most {} ns, a quarter of the period", most.as_nanos());
        require(longest <= most, "max_ns", &expected, max_ns.as_nanos())
    }

    /// ln D is normal with median ln m and sd ln(p90 / m) / z90; always three uniforms, so that draws stay aligned.
    pub(crate) fn draw(&self, stream: &mut Stream) -> Silence {
        let (median, p90) = (self.median_ns.as_secs_f64(), self.p90_ns.as_secs_f64());
        let sd = libm::log(p90 / median) / Z90;
        let drawn = Duration::from_secs_f64(median * libm::exp(sd * stream.normal()));
        let span = self.lead_max_ns.saturating_sub(self.lead_min_ns);
        Silence {
            lead: self.lead_min_ns + span.mul_f64(stream.uniform()),
            duration: drawn.clamp(self.min_ns, self.max_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_a_standard_normal_lies_above_the_quantile() {
        assert!((libm::erfc(Z90 / std::f64::consts::SQRT_2) / 2.0 - 0.1).abs() < 1e-12);
    }
}
