//! The satellites of a constellation, counted from 0, and where they are.

use crate::instant::Instant;
use crate::tle::{self, Satellite};
use crate::vector::{Angle, Vector};
use crate::walker::{MU, Shell};
use crate::{ConstellationSpec, SpecError};

/// Rotation of the earth in rad/s, WGS 84 (NIMA TR8350.2, table 3.1).
const EARTH_RAD_PER_S: f64 = 7.292_115e-5;

#[derive(Clone, Debug)]
pub(crate) enum Constellation {
    /// Counted shell by shell.
    Walker(Vec<Shell>),
    /// Counted as in the text.
    Tle(Vec<Satellite>),
    Geostationary(Vector),
}

impl Constellation {
    /// # Errors
    /// When an element set is not as it should be.
    pub(crate) fn new(spec: &ConstellationSpec) -> Result<Self, SpecError> {
        Ok(match spec {
            ConstellationSpec::Walker { shells } => Self::Walker(shells.iter().map(Shell::new).collect()),
            ConstellationSpec::Tle { text } => {
                Self::Tle(tle::read(text).map_err(|error| error.of_field("constellation.text"))?)
            }
            ConstellationSpec::Geostationary { longitude_deg } => {
                // The radius at which a satellite turns as fast as the earth: cube root of mu / omega^2.
                let radius_m = libm::cbrt(MU / (EARTH_RAD_PER_S * EARTH_RAD_PER_S));
                let place = Vector::new(radius_m, 0.0, 0.0);
                Self::Geostationary(place.turned(Angle::from_degrees(*longitude_deg)))
            }
        })
    }

    /// The earth-fixed position of a satellite; none where its elements give none.
    ///
    /// # Panics
    /// When there is no such satellite.
    pub(crate) fn position(&self, satellite: usize, instant: Instant) -> Option<Vector> {
        match self {
            Self::Walker(shells) => {
                let mut index = satellite;
                for shell in shells {
                    if index < shell.len() {
                        return Some(shell.at(instant).position(index));
                    }
                    index -= shell.len();
                }
                panic!("no satellite {satellite} in this constellation")
            }
            Self::Tle(satellites) => satellites[satellite].position(instant),
            Self::Geostationary(place) => {
                assert_eq!(satellite, 0, "one satellite in this constellation");
                Some(*place)
            }
        }
    }

    /// The positions of all satellites, in their order.
    pub(crate) fn positions(&self, instant: Instant) -> Vec<Option<Vector>> {
        match self {
            Self::Walker(shells) => {
                shells.iter().flat_map(|shell| shell.at(instant).positions()).map(Some).collect()
            }
            Self::Tle(satellites) => satellites.iter().map(|satellite| satellite.position(instant)).collect(),
            Self::Geostationary(place) => vec![Some(*place)],
        }
    }
}
