//! Delays of a bent pipe, and where its satellite stands, against values from elsewhere.

use bentpipe_orbit::{ConstellationSpec, Geometry, Route, View};

use crate::common::*;

/// Round trips of a bent pipe in ms at elevations of 90, 40 and 25 degrees, dish and gateway side by side, on a
/// spherical earth of 6371 km: 4 / c (sqrt((R sin e)^2 + 2 R h + h^2) - R sin e).
const ROUND_TRIPS: [(f64, [f64; 3]); 3] =
    [(550e3, [7.3, 10.8, 15.0]), (1_200e3, [16.0, 22.6, 29.4]), (8_062e3, [107.6, 126.6, 140.6])];
const ELEVATIONS_DEG: [f64; 3] = [90.0, 40.0, 25.0];
/// Of the geostationary orbit.
const GEO_ROUND_TRIPS: [f64; 3] = [477.5, 504.1, 521.3];

/// The satellite over the dish, from the only one's route on.
const ONLY: Route = Route { satellite: 0, gateway_satellite: 0, gateway: 0 };

fn view(geometry: &Geometry, at: i64) -> View {
    geometry.at(ONLY, at).expect("circular orbits have a position always")
}

fn round_trip_ms(view: &View) -> f64 {
    2e3 * view.delay.as_secs_f64()
}

/// When a quantity that falls from one instant to another passes a value.
fn passing(mut from: i64, mut to: i64, value: f64, at: impl Fn(i64) -> f64) -> i64 {
    while to - from > 1 {
        let middle = from + (to - from) / 2;
        if at(middle) > value { from = middle } else { to = middle }
    }
    from
}

#[test]
fn round_trips_of_low_and_medium_orbits_are_those_of_the_law_of_cosines() {
    for (altitude_m, expected) in ROUND_TRIPS {
        let geometry = Geometry::new(&alone(walker(equatorial(altitude_m)), site(0.0, 0.0))).unwrap();
        // It stands in the zenith once in a revolution relative to the earth: where the elevation is greatest.
        let elevation = |at| view(&geometry, at).elevation_deg;
        let step = 10 * SECOND;
        let zenith =
            (0..2_000).map(|n| START + n * step).max_by(|a, b| elevation(*a).total_cmp(&elevation(*b)));
        let zenith = zenith.unwrap();
        // The satellite is over the meridian where its azimuth turns from west to east.
        let overhead = passing(zenith - step, zenith + step, 180.0, |at| view(&geometry, at).azimuth_deg);
        // It sinks for half of its revolution relative to the earth, 51 minutes and more.
        let sinking = 3_000 * SECOND;
        for (elevation_deg, expected_ms) in ELEVATIONS_DEG.into_iter().zip(expected) {
            let at = if elevation_deg == 90.0 {
                overhead
            } else {
                passing(overhead, overhead + sinking, elevation_deg, elevation)
            };
            let found = round_trip_ms(&view(&geometry, at));
            // The equator's radius is 6378 km, which lengthens the range at 25 degrees; and the table is rounded.
            assert!((found - expected_ms).abs() < 0.06, "{altitude_m} m: {found} ms");
        }
    }
}

#[test]
fn round_trips_of_the_geostationary_orbit_are_those_of_the_law_of_cosines() {
    let at_latitude = |latitude| {
        let spec = alone(ConstellationSpec::Geostationary { longitude_deg: 10.0 }, site(latitude, 10.0));
        view(&Geometry::new(&spec).unwrap(), START)
    };
    for (elevation_deg, expected_ms) in ELEVATIONS_DEG.into_iter().zip(GEO_ROUND_TRIPS) {
        // The further north a dish, the lower its satellite.
        let microdegrees = passing(0, 80_000_000, elevation_deg - 1e-6, |latitude| {
            at_latitude(latitude as f64 / 1e6).elevation_deg
        });
        let found = round_trip_ms(&at_latitude(microdegrees as f64 / 1e6));
        // The earth is 14 km flatter at 40 degrees than at the equator, 0.2 ms.
        assert!((found - expected_ms).abs() < 0.3, "{elevation_deg} degrees: {found} ms");
    }
}

#[test]
fn a_geostationary_satellite_stands_where_proj_has_it() {
    // PROJ 9, +proj=topocentric +ellps=WGS84, of (r cos l, r sin l, 0), r = (mu / omega^2)^(1/3) = 42164172.931 m:
    // latitude, longitude, altitude, the satellite's longitude; elevation, azimuth, range.
    for (latitude, longitude, altitude_m, satellite, elevation, azimuth, range_m) in [
        (48.1, 11.6, 520.0, 19.2, 34.300_344_799_6, 169.830_054_536_7, 38_231_134.869_0),
        (33.7, -118.2, 30.0, -99.0, 45.746_535_519_7, 147.863_344_041_8, 37_354_973.433_2),
        (-33.9, 18.4, 0.0, 1.0, 46.412_567_796_5, 330.648_025_816_7, 37_309_106.270_0),
        (64.1, -21.9, 60.0, -5.0, 16.388_965_155_1, 161.329_685_549_3, 39_910_828.077_3),
    ] {
        let place = bentpipe_orbit::SiteSpec { altitude_m, ..site(latitude, longitude) };
        let spec = alone(ConstellationSpec::Geostationary { longitude_deg: satellite }, place);
        let view = view(&Geometry::new(&spec).unwrap(), START);
        assert!((view.elevation_deg - elevation).abs() < 1e-9, "{view:?}");
        assert!((view.azimuth_deg - azimuth).abs() < 1e-9, "{view:?}");
        assert!((view.site_range_m - range_m).abs() < 1e-3, "{view:?}");
        assert_eq!(view.delay.as_nanos(), (2.0 * view.site_range_m / LIGHT * 1e9).round() as u64);
    }
}

#[test]
fn a_geostationary_satellite_does_not_move_and_takes_between_239_and_278_ms() {
    // One way, from the orbit's radius r and the earth's R: 2/c (r - R) = 238.7 ms below it, and at the horizon, by the
    // theorem of Pythagoras, 2/c sqrt(r^2 - R^2) = 278.1 ms, at 81.3 degrees of latitude.
    let delay_ms = |latitude| {
        let mut spec = alone(ConstellationSpec::Geostationary { longitude_deg: 0.0 }, site(latitude, 0.0));
        spec.minimum_elevation_deg = 0.0;
        spec.gateway_minimum_elevation_deg = 0.0;
        let geometry = Geometry::new(&spec).unwrap();
        let route = geometry.choose(START, 0.0).expect("above the horizon");
        assert_eq!(geometry.at(route, START), geometry.at(route, START + 40_000 * SECOND));
        geometry.at(route, START).unwrap().delay.as_secs_f64() * 1e3
    };
    assert!((delay_ms(0.0) - 238.7).abs() < 0.1, "{}", delay_ms(0.0));
    assert!((delay_ms(81.2) - 278.1).abs() < 0.3, "{}", delay_ms(81.2));
}
