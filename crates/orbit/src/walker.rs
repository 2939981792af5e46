//! Walker constellations (Walker 1984): circular orbits that the earth's flattening turns.

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::ShellSpec;
use crate::instant::Instant;
use crate::site::EQUATOR_M;
use crate::vector::{Angle, Vector};

/// The earth's gravitational constant, WGS 84 (NIMA TR8350.2, table 3.1), in m^3/s^2.
pub(crate) const MU: f64 = 3.986_004_418e14;
/// Its second zonal harmonic, WGS 84: sqrt(5) times 484.16685e-6 (same report).
const J2: f64 = 1.082_629_989_05e-3;

/// Satellites in circular orbits of one radius and one inclination.
///
/// The flattening turns all their planes alike. So in a frame that turns with them each satellite stays on a circle of
/// its own, all are as far along it, and their positions need sine and cosine of two angles in all.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    epoch_unix_ns: i64,
    node_rad_per_s: f64,
    latitude_rad_per_s: f64,
    circles: Vec<Circle>,
}

/// A satellite's circle, in metres from the middle of the earth.
#[derive(Clone, Copy, Debug)]
struct Circle {
    /// Where it is at the epoch.
    first: Vector,
    /// Where it is a quarter of a turn later.
    quarter: Vector,
}

/// How far a shell has turned at an instant.
pub(crate) struct Turned<'a> {
    circles: &'a [Circle],
    along: Angle,
    nodes: Angle,
    instant: Instant,
}

impl Shell {
    pub(crate) fn new(spec: &ShellSpec) -> Self {
        let radius_m = EQUATOR_M + spec.altitude_m;
        let inclination = Angle::from_degrees(spec.inclination_deg);
        let mean_motion = (MU / (radius_m * radius_m * radius_m)).sqrt();
        // Secular rates of J2 at eccentricity 0 (Vallado 2013, section 9.6): of the node -3/2 J2 (R/a)^2 n
        // cos i; of the argument of latitude, which is those of perigee and mean anomaly together, n (1 + 3/2 J2
        // (R/a)^2 (3 - 4 sin^2 i)).
        let flattening = 1.5 * J2 * (EQUATOR_M / radius_m) * (EQUATOR_M / radius_m);
        let sin_squared = inclination.sin * inclination.sin;
        let circles = (0..spec.planes).flat_map(|plane| {
            (0..spec.satellites_per_plane)
                .map(move |satellite| circle(spec, plane, satellite, inclination, radius_m))
        });
        Self {
            epoch_unix_ns: spec.epoch_unix_ns,
            node_rad_per_s: -flattening * mean_motion * inclination.cos,
            latitude_rad_per_s: mean_motion * (1.0 + flattening * (3.0 - 4.0 * sin_squared)),
            circles: circles.collect(),
        }
    }

    /// Number of satellites.
    pub(crate) fn len(&self) -> usize {
        self.circles.len()
    }

    pub(crate) fn at(&self, instant: Instant) -> Turned<'_> {
        let elapsed = instant.since(self.epoch_unix_ns);
        Turned {
            circles: &self.circles,
            along: Angle::from_radians(elapsed.angle_rad(self.latitude_rad_per_s)),
            nodes: Angle::from_radians(elapsed.angle_rad(self.node_rad_per_s)),
            instant,
        }
    }
}

impl Turned<'_> {
    /// The earth-fixed position of one satellite: they are counted plane by plane.
    pub(crate) fn position(&self, satellite: usize) -> Vector {
        self.earth_fixed(self.circles[satellite])
    }

    /// Those of all satellites.
    pub(crate) fn positions(self) -> impl Iterator<Item = Vector> {
        self.circles.iter().map(move |circle| self.earth_fixed(*circle))
    }

    fn earth_fixed(&self, circle: Circle) -> Vector {
        let along = circle.first * self.along.cos + circle.quarter * self.along.sin;
        self.instant.earth_fixed(along.turned(self.nodes))
    }
}

