//! A path whose forward direction is a DVB-S2 carrier.

mod adaptation;
mod classes;
mod customers;
mod delay;
mod invariants;
mod probes;
pub mod rig;
mod saturation;
mod scheduling;
mod settings;
mod share;
