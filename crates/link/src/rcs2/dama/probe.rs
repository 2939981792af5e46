//! One superframe as the terminal and the hub saw it: requests, grants, bursts used, backlog.

use bentpipe_units::{Bytes, Decibel, Time};

use super::Grant;

/// What one superframe was for the terminal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Its number.
    pub superframe: u64,
    /// Its start.
    pub start: Time,
    /// Slots that there are.
    pub capacity: u32,
    /// Slots given to all terminals.
    pub allocated: u32,
    /// Slots given to this one.
    pub granted: Grant,
    /// Slots per superframe of the rate that it asks for at the end of the superframe.
    pub requested_rate: f64,
    /// Slots of volume that it asked for in the superframe.
    pub requested_volume: u64,
    /// Bursts that carried data.
    pub used: u32,
    /// Bytes of bursts that what waits needs at the end of the superframe.
    pub backlog: Bytes,
    /// What the hub gets of the terminal's signal at the start of the superframe.
    pub es_n0: Decibel,
}

impl Probe {
    /// A superframe of so many slots of which nothing is known.
    pub(super) const fn empty(capacity: u32) -> Self {
        Self {
            superframe: 0,
            start: Time::ZERO,
            capacity,
            allocated: 0,
            granted: Grant { cra: 0, rbdc: 0, volume: 0, free: 0 },
            requested_rate: 0.0,
            requested_volume: 0,
            used: 0,
            backlog: Bytes::ZERO,
            es_n0: Decibel::new(f64::INFINITY),
        }
    }
}
