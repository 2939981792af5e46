//! Which satellite serves, and by which gateway.

use bentpipe_orbit::{ChoiceSpec, ConstellationSpec, Geometry, GeometrySpec, Route, ShellSpec};

use crate::common::*;

/// A dish at Victoria, with its gateway some 150 km away.
fn starlink_at_victoria() -> GeometrySpec {
    GeometrySpec { gateways: vec![site(47.5, -121.8)], ..alone(walker(starlink()), site(48.4, -123.4)) }
}

/// All routes over one satellite, whoever sees it.
fn over_each(satellites: usize) -> impl Iterator<Item = Route> {
    (0..satellites).map(|satellite| Route { satellite, gateway_satellite: satellite, gateway: 0 })
}

#[test]
fn the_highest_is_higher_than_all_that_gateway_and_dish_see() {
    let spec = starlink_at_victoria();
    let geometry = Geometry::new(&spec).unwrap();
    // How the gateway has it.
    let gateway = Geometry::new(&GeometrySpec { site: spec.gateways[0], ..spec.clone() }).unwrap();
    for at in (0..100).map(|epoch| START + epoch * 15 * SECOND) {
        let both = over_each(1584).filter(|route| {
            let elevations = [&geometry, &gateway].map(|place| place.at(*route, at).unwrap().elevation_deg);
            elevations.iter().all(|elevation| *elevation >= 25.0)
        });
        let elevation = |route: &Route| geometry.at(*route, at).unwrap().elevation_deg;
        let expected = both.max_by(|a, b| elevation(a).total_cmp(&elevation(b)));
        assert_eq!(geometry.choose(at, 0.5), expected);
        assert!(expected.is_some(), "the shell covers 48 degrees of latitude at all times");
    }
}

#[test]
fn a_weighted_choice_takes_each_satellite_as_often_as_its_elevation_above_the_minimum_says() {
    let spec = GeometrySpec { choice: ChoiceSpec::Weighted, ..starlink_at_victoria() };
    let geometry = Geometry::new(&spec).unwrap();
    let draws = 100_000;
    let mut taken = vec![0u32; 1584];
    for n in 0..draws {
        taken[geometry.choose(START, f64::from(n) / f64::from(draws)).unwrap().satellite] += 1;
    }
    let weight = |route: Route| geometry.at(route, START).unwrap().elevation_deg - 25.0;
    let seen: Vec<Route> = over_each(1584).filter(|route| taken[route.satellite] > 0).collect();
    assert!(seen.len() >= 5, "{} satellites", seen.len());
    let sum: f64 = seen.iter().copied().map(weight).sum();
    for route in seen {
        let share = f64::from(taken[route.satellite]) / f64::from(draws);
        assert!((share - weight(route) / sum).abs() < 2.0 / f64::from(draws), "{route:?}: {share}");
    }
}

#[test]
fn no_draw_is_needed_where_there_is_nothing_to_draw() {
    let geometry = Geometry::new(&starlink_at_victoria()).unwrap();
    assert_eq!(geometry.choose(START, 0.0), geometry.choose(START, 0.999));
}

#[test]
fn all_satellites_at_the_very_minimum_are_still_one_to_take() {
    // In the zenith of a dish that takes nothing else: the weight is zero.
    let mut spec = alone(ConstellationSpec::Geostationary { longitude_deg: 0.0 }, site(0.0, 0.0));
    spec.minimum_elevation_deg = 90.0;
    spec.choice = ChoiceSpec::Weighted;
    let route = Geometry::new(&spec).unwrap().choose(START, 0.5);
    assert_eq!(route, Some(Route { satellite: 0, gateway_satellite: 0, gateway: 0 }));
}

#[test]
fn the_gateway_with_the_shortest_path_serves() {
    let mut spec = starlink_at_victoria();
    spec.gateways = vec![site(20.0, -105.0), site(46.0, -120.0), site(51.0, -127.0), site(-30.0, 20.0)];
    let geometry = Geometry::new(&spec).unwrap();
    let mut served = [0; 4];
    for at in (0..400).map(|epoch| START + epoch * 15 * SECOND) {
        let route = geometry.choose(at, 0.0).unwrap();
        served[route.gateway] += 1;
        let delay = geometry.at(route, at).unwrap().delay;
        for gateway in 0..4 {
            let other = geometry.at(Route { gateway, ..route }, at).unwrap();
            assert!(other.delay >= delay, "gateway {gateway}: {other:?}");
        }
    }
    assert!(served[1] > 0 && served[2] > 0, "{served:?}");
    assert_eq!([served[0], served[3]], [0, 0], "out of the satellites' sight");
}

#[test]
fn nothing_serves_where_no_satellite_is_seen_or_none_that_sees_a_gateway() {
    // 53 degrees of inclination do not reach the pole.
    let pole = alone(walker(starlink()), site(90.0, 0.0));
    assert_eq!(Geometry::new(&pole).unwrap().choose(START, 0.0), None);
    // A satellite at 550 km sees 940 km around at 25 degrees; twice that is less than an ocean.
    let ocean = GeometrySpec { gateways: vec![site(48.4, -10.0)], ..starlink_at_victoria() };
    assert_eq!(Geometry::new(&ocean).unwrap().choose(START, 0.0), None);
}

#[test]
fn satellites_are_counted_shell_by_shell() {
    // A shell over the equator that a dish at 48 degrees does not see, before one that it does.
    let unseen = ShellSpec { satellites_per_plane: 10, ..equatorial(550e3) };
    let both = ConstellationSpec::Walker { shells: vec![unseen, starlink()] };
    let shifted = Geometry::new(&GeometrySpec { constellation: both, ..starlink_at_victoria() }).unwrap();
    let single = Geometry::new(&starlink_at_victoria()).unwrap();
    let (shifted_route, route) = (shifted.choose(START, 0.0).unwrap(), single.choose(START, 0.0).unwrap());
    assert_eq!(shifted_route.satellite, route.satellite + 10);
    assert_eq!(shifted.at(shifted_route, START), single.at(route, START));
}

#[test]
fn a_route_goes_on_below_the_minimum_elevation() {
    let geometry = Geometry::new(&starlink_at_victoria()).unwrap();
    let route = geometry.choose(START, 0.0).unwrap();
    // A satellite at 550 km is above 25 degrees for some four minutes.
    let late = geometry.at(route, START + 600 * SECOND).unwrap();
    assert!(late.elevation_deg < 25.0, "{late:?}");
    assert!(late.delay > geometry.at(route, START).unwrap().delay);
}
