//! Paths over links between satellites.

use std::f64::consts::PI;

use bentpipe_orbit::{ConstellationSpec, Geometry, GeometrySpec, IslSpec, Route, ShellSpec};

use crate::common::*;

/// Eight satellites over the equator; the dish is below one of them, the gateway below the one after the next.
fn ring(stretch: f64) -> GeometrySpec {
    let shell = ShellSpec { satellites_per_plane: 8, ..equatorial(1_200e3) };
    let spec = alone(walker(shell.clone()), site(0.0, 0.0));
    // Where the first satellite is over the equator: below it the elevation is 90 degrees.
    let longitude = longitude_below(&spec);
    GeometrySpec {
        site: site(0.0, longitude),
        gateways: vec![site(0.0, longitude + 90.0)],
        isl: Some(IslSpec { stretch }),
        ..spec
    }
}

/// The longitude below the first satellite, by halving: to the west of it its azimuth is east.
fn longitude_below(spec: &GeometrySpec) -> f64 {
    let only = Route { satellite: 0, gateway_satellite: 0, gateway: 0 };
    let view = |longitude: f64| {
        let spec = GeometrySpec { site: site(0.0, longitude), ..spec.clone() };
        Geometry::new(&spec).unwrap().at(only, START).unwrap()
    };
    let near =
        (-180..180).map(f64::from).max_by(|a, b| view(*a).elevation_deg.total_cmp(&view(*b).elevation_deg));
    let (mut west, mut east) = (near.unwrap() - 1.0, near.unwrap() + 1.0);
    for _ in 0..60 {
        let middle = (west + east) / 2.0;
        if view(middle).azimuth_deg < 180.0 { west = middle } else { east = middle }
    }
    west
}

#[test]
fn a_path_goes_up_along_the_great_circle_and_down() {
    for stretch in [1.0, 1.2] {
        let geometry = Geometry::new(&ring(stretch)).unwrap();
        let route = geometry.choose(START, 0.0).unwrap();
        assert_eq!(route, Route { satellite: 0, gateway_satellite: 2, gateway: 0 });
        let view = geometry.at(route, START).unwrap();
        // A quarter of a circle at 1200 km above the equator's radius.
        let quarter = stretch * PI / 2.0 * 7_578_137.0;
        assert!((view.isl_m - quarter).abs() < 1e-3, "{view:?}");
        assert!((view.site_range_m - 1_200e3).abs() < 1e-3 && (view.gateway_range_m - 1_200e3).abs() < 1e-3);
        let expected_ns = (2_400e3 + quarter) / LIGHT * 1e9;
        assert!((view.delay.as_nanos() as f64 - expected_ns).abs() < 1.0);
    }
}

#[test]
fn one_satellite_over_both_is_a_bent_pipe_also_where_there_are_links() {
    let near =
        GeometrySpec { gateways: vec![site(47.5, -121.8)], ..alone(walker(starlink()), site(48.4, -123.4)) };
    let linked = GeometrySpec { isl: Some(IslSpec { stretch: 1.2 }), ..near.clone() };
    let [bent, linked] = [near, linked].map(|spec| Geometry::new(&spec).unwrap());
    for at in (0..50).map(|epoch| START + epoch * 15 * SECOND) {
        let (route, other) = (bent.choose(at, 0.0).unwrap(), linked.choose(at, 0.0).unwrap());
        // The highest over the dish need not see the gateway, where another may pass it on.
        let [bent_view, linked_view] = [bent.at(route, at).unwrap(), linked.at(other, at).unwrap()];
        assert!(linked_view.elevation_deg >= bent_view.elevation_deg);
        if other.satellite == route.satellite && other.gateway_satellite == route.satellite {
            assert_eq!(linked_view, bent_view);
            assert_eq!(linked_view.isl_m, 0.0);
        }
    }
}

#[test]
fn links_reach_over_an_ocean() {
    // Victoria to Punta Arenas, 11 900 km: no faster than light in a straight line through the earth.
    let mut spec = alone(walker(starlink()), site(48.4, -123.4));
    spec.gateways = vec![site(-53.2, -70.9)];
    spec.isl = Some(IslSpec { stretch: 1.1 });
    let geometry = Geometry::new(&spec).unwrap();
    let view = geometry.at(geometry.choose(START, 0.0).unwrap(), START).unwrap();
    // The great circle on the ground, 11 900 km; 1.1 times it at 550 km is 14 200 km, up to 940 km less at each end.
    assert!(view.isl_m > 12.0e6 && view.isl_m < 16.3e6, "{view:?}");
    assert!(view.delay.as_secs_f64() > 0.040 && view.delay.as_secs_f64() < 0.061, "{view:?}");
}

#[test]
fn no_gateway_that_sees_a_satellite_is_no_path() {
    let mut spec = alone(walker(starlink()), site(48.4, -123.4));
    spec.gateways = vec![site(89.0, 0.0)];
    spec.isl = Some(IslSpec { stretch: 1.1 });
    assert_eq!(Geometry::new(&spec).unwrap().choose(START, 0.0), None);
}

#[test]
fn satellites_of_different_altitudes_are_linked_along_the_mean_and_up_the_difference() {
    let high = ShellSpec { argument_of_latitude_deg: 90.0, ..equatorial(1_400e3) };
    let ConstellationSpec::Walker { mut shells } = walker(equatorial(1_200e3)) else { unreachable!() };
    shells.push(high);
    let spec = GeometrySpec { constellation: ConstellationSpec::Walker { shells }, ..ring(1.0) };
    let geometry = Geometry::new(&spec).unwrap();
    let view = geometry.at(geometry.choose(START, 0.0).unwrap(), START).unwrap();
    assert!((view.isl_m - (PI / 2.0 * 7_678_137.0 + 200e3)).abs() < 1e-3, "{view:?}");
}
