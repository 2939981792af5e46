//! What no geometry can be made of, field by field.

use bentpipe_orbit::{ConstellationSpec, Geometry, GeometrySpec, IslSpec, ShellSpec};

use crate::common::*;

fn valid() -> GeometrySpec {
    alone(walker(starlink()), site(48.4, -123.4))
}

fn refusal(change: impl FnOnce(&mut GeometrySpec)) -> String {
    let mut spec = valid();
    change(&mut spec);
    Geometry::new(&spec).expect_err("a spec that is refused").to_string()
}

fn refused_shell(change: impl FnOnce(&mut ShellSpec)) -> String {
    refusal(|spec| {
        let mut shell = starlink();
        change(&mut shell);
        spec.constellation = ConstellationSpec::Walker { shells: vec![starlink(), shell] };
    })
}

#[test]
fn a_refusal_names_the_field_what_may_stand_there_and_what_does() {
    assert_eq!(
        refusal(|spec| spec.site.latitude_deg = 91.0),
        "site.latitude_deg: expected -90 to 90, found 91"
    );
    assert_eq!(
        refusal(|spec| spec.gateways.push(site(0.0, f64::NAN))),
        "gateways[1].longitude_deg: expected -180 to 360, found NaN"
    );
    assert_eq!(
        refusal(|spec| spec.gateways[0].altitude_m = 550e3),
        "gateways[0].altitude_m: expected -1000 to 50000, found 550000"
    );
    assert_eq!(refusal(|spec| spec.gateways.clear()), "gateways: expected 1 to 1000 gateways, found 0");
    assert_eq!(
        refusal(|spec| spec.minimum_elevation_deg = -1.0),
        "minimum_elevation_deg: expected 0 to 90, found -1"
    );
    assert_eq!(
        refusal(|spec| spec.gateway_minimum_elevation_deg = 100.0),
        "gateway_minimum_elevation_deg: expected 0 to 90, found 100"
    );
    assert_eq!(
        refusal(|spec| spec.isl = Some(IslSpec { stretch: 0.9 })),
        "isl.stretch: expected 1 to 10, found 0.9"
    );
    assert_eq!(
        refusal(|spec| spec.constellation = ConstellationSpec::Geostationary { longitude_deg: 400.0 }),
        "constellation.longitude_deg: expected -180 to 360, found 400"
    );
}

#[test]
fn a_shell_is_refused_by_its_number() {
    let prefix = "constellation.shells[1]";
    assert_eq!(
        refused_shell(|shell| shell.planes = 0),
        format!("{prefix}.planes: expected 1 at least, found 0")
    );
    assert_eq!(
        refused_shell(|shell| shell.satellites_per_plane = 0),
        format!("{prefix}.satellites_per_plane: expected 1 at least, found 0")
    );
    assert_eq!(
        refused_shell(|shell| shell.phasing = 72),
        format!("{prefix}.phasing: expected 0 to 71, below the number of planes, found 72")
    );
    assert_eq!(
        refused_shell(|shell| shell.altitude_m = 550.0),
        format!("{prefix}.altitude_m: expected 100000 to 100000000, found 550")
    );
    assert_eq!(
        refused_shell(|shell| shell.inclination_deg = f64::INFINITY),
        format!("{prefix}.inclination_deg: expected 0 to 180, found inf")
    );
}

#[test]
fn a_constellation_has_satellites_and_not_more_than_can_be_kept() {
    assert_eq!(
        refusal(|spec| spec.constellation = ConstellationSpec::Walker { shells: vec![] }),
        "constellation.shells: expected 1 to 1000000 satellites, found 0"
    );
    let most = refused_shell(|shell| (shell.planes, shell.satellites_per_plane) = (u32::MAX, u32::MAX));
    assert_eq!(most, "constellation.shells: expected 1 to 1000000 satellites, found 18446744065119618609");
}

#[test]
fn an_element_set_is_refused_by_its_line() {
    let text = "ISS (ZARYA)\n".to_owned();
    assert_eq!(
        refusal(|spec| spec.constellation = ConstellationSpec::Tle { text }),
        "constellation.text: expected in line 2 the first line of an element set, found the end"
    );
}
