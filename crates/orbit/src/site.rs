//! Places on the earth, and where something stands in the sky over them.

use crate::SiteSpec;
use crate::vector::{Angle, Vector};

/// Semi-major axis of the earth, WGS 84 (NIMA TR8350.2, table 3.1).
pub(crate) const EQUATOR_M: f64 = 6_378_137.0;
/// Flattening of the earth, WGS 84 (same table).
const FLATTENING: f64 = 1.0 / 298.257_223_563;

/// A place on the earth, and its directions.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    position: Vector,
    east: Vector,
    north: Vector,
    up: Vector,
    /// Least elevation of what can be seen.
    minimum_elevation_deg: f64,
}

impl Site {
    pub(crate) fn new(spec: &SiteSpec, minimum_elevation_deg: f64) -> Self {
        let latitude = Angle::from_degrees(spec.latitude_deg);
        let longitude = Angle::from_degrees(spec.longitude_deg);
        // Geodetic to earth-fixed coordinates: Vallado 2013, section 3.2.
        let eccentricity_squared = FLATTENING * (2.0 - FLATTENING);
        let vertical_m = EQUATOR_M / (1.0 - eccentricity_squared * latitude.sin * latitude.sin).sqrt();
        let from_axis_m = (vertical_m + spec.altitude_m) * latitude.cos;
        Self {
            position: Vector::new(
                from_axis_m * longitude.cos,
                from_axis_m * longitude.sin,
                (vertical_m * (1.0 - eccentricity_squared) + spec.altitude_m) * latitude.sin,
            ),
            east: Vector::new(-longitude.sin, longitude.cos, 0.0),
            north: Vector::new(-latitude.sin * longitude.cos, -latitude.sin * longitude.sin, latitude.cos),
            up: Vector::new(latitude.cos * longitude.cos, latitude.cos * longitude.sin, latitude.sin),
            minimum_elevation_deg,
        }
    }

    pub(crate) fn minimum_elevation_deg(&self) -> f64 {
        self.minimum_elevation_deg
    }

    pub(crate) fn range_m(&self, place: Vector) -> f64 {
        (place - self.position).length()
    }

    /// From the horizon towards the zenith, by the ellipsoid's normal.
    pub(crate) fn elevation_deg(&self, place: Vector) -> f64 {
        let sight = place - self.position;
        let (east, north) = (sight.dot(self.east), sight.dot(self.north));
        libm::atan2(sight.dot(self.up), (east * east + north * north).sqrt()).to_degrees()
    }

    /// From north through east, 0 to 360 degrees.
    pub(crate) fn azimuth_deg(&self, place: Vector) -> f64 {
        let sight = place - self.position;
        let eastward = libm::atan2(sight.dot(self.east), sight.dot(self.north)).to_degrees();
        // Not by the remainder: a little less than zero is a little less than a turn, not a turn.
        if eastward < 0.0 { (eastward + 360.0).min(360.0_f64.next_down()) } else { eastward }
    }

    /// The elevation of what stands high enough to be seen.
    pub(crate) fn elevation_of_visible_deg(&self, place: Vector) -> Option<f64> {
        // Most satellites are below the horizon, which takes no square root to tell.
        if (place - self.position).dot(self.up) < 0.0 {
            return None;
        }
        let elevation_deg = self.elevation_deg(place);
        (elevation_deg >= self.minimum_elevation_deg).then_some(elevation_deg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(latitude_deg: f64, longitude_deg: f64, altitude_m: f64) -> Site {
        Site::new(&SiteSpec { latitude_deg, longitude_deg, altitude_m }, 0.0)
    }

    #[test]
    fn a_site_is_where_vallado_s_example_has_it() {
        // Vallado 2013, example 3-3: 34.352496 N, 46.4464 E, 5085.22 km, the angles rounded to 1e-6 and 1e-4 degrees.
        let position = site(34.352_496, 46.446_4, 5_085_220.0).position;
        let published = Vector::new(6_524_834.0, 6_862_875.0, 6_448_296.0);
        assert!((position - published).length() < 20.0, "{position:?}");
    }

    #[test]
    fn pole_and_equator_are_the_ellipsoid_s_axes() {
        // WGS 84: semi-minor axis 6356752.3142 m.
        assert!((site(90.0, 0.0, 0.0).position.z - 6_356_752.314_2).abs() < 1e-4);
        assert_eq!(site(0.0, 0.0, 100.0).position, Vector::new(6_378_237.0, 0.0, 0.0));
    }

    #[test]
    fn elevation_azimuth_and_range_are_those_of_the_directions_of_a_site() {
        let site = site(48.1, 11.6, 520.0);
        let at = |east: f64, north: f64, up: f64| {
            site.position + site.east * east + site.north * north + site.up * up
        };
        for (east, north, up, azimuth, elevation) in [
            (0.0, 3e5, 4e5, 0.0, 53.130_102_354),
            (4e5, 0.0, 3e5, 90.0, 36.869_897_646),
            (0.0, -5e5, 0.0, 180.0, 0.0),
            (-3e5, 3e5, 0.0, 315.0, 0.0),
            (3e5, 0.0, -4e5, 90.0, -53.130_102_354),
        ] {
            let place = at(east, north, up);
            let off = (site.azimuth_deg(place) - azimuth).abs();
            // Due north is 0, or a little less than 360.
            assert!(off.min(360.0 - off) < 1e-8, "{}", site.azimuth_deg(place));
            assert!((site.elevation_deg(place) - elevation).abs() < 1e-8, "{}", site.elevation_deg(place));
            let range = (east * east + north * north + up * up).sqrt();
            assert!((site.range_m(place) - range).abs() < 1e-8);
        }
    }
}