/// A satellite's circle by Walker's rule: node and argument of latitude at the epoch.
fn circle(spec: &ShellSpec, plane: u32, satellite: u32, inclination: Angle, radius_m: f64) -> Circle {
    let [planes, per_plane, phasing, plane, satellite] =
        [spec.planes, spec.satellites_per_plane, spec.phasing, plane, satellite].map(f64::from);
    let node = Angle::from_degrees(spec.raan_deg + spec.raan_spread_deg * plane / planes);
    let turn = satellite / per_plane + phasing * plane / (planes * per_plane);
    let latitude = spec.argument_of_latitude_deg.to_radians() + TAU * turn;
    let at = |latitude: f64| {
        let latitude = Angle::from_radians(latitude);
        let [along, across] = [latitude.cos, latitude.sin * inclination.cos];
        Vector::new(along, across, latitude.sin * inclination.sin).turned(node) * radius_m
    };
    Circle { first: at(latitude), quarter: at(latitude + FRAC_PI_2) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::instant::sidereal_time_rad;

    const DAY_NS: i64 = 86_400_000_000_000;

    fn shell(planes: u32, satellites_per_plane: u32, altitude_m: f64, inclination_deg: f64) -> ShellSpec {
        ShellSpec {
            planes,
            satellites_per_plane,
            altitude_m,
            inclination_deg,
            phasing: 0,
            raan_spread_deg: 360.0,
            raan_deg: 0.0,
            argument_of_latitude_deg: 0.0,
            epoch_unix_ns: 0,
        }
    }

    #[test]
    fn an_orbit_of_the_sun_s_pace_turns_once_a_year() {
        // The sun goes round in 365.2422 days, 0.985647 degrees a day. Orbits at 800 km that keep up with it are inclined
        // by 98.6 degrees, as textbooks and earth observation have them.
        let sun = Shell::new(&shell(1, 1, 800e3, 98.6));
        let degrees_per_day = (sun.node_rad_per_s * 86_400.0).to_degrees();
        assert!((degrees_per_day - 0.985_647).abs() < 0.01, "{degrees_per_day}");
    }

    #[test]
    fn at_the_critical_latitude_rate_only_the_node_moves() {
        // 3 - 4 sin^2 i is zero at 60 degrees: there the period is Kepler's, 2 pi sqrt(a^3 / mu).
        let kepler = Shell::new(&shell(1, 1, 550e3, 60.0));
        let radius = EQUATOR_M + 550e3;
        let period = TAU * (radius * radius * radius / MU).sqrt();
        assert!((TAU / kepler.latitude_rad_per_s - period).abs() < 1e-9);
        // Starlink's first shell: 95.6 minutes (FCC filing SAT-MOD-20181108-00083).
        assert!((period / 60.0 - 95.6).abs() < 0.1, "{}", period / 60.0);
    }

    #[test]
    fn a_satellite_at_its_node_at_the_epoch_is_over_the_equator_at_its_right_ascension_less_sidereal_time() {
        let spec = ShellSpec { raan_deg: 70.0, epoch_unix_ns: 20_000 * DAY_NS, ..shell(1, 1, 550e3, 53.0) };
        let place = Shell::new(&spec).at(Instant::new(spec.epoch_unix_ns)).position(0);
        let longitude = libm::atan2(place.y, place.x);
        let expected = 70f64.to_radians() - sidereal_time_rad(spec.epoch_unix_ns);
        assert!(libm::sin(longitude - expected).abs() < 1e-9 && libm::cos(longitude - expected) > 0.0);
        assert!(place.z.abs() < 1e-6 && (place.length() - EQUATOR_M - 550e3).abs() < 1e-6);
    }

    #[test]
    fn a_satellite_keeps_to_one_that_sgp4_moves_from_the_same_elements() {
        // Without drag, in a circle. SGP4 has the periodic effects of J2 and J3 besides, some ten kilometres, and secular
        // ones of higher order; without the drift of the node, or with Kepler's pace, a month would be thousands off.
        for (altitude_m, inclination_deg) in [(550e3, 53.0), (1_200e3, 87.9), (600e3, 97.8)] {
            let spec = ShellSpec {
                raan_deg: 40.0,
                argument_of_latitude_deg: 10.0,
                ..shell(1, 1, altitude_m, inclination_deg)
            };
            let radius = EQUATOR_M + altitude_m;
            let orbit = sgp4::Orbit {
                inclination: inclination_deg.to_radians(),
                right_ascension: spec.raan_deg.to_radians(),
                eccentricity: 1e-6,
                argument_of_perigee: 0.0,
                mean_anomaly: spec.argument_of_latitude_deg.to_radians(),
                mean_motion: 60.0 * (MU / (radius * radius * radius)).sqrt(),
            };
            let constants =
                sgp4::Constants::new(sgp4::WGS84, sgp4::iau_epoch_to_sidereal_time, -30.0, 0.0, orbit)
                    .unwrap();
            let ours = Shell::new(&spec);
            for day in 0..=30 {
                let instant = Instant::new(day * DAY_NS);
                let minutes = sgp4::MinutesSinceEpoch(1_440.0 * day as f64);
                let [x, y, z] = constants.propagate(minutes).unwrap().position;
                let theirs = instant.earth_fixed(Vector::new(x, y, z) * 1e3);
                let off_km = (ours.at(instant).position(0) - theirs).length() / 1e3;
                assert!(off_km < 60.0, "{inclination_deg} degrees, day {day}: {off_km} km");
            }
        }
    }

    #[test]
    fn planes_and_satellites_stand_as_walker_has_them() {
        // Walker 1984: T/P/F, here 6/3/1. In a plane satellites are 180 degrees apart; planes are 120 degrees apart,
        // and a satellite is 60 degrees ahead of its neighbour to the west.
        let spec = ShellSpec { phasing: 1, ..shell(3, 2, 1_200e3, 90.0) };
        let shell = Shell::new(&spec);
        assert_eq!(shell.len(), 6);
        let turned = shell.at(Instant::new(0));
        let in_plane = turned.position(0).angle_to(turned.position(1)).to_degrees();
        assert!((in_plane - 180.0).abs() < 1e-9);
        // Over polar orbits the argument of latitude is the latitude: 0, 60 and 120, which is 60 on the other side.
        let latitudes = [0, 2, 4].map(|k| libm::asin(turned.position(k).z / turned.position(k).length()));
        for (latitude, expected) in latitudes.into_iter().zip([0.0, 60.0, 60.0]) {
            assert!((latitude.to_degrees() - expected).abs() < 1e-6, "{}", latitude.to_degrees());
        }
    }

    proptest! {
        #[test]
        fn satellites_stay_at_their_altitude_and_below_their_inclination(
            altitude_m in 200e3..40_000e3, inclination_deg in 0.0..180.0, at in 0..i64::MAX / 2,
        ) {
            let spec = ShellSpec { phasing: 2, ..shell(3, 4, altitude_m, inclination_deg) };
            let shell = Shell::new(&spec);
            for place in shell.at(Instant::new(at)).positions() {
                prop_assert!((place.length() - EQUATOR_M - altitude_m).abs() < 1e-6);
                let highest = libm::sin(inclination_deg.to_radians());
                prop_assert!(place.z.abs() / place.length() <= highest + 1e-9);
            }
        }

        #[test]
        fn satellites_move_by_their_speed_also_in_a_hundred_years(
            start in 0..4_102_444_800_000_000_000i64, ns in 1_000_000..1_000_000_000i64,
        ) {
            // Relative to the earth: 7.585 km/s at 550 km, the rotation adds at most 0.51 km/s. Across midnight the
            // angle may be off by a rounding of 1e-9 rad, 7 mm.
            let shell = Shell::new(&shell(1, 1, 550e3, 53.0));
            let [from, to] = [start, start + ns].map(|at| shell.at(Instant::new(at)).position(0));
            let (moved, seconds) = ((to - from).length(), ns as f64 / 1e9);
            prop_assert!(moved >= 7.0e3 * seconds - 0.02 && moved <= 8.1e3 * seconds + 0.02, "{} m", moved);
        }
    }
}
