//! A geometry as it is asked for.

/// Satellites, a dish, its gateways, and which satellite the dish takes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct GeometrySpec {
    /// The satellites.
    pub constellation: ConstellationSpec,
    /// The dish.
    pub site: SiteSpec,
    /// One at least; of those that can be reached the one with the shortest path serves.
    pub gateways: Vec<SiteSpec>,
    /// Least elevation of a satellite over the dish, 0 to 90 degrees.
    pub minimum_elevation_deg: f64,
    /// Least elevation of a satellite over a gateway, 0 to 90 degrees.
    pub gateway_minimum_elevation_deg: f64,
    /// Which of the satellites that the dish sees it takes.
    pub choice: ChoiceSpec,
    /// Links between satellites; without them one satellite has to see both dish and gateway.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub isl: Option<IslSpec>,
}

/// The satellites.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields))]
pub enum ConstellationSpec {
    /// Circular orbits in evenly spread planes.
    Walker {
        /// One at least.
        shells: Vec<ShellSpec>,
    },
    /// Two-line element sets, moved by SGP4.
    Tle {
        /// A file's text: for each satellite two lines of 69 characters, with or without its name in a line before them.
        text: String,
    },
    /// One satellite that stands still over the equator.
    Geostationary {
        /// East of Greenwich, -180 to 360 degrees.
        longitude_deg: f64,
    },
}

/// A Walker constellation: planes around the axis of the earth, and in each as many satellites.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ShellSpec {
    /// Orbital planes.
    pub planes: u32,
    /// Satellites of each plane, evenly spaced.
    pub satellites_per_plane: u32,
    /// Of the orbit above the equator: its radius less 6378.137 km. 100 km to 100 000 km.
    pub altitude_m: f64,
    /// Of the orbit to the equator, 0 to 180 degrees.
    pub inclination_deg: f64,
    /// Walker's F, below the number of planes: a satellite is F turns over the number of satellites ahead of its
    /// neighbour in the plane to the west.
    pub phasing: u32,
    /// Right ascensions that the planes are spread over: 360 degrees (delta) or 180 (star).
    pub raan_spread_deg: f64,
    /// Right ascension of the first plane's ascending node at the epoch, -360 to 360 degrees.
    pub raan_deg: f64,
    /// From its ascending node to the first plane's first satellite at the epoch, along the orbit; -360 to 360 degrees.
    pub argument_of_latitude_deg: f64,
    /// When satellites are where this says; nanoseconds of Unix time.
    pub epoch_unix_ns: i64,
}

/// A place on the earth (WGS 84).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SiteSpec {
    /// Geodetic, north of the equator; -90 to 90 degrees.
    pub latitude_deg: f64,
    /// East of Greenwich, -180 to 360 degrees.
    pub longitude_deg: f64,
    /// Above the ellipsoid, -1 km to 50 km.
    pub altitude_m: f64,
}

/// Which of the satellites that the dish sees it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ChoiceSpec {
    /// The one with the highest elevation.
    Highest,
    /// Any, with a probability proportional to its elevation above the minimum.
    Weighted,
}

/// Links between satellites.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct IslSpec {
    /// Length of the path between the satellites over dish and gateway, over that of the great circle; 1 to 10.
    pub stretch: f64,
}
