//! What the atmosphere takes off a signal over time. Model page: docs/models/attenuation.md.

use bentpipe_units::{Decibel, Duration};

/// Attenuation over the time since the start of the workload: linear between points, constant beyond them.
///
/// Two points at one instant are a step. No points: none.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct AttenuationSpec {
    /// In order of time.
    pub points: Vec<AttenuationPoint>,
    /// After so long all begins again; at least up to the last point.
    pub period_ns: Option<Duration>,
}

/// A point of an attenuation series.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct AttenuationPoint {
    /// Since the start of the workload.
    pub at_ns: Duration,
    /// Attenuation.
    pub db: f64,
}

/// Attenuation as a function of the time since the start of the workload.
pub(crate) struct Attenuation {
    points: Vec<AttenuationPoint>,
    period: Option<Duration>,
}

impl Attenuation {
    pub(crate) fn new(spec: &AttenuationSpec) -> Self {
        let AttenuationSpec { points, period_ns: period } = spec;
        assert!(points.is_sorted_by_key(|point| point.at_ns), "points are in order of time");
        assert!(*period != Some(Duration::ZERO), "a period takes time");
        Self { points: points.clone(), period: *period }
    }

    /// A(t) = A_i + (A_(i+1) - A_i) (t - t_i) / (t_(i+1) - t_i) for t_i <= t < t_(i+1).
    ///
    /// So at a step it is what comes after it.
    pub(crate) fn at(&self, since: Duration) -> Decibel {
        let since = self.within_period(since);
        let after = self.points.partition_point(|point| point.at_ns <= since);
        let db = match (after.checked_sub(1).map(|below| self.points[below]), self.points.get(after)) {
            (Some(low), Some(high)) => {
                let span = (high.at_ns - low.at_ns).as_nanos();
                low.db + (high.db - low.db) * ((since - low.at_ns).as_nanos() as f64 / span as f64)
            }
            (Some(last), None) => last.db,
            (None, Some(first)) => first.db,
            (None, None) => 0.0,
        };
        Decibel::new(db)
    }

    fn within_period(&self, since: Duration) -> Duration {
        match self.period {
            Some(period) => Duration::from_nanos(since.as_nanos() % period.as_nanos()),
            None => since,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn attenuation(points: &[(u64, f64)], period_s: Option<u64>) -> Attenuation {
        let point = |&(at_s, db)| AttenuationPoint { at_ns: Duration::from_secs(at_s), db };
        Attenuation::new(&AttenuationSpec {
            points: points.iter().map(point).collect(),
            period_ns: period_s.map(Duration::from_secs),
        })
    }

    fn at(attenuation: &Attenuation, s: f64) -> f64 {
        attenuation.at(Duration::from_secs_f64(s)).get()
    }

    #[test]
    fn no_points_attenuate_nothing() {
        assert_eq!(at(&attenuation(&[], None), 3.0), 0.0);
        assert_eq!(at(&attenuation(&[], Some(2)), 3.0), 0.0);
    }

    #[test]
    fn between_points_it_is_linear_and_beyond_them_constant() {
        let triangle = attenuation(&[(10, 1.0), (20, 11.0), (40, 3.0)], None);
        for (s, db) in
            [(0.0, 1.0), (10.0, 1.0), (12.5, 3.5), (20.0, 11.0), (35.0, 5.0), (40.0, 3.0), (1e6, 3.0)]
        {
            assert_eq!(at(&triangle, s), db, "{s} s");
        }
    }

    #[test]
    fn two_points_at_one_instant_are_a_step() {
        let step = attenuation(&[(0, 0.0), (10, 0.0), (10, 8.0), (20, 8.0), (20, 0.0)], None);
        for (s, db) in [(9.999_999_999, 0.0), (10.0, 8.0), (19.999_999_999, 8.0), (20.0, 0.0)] {
            assert_eq!(at(&step, s), db, "{s} s");
        }
    }

    #[test]
    fn after_the_period_all_starts_again() {
        // 2 dB at once, then up to 6 dB within 4 s, which stay until the period of 5 s is over.
        let saw = attenuation(&[(0, 2.0), (4, 6.0)], Some(5));
        for (s, db) in [(0.0, 2.0), (3.0, 5.0), (4.5, 6.0), (5.0, 2.0), (8.0, 5.0), (5e6 + 3.0, 5.0)] {
            assert_eq!(at(&saw, s), db, "{s} s");
        }
    }

    #[test]
    fn a_point_at_the_end_of_the_period_is_approached_and_never_reached() {
        let saw = attenuation(&[(0, 0.0), (10, 10.0)], Some(10));
        assert!((at(&saw, 9.999_999_999) - 9.999_999_999).abs() < 1e-12);
        assert_eq!(at(&saw, 10.0), 0.0);
    }

    proptest! {
        #[test]
        fn it_stays_between_the_points_on_either_side(
            mut points in prop::collection::vec((0..100u64, -5.0..50.0f64), 1..20), ms in 0..120_000u64,
        ) {
            points.sort_by_key(|point| point.0);
            let found = at(&attenuation(&points, None), ms as f64 / 1e3);
            let after = points.partition_point(|point| point.0 * 1_000 <= ms);
            let (low, high) = (points[after.saturating_sub(1)].1, points[after.min(points.len() - 1)].1);
            prop_assert!(low.min(high) - 1e-9 <= found && found <= low.max(high) + 1e-9);
        }

        #[test]
        fn a_period_shows_the_same_each_time(
            mut points in prop::collection::vec((0..100u64, 0.0..50.0f64), 0..20),
            ms in 0..100_000u64,
            times in 0..1_000_000u64,
        ) {
            points.sort_by_key(|point| point.0);
            let (once, again) = (attenuation(&points, None), attenuation(&points, Some(100)));
            let since = Duration::from_millis(ms);
            prop_assert_eq!(again.at(since + Duration::from_secs(100) * times), once.at(since));
        }
    }
}
