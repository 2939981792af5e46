//! What a receiver gets of the signal over time. Model page: docs/models/es_n0.md.

use bentpipe_units::{Decibel, Time};

use crate::AttenuationSpec;
use crate::signal::attenuation::Attenuation;

/// Es/N0 at a receiver over time: 1/(C/N) = 1/(C/N)_up + 1/(C/N)_down.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct EsN0Spec {
    /// From the sender to the satellite.
    pub up: LegSpec,
    /// From the satellite to the receiver.
    pub down: LegSpec,
}

/// One leg of the path.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LegSpec {
    /// Es/N0 of the leg without attenuation.
    pub clear_sky_db: f64,
    /// What the atmosphere takes off it.
    pub attenuation: AttenuationSpec,
}

/// Es/N0 at a receiver behind a transparent satellite.
pub(crate) struct EsN0 {
    up: Leg,
    down: Leg,
    /// When the attenuation starts.
    origin: Time,
}

struct Leg {
    clear_sky_db: f64,
    attenuation: Attenuation,
}

impl EsN0 {
    /// As at the start of the workload, until that [is known](Self::set_origin).
    pub(crate) fn new(spec: &EsN0Spec) -> Self {
        Self { up: Leg::new(&spec.up), down: Leg::new(&spec.down), origin: Time::MAX }
    }

    /// Without attenuation.
    pub(crate) fn in_clear_sky(spec: &EsN0Spec) -> Self {
        let mut clear = spec.clone();
        for leg in [&mut clear.up, &mut clear.down] {
            leg.attenuation.points.clear();
        }
        Self::new(&clear)
    }

    /// The workload starts at `mark`.
    pub(crate) fn set_origin(&mut self, mark: Time) {
        self.origin = mark;
    }

    /// Es/N0 at an instant; before the origin that at the origin.
    pub(crate) fn at(&self, at: Time) -> Decibel {
        let since = at.since(self.origin);
        let [up, down] = [&self.up, &self.down].map(|leg| leg.clear_sky_db - leg.attenuation.at(since).get());
        combined(up, down)
    }
}

impl Leg {
    fn new(spec: &LegSpec) -> Self {
        Self { clear_sky_db: spec.clear_sky_db, attenuation: Attenuation::new(&spec.attenuation) }
    }
}

/// 1/(C/N) = 1/(C/N)_up + 1/(C/N)_down, as 1/(C/N)_worse times 1 + (C/N)_worse / (C/N)_better.
///
/// So nothing overflows, and a leg without noise changes nothing.
fn combined(up_db: f64, down_db: f64) -> Decibel {
    let (worse, better) = (up_db.min(down_db), up_db.max(down_db));
    // Equal infinities have no difference.
    let gap = if worse == better { 0.0 } else { worse - better };
    let more_noise = Decibel::from_linear(1.0 + Decibel::new(gap).linear());
    Decibel::new(worse - more_noise.get())
}

#[cfg(test)]
mod tests {
    use crate::{AttenuationPoint, AttenuationSpec};
    use bentpipe_units::Duration;
    use proptest::prelude::*;

    use super::*;

    fn leg(clear_sky_db: f64, points: &[(u64, f64)]) -> LegSpec {
        let point = |&(at_s, db)| AttenuationPoint { at_ns: Duration::from_secs(at_s), db };
        let points = points.iter().map(point).collect();
        LegSpec { clear_sky_db, attenuation: AttenuationSpec { points, period_ns: None } }
    }

    fn es_n0(up: LegSpec, down: LegSpec) -> EsN0 {
        EsN0::new(&EsN0Spec { up, down })
    }

    #[test]
    fn two_equal_legs_have_twice_the_noise() {
        // 10 log10(2) = 3.0103 dB.
        assert!((combined(20.0, 20.0).get() - 16.989_700_043_360_187).abs() < 1e-12);
    }

    #[test]
    fn legs_ten_decibels_apart_have_a_tenth_more_noise_than_the_worse() {
        // 10 log10(1.1) = 0.41393 dB, whichever is worse.
        for (up, down) in [(10.0, 20.0), (20.0, 10.0)] {
            assert!((combined(up, down).get() - 9.586_073_148_417_75).abs() < 1e-12);
        }
    }

    #[test]
    fn a_leg_without_noise_leaves_the_other_as_it_is() {
        assert_eq!(combined(f64::INFINITY, 16.05).get(), 16.05);
        assert_eq!(combined(16.05, 1_000.0).get(), 16.05);
        assert_eq!(combined(f64::INFINITY, f64::INFINITY).get(), f64::INFINITY);
    }

    #[test]
    fn without_a_signal_on_one_leg_there_is_none() {
        for other in [f64::NEG_INFINITY, 20.0, f64::INFINITY] {
            assert_eq!(combined(f64::NEG_INFINITY, other).get(), f64::NEG_INFINITY);
        }
    }

    #[test]
    fn attenuation_counts_from_the_start_of_the_workload_and_before_it_as_at_it() {
        let mut es_n0 = es_n0(leg(f64::INFINITY, &[]), leg(20.0, &[(0, 1.0), (10, 11.0)]));
        let at = |es_n0: &EsN0, s| es_n0.at(Time::ZERO + Duration::from_secs(s)).get();
        assert_eq!([at(&es_n0, 0), at(&es_n0, 1_000)], [19.0, 19.0]);
        es_n0.set_origin(Time::ZERO + Duration::from_secs(100));
        assert_eq!([0, 100, 105, 110, 200].map(|s| at(&es_n0, s)), [19.0, 19.0, 14.0, 9.0, 9.0]);
    }

    #[test]
    fn each_leg_has_its_own_attenuation() {
        // 20 - 10 = 10 dB up and 20 dB down, then 20 dB and 10 dB.
        let faded = |up, down| es_n0(leg(20.0, &[(0, up)]), leg(20.0, &[(0, down)])).at(Time::ZERO).get();
        assert_eq!(faded(10.0, 0.0), combined(10.0, 20.0).get());
        assert_eq!(faded(0.0, 10.0), combined(20.0, 10.0).get());
    }

    proptest! {
        #[test]
        fn the_noises_add_up(up in -50.0..80.0f64, down in -50.0..80.0f64) {
            let noise = |db: f64| libm::pow(10.0, -db / 10.0);
            let expected = -10.0 * libm::log10(noise(up) + noise(down));
            prop_assert!((combined(up, down).get() - expected).abs() < 1e-9);
        }
    }
}
