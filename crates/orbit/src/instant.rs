//! Instants as those of the sky: time since an epoch, and how far the earth has turned.

use std::f64::consts::TAU;

use crate::vector::{Angle, Vector};

const NS_PER_DAY: i128 = 86_400_000_000_000;
const S_PER_DAY: f64 = 86_400.0;
const DAYS_PER_CENTURY: f64 = 36_525.0;
/// 2000-01-01 12:00 UTC in Unix time.
pub(crate) const J2000_UNIX_NS: i64 = 946_728_000_000_000_000;

/// An instant, and the direction of Greenwich at it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant {
    /// UTC; leap seconds are not counted.
    pub(crate) unix_ns: i64,
    /// Greenwich mean sidereal time, backwards: from the equinox to the earth.
    westward: Angle,
}

impl Instant {
    pub(crate) fn new(unix_ns: i64) -> Self {
        Self { unix_ns, westward: Angle::from_radians(-sidereal_time_rad(unix_ns)) }
    }

    pub(crate) fn since(&self, epoch_unix_ns: i64) -> Elapsed {
        Elapsed::between(epoch_unix_ns, self.unix_ns)
    }

    /// A place whose x axis points to the mean equinox, and whose z axis is that of the earth, on the earth.
    pub(crate) fn earth_fixed(&self, inertial: Vector) -> Vector {
        inertial.turned(self.westward)
    }
}

/// Time since an epoch, negative before it.
///
/// Nanoseconds of a century do not fit into an `f64`; whole days and the seconds beyond them do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Elapsed {
    /// Whole days.
    days: f64,
    /// Beyond them, below a day.
    seconds: f64,
}

impl Elapsed {
    pub(crate) fn between(epoch_unix_ns: i64, unix_ns: i64) -> Self {
        let ns = i128::from(unix_ns) - i128::from(epoch_unix_ns);
        let (days, rest) = (ns.div_euclid(NS_PER_DAY), ns.rem_euclid(NS_PER_DAY));
        Self { days: days as f64, seconds: rest as f64 / 1e9 }
    }

    /// The angle in radians that something has turned by, less whole turns of whole days.
    pub(crate) fn angle_rad(self, rad_per_s: f64) -> f64 {
        (self.days * (S_PER_DAY * rad_per_s)) % TAU + self.seconds * rad_per_s
    }

    pub(crate) fn in_days(self) -> f64 {
        self.days + self.seconds / S_PER_DAY
    }

    pub(crate) fn in_minutes(self) -> f64 {
        self.days * 1_440.0 + self.seconds / 60.0
    }
}

/// Greenwich mean sidereal time in radians, IAU 1982 (Aoki et al. 1982; Vallado 2013, eq. 3-47), with UTC for UT1.
///
/// 67310.54841 s + (876600 h + 8640184.812866 s) T + 0.093104 s T^2 - 6.2e-6 s T^3, T in Julian centuries since J2000.
/// The 876600 hours are one turn a day, so that of them only the day's fraction counts.
pub(crate) fn sidereal_time_rad(unix_ns: i64) -> f64 {
    let elapsed = Elapsed::between(J2000_UNIX_NS, unix_ns);
    let t = elapsed.in_days() / DAYS_PER_CENTURY;
    let beyond_days = 67_310.548_41 + t * (8_640_184.812_866 + t * (0.093_104 - t * 6.2e-6));
    (elapsed.seconds + beyond_days) % S_PER_DAY / S_PER_DAY * TAU
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn sidereal_time_is_that_of_erfa() {
        // gmst82 of ERFA 2.0.1, the date in two parts, in degrees. The second is example 3-5 of Vallado 2013, who has
        // 152.578787810 by a Julian date in one number, which is good to 1e-7 degrees.
        for (unix_s, expected) in [
            (0, 100.229_637_207_195_17),
            (714_312_840, 152.578_787_851_657_67),
            (946_728_000, 280.460_618_375),
            (20_058 * 86_400 + 28_800, 190.673_048_470_048_06),
            (47_482 * 86_400 + 21_600, 190.984_648_043_955_25),
        ] {
            let degrees = sidereal_time_rad(unix_s * SECOND).to_degrees().rem_euclid(360.0);
            assert!((degrees - expected).abs() < 1e-11, "{unix_s} s: {degrees}");
        }
    }

    #[test]
    fn sgp4_s_frame_turns_to_the_earth_as_in_the_report_s_example() {
        // Vallado, Crawford, Hujsak, Kelso 2006, appendix C: TEME and PEF in km on 2004-04-06 at 07:51:28.386009 UTC, UT1
        // being 0.4399619 s behind. A Julian date in one number, as theirs, is good to some 1e-5 km here.
        let teme = Vector::new(5_094.180_162_10, 6_127.644_659_50, 6_380.344_532_70);
        let pef = Instant::new(1_081_237_888_386_009_000 - 439_961_900).earth_fixed(teme);
        let published = Vector::new(-1_033.475_031_30, 7_901.305_585_60, 6_380.344_532_70);
        assert!((pef - published).length() < 1e-5, "{pef:?}");
    }

    #[test]
    fn a_nanosecond_counts_a_century_from_the_epoch() {
        // A turn in 100 minutes: 2 pi / 6000 rad/s. 2100-01-01 is 47482 days after 1970-01-01.
        let rate = TAU / 6_000.0;
        let late = 47_482 * 86_400_000_000_000 + 43_200_000_000_000;
        for ns in [1, 10, 1_000] {
            let [before, after] = [late, late + ns].map(|at| Elapsed::between(0, at).angle_rad(rate));
            let expected = ns as f64 * 1e-9 * rate;
            assert!((after - before - expected).abs() < 2e-14, "{ns} ns: {}", after - before);
        }
    }

    #[test]
    fn time_before_the_epoch_is_negative() {
        let elapsed = Elapsed::between(J2000_UNIX_NS, J2000_UNIX_NS - 1_500_000_000);
        assert!((elapsed.in_minutes() + 1.5 / 60.0).abs() < 1e-12);
        let turned = elapsed.angle_rad(TAU / 6.0).rem_euclid(TAU);
        assert!((turned - 0.75 * TAU).abs() < 1e-9, "{turned}");
    }

    #[test]
    fn any_instant_can_be_compared_with_any_other() {
        assert!(Elapsed::between(i64::MIN, i64::MAX).in_days() > 213_503.0);
        assert!(sidereal_time_rad(i64::MIN).is_finite() && sidereal_time_rad(i64::MAX).is_finite());
    }
}
