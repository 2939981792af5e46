//! What a receiver gets of the signal over time: Es/N0 of both legs, and what the atmosphere takes off it.

pub(crate) mod attenuation;
mod es_n0;

pub use attenuation::{AttenuationPoint, AttenuationSpec};
pub(crate) use es_n0::EsN0;
pub use es_n0::{EsN0Spec, LegSpec};
