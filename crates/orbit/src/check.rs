//! Whether the values of a geometry can be, by themselves.

use std::ops::RangeInclusive;

use crate::{ConstellationSpec, GeometrySpec, IslSpec, ShellSpec, SiteSpec, SpecError};

const LONGITUDE_DEG: RangeInclusive<f64> = -180.0..=360.0;
const FULL_TURNS_DEG: RangeInclusive<f64> = -360.0..=360.0;
const ELEVATION_DEG: RangeInclusive<f64> = 0.0..=90.0;
/// From the shore of the Dead Sea to balloons.
const SITE_ALTITUDE_M: RangeInclusive<f64> = -1e3..=50e3;
/// Below, the atmosphere brings satellites down within a day; above, the moon moves them.
const ORBIT_ALTITUDE_M: RangeInclusive<f64> = 100e3..=100_000e3;
const STRETCH: RangeInclusive<f64> = 1.0..=10.0;
/// Some ten times as many as any operator has asked for. Each takes 48 bytes.
const MOST_SATELLITES: u64 = 1_000_000;
/// Each is held against every satellite.
const MOST_GATEWAYS: usize = 1_000;

/// Refuses a spec of which no geometry can be made; element sets are [read](crate::tle) later.
pub(crate) fn check(spec: &GeometrySpec) -> Result<(), SpecError> {
    let of_constellation = |error: SpecError| error.within("constellation");
    match &spec.constellation {
        ConstellationSpec::Walker { shells } => check_shells(shells).map_err(of_constellation)?,
        ConstellationSpec::Geostationary { longitude_deg } => {
            require("longitude_deg", *longitude_deg, LONGITUDE_DEG).map_err(of_constellation)?;
        }
        ConstellationSpec::Tle { .. } => {}
    }
    check_site(&spec.site).map_err(|error| error.within("site"))?;
    if !(1..=MOST_GATEWAYS).contains(&spec.gateways.len()) {
        let expected = format!("1 to {MOST_GATEWAYS} gateways");
        return Err(SpecError::new("gateways", expected, spec.gateways.len()));
    }
    for (index, gateway) in spec.gateways.iter().enumerate() {
        check_site(gateway).map_err(|error| error.within(&format!("gateways[{index}]")))?;
    }
    require("minimum_elevation_deg", spec.minimum_elevation_deg, ELEVATION_DEG)?;
    require("gateway_minimum_elevation_deg", spec.gateway_minimum_elevation_deg, ELEVATION_DEG)?;
    match spec.isl {
        Some(IslSpec { stretch }) => require("isl.stretch", stretch, STRETCH),
        None => Ok(()),
    }
}

fn check_shells(shells: &[ShellSpec]) -> Result<(), SpecError> {
    let mut satellites: u64 = 0;
    for (index, shell) in shells.iter().enumerate() {
        let within = |error: SpecError| error.within(&format!("shells[{index}]"));
        check_shell(shell).map_err(within)?;
        satellites = satellites
            .saturating_add(u64::from(shell.planes).saturating_mul(u64::from(shell.satellites_per_plane)));
    }
    if (1..=MOST_SATELLITES).contains(&satellites) {
        Ok(())
    } else {
        Err(SpecError::new("shells", format!("1 to {MOST_SATELLITES} satellites"), satellites))
    }
}

fn check_shell(shell: &ShellSpec) -> Result<(), SpecError> {
    for (field, number) in [("planes", shell.planes), ("satellites_per_plane", shell.satellites_per_plane)] {
        if number == 0 {
            return Err(SpecError::new(field, "1 at least", number));
        }
    }
    if shell.phasing >= shell.planes {
        let expected = format!("0 to {}, below the number of planes", shell.planes - 1);
        return Err(SpecError::new("phasing", expected, shell.phasing));
    }
    require("altitude_m", shell.altitude_m, ORBIT_ALTITUDE_M)?;
    require("inclination_deg", shell.inclination_deg, 0.0..=180.0)?;
    require("raan_spread_deg", shell.raan_spread_deg, 0.0..=360.0)?;
    require("raan_deg", shell.raan_deg, FULL_TURNS_DEG)?;
    require("argument_of_latitude_deg", shell.argument_of_latitude_deg, FULL_TURNS_DEG)
}

fn check_site(site: &SiteSpec) -> Result<(), SpecError> {
    require("latitude_deg", site.latitude_deg, -90.0..=90.0)?;
    require("longitude_deg", site.longitude_deg, LONGITUDE_DEG)?;
    require("altitude_m", site.altitude_m, SITE_ALTITUDE_M)
}

/// Refuses a number out of its bounds, and what is none.
fn require(field: &str, value: f64, bounds: RangeInclusive<f64>) -> Result<(), SpecError> {
    if bounds.contains(&value) {
        Ok(())
    } else {
        Err(SpecError::new(field, format!("{} to {}", bounds.start(), bounds.end()), value))
    }
}
