//! What a satellite's parts did over time: the tables of a report's `probes`.

mod acm;
mod classes;
mod delays;

pub(crate) use acm::AcmProbe;
pub(crate) use classes::{ClassProbe, table as classes};
pub(crate) use delays::{DelayProbe, table as delays};
