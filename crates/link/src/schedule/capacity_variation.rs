//! How the capacity varies from epoch to epoch and within one. Model page: docs/models/schedule.md.

use bentpipe_units::Duration;

use crate::random::Stream;
use crate::{SpecError, error::require};

/// Factors on the mean rate: one for each epoch, lognormal, and within it a first-order autoregressive process.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct CapacityVariationSpec {
    /// Standard deviation of the factor of epochs, whose mean is one.
    pub between_cv: f64,
    /// Standard deviation of the factor within an epoch, whose mean is one.
    pub within_cv: f64,
    /// How long a value within an epoch holds.
    pub within_step_ns: Duration,
    /// Correlation of a value within an epoch with the one before.
    pub within_correlation: f64,
}

/// The factors of one epoch.
pub(crate) struct EpochFactors {
    /// Of each step of the epoch.
    factors: Vec<f64>,
    step: Duration,
}

/// Shorter steps would be more than an epoch has use for.
const SHORTEST_STEP: Duration = Duration::from_millis(1);

impl CapacityVariationSpec {
    pub(crate) fn check(&self) -> Result<(), SpecError> {
        let is_cv = |value: f64| (0.0..=2.0).contains(&value);
        require(is_cv(self.between_cv), "between_cv", "a number from 0 to 2", self.between_cv)?;
        require(is_cv(self.within_cv), "within_cv", "a number from 0 to 2", self.within_cv)?;
        let is_correlation = (0.0..1.0).contains(&self.within_correlation);
        let expected = "a number from 0 to below 1";
        require(is_correlation, "within_correlation", expected, self.within_correlation)?;
        let step = self.within_step_ns;
        require(step >= SHORTEST_STEP, "within_step_ns", "1000000 at least", step.as_nanos())
    }

    /// The factors of an epoch that lasts so long.
    pub(crate) fn draw(&self, span: Duration, stream: &mut Stream) -> EpochFactors {
        let epoch = lognormal(self.between_cv, stream.normal());
        let innovation = (1.0 - self.within_correlation * self.within_correlation).sqrt();
        let mut z = stream.normal();
        let steps = span.as_nanos().div_ceil(self.within_step_ns.as_nanos());
        let factors = (0..steps).map(|_| {
            let factor = epoch * lognormal(self.within_cv, z);
            // AR(1) with unit variance: z' = phi z + sqrt(1 - phi^2) e.
            z = self.within_correlation * z + innovation * stream.normal();
            factor
        });
        EpochFactors { factors: factors.collect(), step: self.within_step_ns }
    }
}

impl EpochFactors {
    /// The factor so long after the epoch's begin.
    pub(crate) fn at(&self, since: Duration) -> f64 {
        let index = (since.as_nanos() / self.step.as_nanos()) as usize;
        self.factors[index.min(self.factors.len() - 1)]
    }
}

/// exp(s z - s^2 / 2) with s^2 = ln(1 + cv^2): mean one and standard deviation cv.
fn lognormal(cv: f64, z: f64) -> f64 {
    let variance = libm::log1p(cv * cv);
    libm::exp(variance.sqrt() * z - variance / 2.0)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::E;

    use super::*;

    #[test]
    fn factors_are_lognormal_of_mean_one() {
        // s^2 = ln(1 + cv^2) = 1: the median is exp(-1/2), a standard deviation above it exp(1 - 1/2).
        let cv = (E - 1.0).sqrt();
        assert!((lognormal(cv, 0.0) - libm::exp(-0.5)).abs() < 1e-12);
        assert!((lognormal(cv, 1.0) - libm::exp(0.5)).abs() < 1e-12);
    }
}
