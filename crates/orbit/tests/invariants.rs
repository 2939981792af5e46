//! What holds for every geometry at any time.

use bentpipe_orbit::{ChoiceSpec, ConstellationSpec, Geometry, GeometrySpec, IslSpec, ShellSpec, SiteSpec};
use proptest::prelude::*;

use crate::common::*;

const EARTH_M: f64 = 6_378_137.0;
/// 1970 to 2100.
const TIMES: std::ops::Range<i64> = 0..4_102_444_800_000_000_000;
/// From SGP4-VER: a sun-synchronous satellite, a geostationary one, and one that has decayed soon after its epoch.
const ELEMENT_SETS: &str = "\
1 28057U 03049A   06177.78615833  .00000060  00000-0  35940-4 0  1836
2 28057  98.4283 247.6961 0000884  88.1964 271.9322 14.35478080140550
1 28626U 05008A   06176.46683397 -.00000205  00000-0  10000-3 0  2190
2 28626   0.0019 286.9433 0000335  13.7918  55.6504  1.00270176  4891
1 33333U 05037B   05333.02012661  .25992681  00000-0  24476-3 0  1532
2 33333  96.4736 157.9986 9950000 244.0492 110.6523  4.00004038 10700
";

prop_compose! {
    fn any_site()(latitude_deg in -90.0..=90.0, longitude_deg in -180.0..=360.0, altitude_m in -400.0..9e3) -> SiteSpec {
        SiteSpec { latitude_deg, longitude_deg, altitude_m }
    }
}

prop_compose! {
    fn any_shell()(
        planes in 1..30u32, satellites_per_plane in 1..30u32, altitude_m in 300e3..36_000e3,
        inclination_deg in 0.0..=180.0, phasing: u32, raan_spread_deg in 0.0..=360.0, raan_deg in -360.0..=360.0,
        argument_of_latitude_deg in -360.0..=360.0, epoch_unix_ns: i64,
    ) -> ShellSpec {
        ShellSpec {
            planes, satellites_per_plane, altitude_m, inclination_deg, phasing: phasing % planes, raan_spread_deg,
            raan_deg, argument_of_latitude_deg, epoch_unix_ns,
        }
    }
}

fn any_constellation() -> impl Strategy<Value = ConstellationSpec> {
    prop_oneof![
        6 => prop::collection::vec(any_shell(), 1..3).prop_map(|shells| ConstellationSpec::Walker { shells }),
        1 => (-180.0..=360.0).prop_map(|longitude_deg| ConstellationSpec::Geostationary { longitude_deg }),
        1 => Just(ConstellationSpec::Tle { text: ELEMENT_SETS.to_owned() }),
    ]
}

prop_compose! {
    fn any_geometry()(
        constellation in any_constellation(), site in any_site(), gateways in prop::collection::vec(any_site(), 0..3),
        beside in -3.0..3.0, minimum_elevation_deg in 0.0..60.0, gateway_minimum_elevation_deg in 0.0..30.0,
        is_weighted: bool, stretch in prop::option::of(1.0..2.0),
    ) -> GeometrySpec {
        // One gateway near the dish, so that most geometries have a route.
        let latitude_deg: f64 = site.latitude_deg + beside;
        let near = SiteSpec { latitude_deg: latitude_deg.clamp(-90.0, 90.0), ..site };
        GeometrySpec {
            constellation, site, gateways: [vec![near], gateways].concat(), minimum_elevation_deg,
            gateway_minimum_elevation_deg,
            choice: if is_weighted { ChoiceSpec::Weighted } else { ChoiceSpec::Highest },
            isl: stretch.map(|stretch| IslSpec { stretch }),
        }
    }
}

