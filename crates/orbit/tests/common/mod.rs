//! Geometries that tests have in common.

use bentpipe_orbit::{ChoiceSpec, ConstellationSpec, GeometrySpec, ShellSpec, SiteSpec};

/// 2024-12-01 00:00 UTC.
pub const START: i64 = 1_733_011_200_000_000_000;
pub const SECOND: i64 = 1_000_000_000;
/// The speed of light in m/s.
pub const LIGHT: f64 = 299_792_458.0;

pub fn site(latitude_deg: f64, longitude_deg: f64) -> SiteSpec {
    SiteSpec { latitude_deg, longitude_deg, altitude_m: 0.0 }
}

/// A dish with its gateway beside it.
pub fn alone(constellation: ConstellationSpec, site: SiteSpec) -> GeometrySpec {
    GeometrySpec {
        constellation,
        site,
        gateways: vec![site],
        minimum_elevation_deg: 25.0,
        gateway_minimum_elevation_deg: 25.0,
        choice: ChoiceSpec::Highest,
        isl: None,
    }
}

pub fn walker(shell: ShellSpec) -> ConstellationSpec {
    ConstellationSpec::Walker { shells: vec![shell] }
}

/// One satellite over the equator, going east.
pub fn equatorial(altitude_m: f64) -> ShellSpec {
    ShellSpec {
        planes: 1,
        satellites_per_plane: 1,
        altitude_m,
        inclination_deg: 0.0,
        phasing: 0,
        raan_spread_deg: 360.0,
        raan_deg: 0.0,
        argument_of_latitude_deg: 0.0,
        epoch_unix_ns: START,
    }
}

/// The first shell of Starlink: 72 planes of 22 satellites at 550 km, inclined by 53 degrees.
pub fn starlink() -> ShellSpec {
    ShellSpec {
        planes: 72,
        satellites_per_plane: 22,
        altitude_m: 550e3,
        inclination_deg: 53.0,
        phasing: 39,
        ..equatorial(0.0)
    }
}
