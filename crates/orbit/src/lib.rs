//! Where satellites are, which of them serves a dish, and how long a signal takes: sans-IO, deterministic.
//!
//! A [`Geometry`] is made once of a [`GeometrySpec`]. [`Geometry::choose`] gives the [`Route`] that a dish takes at an
//! instant: the satellite over it, and the gateway behind that. [`Geometry::at`] says how a route is at any instant
//! ([`View`]): its delay, and where the satellite stands in the sky. Instants are Unix time in nanoseconds (UTC).
//!
//! Satellites are those of Walker shells, of two-line element sets, or one in the geostationary orbit. All positions
//! are earth-fixed, in metres. Model page: docs/models/geometry.md.

#![forbid(unsafe_code)]

mod check;
mod constellation;
pub mod fuzzing;
mod geometry;
mod instant;
mod site;
mod spec;
mod tle;
mod vector;
mod walker;

pub use bentpipe_units::SpecError;
pub use geometry::{Geometry, Route, View};
pub use spec::{ChoiceSpec, ConstellationSpec, GeometrySpec, IslSpec, ShellSpec, SiteSpec};