proptest! {
    #[test]
    fn a_route_is_above_the_minimum_elevation_when_it_is_chosen(
        spec in any_geometry(), at in TIMES, draw in 0.0..1.0,
    ) {
        let geometry = Geometry::new(&spec).unwrap();
        if let Some(route) = geometry.choose(at, draw) {
            let view = geometry.at(route, at).unwrap();
            prop_assert!(view.elevation_deg >= spec.minimum_elevation_deg && view.elevation_deg <= 90.0);
            prop_assert!((0.0..360.0).contains(&view.azimuth_deg));
            prop_assert!(spec.isl.is_some() || route.gateway_satellite == route.satellite);
            // The gateway by itself, as a dish that takes no other satellite.
            let gateway = GeometrySpec { site: spec.gateways[route.gateway], ..spec.clone() };
            let seen = bentpipe_orbit::Route { satellite: route.gateway_satellite, ..route };
            let elevation = Geometry::new(&gateway).unwrap().at(seen, at).unwrap().elevation_deg;
            prop_assert!(elevation >= spec.gateway_minimum_elevation_deg);
        }
    }

    #[test]
    fn delays_are_within_the_limits_of_slant_ranges(
        shell in any_shell(), geometry in any_geometry(), at in TIMES, draw in 0.0..1.0, later in 0..15 * SECOND,
    ) {
        let spec = GeometrySpec { constellation: walker(shell.clone()), isl: None, ..geometry };
        let geometry = Geometry::new(&spec).unwrap();
        if let Some(route) = geometry.choose(at, draw) {
            let view = geometry.at(route, at).unwrap();
            // From the zenith to the horizon of the largest or smallest radius that a site can have.
            let radius = EARTH_M + shell.altitude_m;
            let nearest = shell.altitude_m - 9e3;
            let horizon = (radius * radius - (EARTH_M - 22e3) * (EARTH_M - 22e3)).sqrt();
            for range in [view.site_range_m, view.gateway_range_m] {
                prop_assert!((nearest..=horizon).contains(&range), "{} m", range);
            }
            let expected = (view.site_range_m + view.isl_m + view.gateway_range_m) / LIGHT;
            prop_assert!((view.delay.as_secs_f64() - expected).abs() < 1e-9);
            // No satellite is faster than 8 km/s, and the earth adds 0.5 km/s: up and down 17 km/s.
            let changed = geometry.at(route, at + later).unwrap().delay.as_secs_f64() - view.delay.as_secs_f64();
            prop_assert!(changed.abs() * LIGHT <= 17e3 * later as f64 / 1e9 + 1.0, "{} s", changed);
        }
    }

    #[test]
    fn a_path_over_links_is_at_least_as_long_as_the_straight_line(
        spec in any_geometry(), at in TIMES, draw in 0.0..1.0, stretch in 1.0..2.0,
    ) {
        let geometry = Geometry::new(&GeometrySpec { isl: Some(IslSpec { stretch }), ..spec.clone() }).unwrap();
        if let Some(route) = geometry.choose(at, draw) {
            let view = geometry.at(route, at).unwrap();
            let straight = Geometry::new(&GeometrySpec { isl: Some(IslSpec { stretch: 1.0 }), ..spec }).unwrap();
            let shortest = straight.at(route, at).unwrap();
            prop_assert!(view.isl_m >= shortest.isl_m - 1e-6 && view.isl_m <= stretch * shortest.isl_m + 1e-6);
        }
    }

    #[test]
    fn equal_specs_have_equal_routes_and_views(spec in any_geometry(), at: i64, later: i64, draw in 0.0..1.0) {
        let [one, other] = [&spec, &spec].map(|spec| Geometry::new(spec).unwrap());
        let route = one.choose(at, draw);
        prop_assert_eq!(route, other.clone().choose(at, draw));
        if let Some(route) = route {
            prop_assert_eq!(one.at(route, later), other.at(route, later));
        }
    }

    #[test]
    fn any_draw_takes_a_satellite_where_one_does(spec in any_geometry(), at in TIMES, draw: f64) {
        let geometry = Geometry::new(&spec).unwrap();
        prop_assert_eq!(geometry.choose(at, draw).is_some(), geometry.choose(at, 0.5).is_some());
    }
}
