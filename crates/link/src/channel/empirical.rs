//! Delay variation of any distribution, constant for a while at a time. Model page: docs/models/empirical.md.

use bentpipe_units::{Duration, Time};

use crate::channel::stratified::StratifiedSampler;
use crate::random::{Seed, Stream};
use crate::{SpecError, error::require};

/// A point of a quantile function.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct QuantileSpec {
    /// Probability of a smaller value.
    pub p: f64,
    /// What is added to the delay.
    pub offset_ns: i64,
}

/// Each hundred-thousandth of the distribution is drawn once before any is drawn again.
const STRATA: u32 = 100_000;
/// What a silence of a day costs to catch up with stays below a second.
const SHORTEST_HOLD: Duration = Duration::from_millis(1);

/// The offset to the delay of one direction as a function of time; traffic does not change it.
pub(crate) struct Empirical {
    quantiles: Vec<QuantileSpec>,
    hold: Duration,
    /// When the present offset is over.
    until: Time,
    offset_ns: i64,
    sampler: StratifiedSampler,
    stream: Stream,
}

impl Empirical {
    /// The first offset starts at `start`.
    pub(crate) fn new(quantiles: &[QuantileSpec], hold: Duration, seed: Seed, start: Time) -> Self {
        assert!(quantiles.len() >= 2, "a quantile function has two points at least");
        assert!(hold >= SHORTEST_HOLD, "an offset holds for 1 ms at least");
        Self {
            quantiles: quantiles.to_vec(),
            hold,
            until: start,
            offset_ns: 0,
            sampler: StratifiedSampler::new(STRATA),
            stream: seed.stream("propagation"),
        }
    }

    /// The offset at an instant that is not before those asked for so far.
    pub(crate) fn offset_ns(&mut self, at: Time) -> i64 {
        let mut drawn = None;
        // Those that nobody saw are drawn as well: what comes is the same whatever was sent.
        while self.until <= at {
            self.until += self.hold;
            drawn = Some(self.draw());
        }
        if let Some(p) = drawn {
            self.offset_ns = quantile(&self.quantiles, p);
        }
        self.offset_ns
    }

    /// Uniform on [0, 1): any place in the stratum that was drawn.
    fn draw(&mut self) -> f64 {
        let stratum = self.sampler.draw(&mut self.stream);
        (f64::from(stratum) + self.stream.uniform()) / f64::from(STRATA)
    }
}

/// F^-1(p) = x_i + (x_(i+1) - x_i) (p - p_i) / (p_(i+1) - p_i) for p_i <= p < p_(i+1), in nanoseconds.
pub(crate) fn quantile(points: &[QuantileSpec], p: f64) -> i64 {
    let after = points.partition_point(|point| point.p <= p).clamp(1, points.len() - 1);
    let (below, above) = (points[after - 1], points[after]);
    let share = (p - below.p) / (above.p - below.p);
    let (low, high) = (below.offset_ns as f64, above.offset_ns as f64);
    (low + (high - low) * share).round() as i64
}

/// Whether points make a quantile function.
///
/// # Errors
/// When there are fewer than two, they do not go from 0 to 1, or do not ascend.
pub(crate) fn check_quantiles(points: &[QuantileSpec]) -> Result<(), SpecError> {
    let count = format!("{} points", points.len());
    require(points.len() >= 2, "p", "two points at least", count)?;
    let (first, last) = (points[0].p, points[points.len() - 1].p);
    require(first == 0.0 && last == 1.0, "p", "from 0 to 1", format!("{first} to {last}"))?;
    let ascends = |pair: &[QuantileSpec]| pair[0].p < pair[1].p && pair[0].offset_ns <= pair[1].offset_ns;
    let is_ascending = points.windows(2).all(ascends);
    require(is_ascending, "offset_ns", "both columns ascending", "one that falls")
}
