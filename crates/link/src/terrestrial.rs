//! What the network on the server's side of the gateway loses. Model page: docs/models/terrestrial.md.

use bentpipe_units::{Bytes, Time};

use crate::channel::{Loss, LossSpec};
use crate::direction::Direction;
use crate::random::Seed;

/// Sets its random streams apart from those of the satellite link, which has the run's seed itself: the letters
/// "ground".
const GROUND: u64 = 0x6772_6f75_6e64;

/// The network between gateway and server.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TerrestrialSpec {
    /// What it loses, by the same law in either direction.
    pub loss: LossSpec,
}

/// The same at work: asked once for each packet. It takes no time and has no limit of rate.
pub struct Terrestrial {
    to_server: Loss,
    from_server: Loss,
}

/// Where a packet goes on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// To the server.
    ToServer,
    /// From the server.
    FromServer,
}

impl Terrestrial {
    /// The losses of a run with this seed, from `start` on; a direction's are independent of the other's.
    pub fn new(spec: &TerrestrialSpec, seed: u64, start: Time) -> Self {
        let loss = |direction| Loss::new(&spec.loss, Seed { run: seed ^ GROUND, direction }, start);
        Self { to_server: loss(Direction::Return), from_server: loss(Direction::Forward) }
    }

    /// Whether the packet is lost that passes now.
    pub fn takes(&mut self, heading: Heading, now: Time, size: Bytes) -> bool {
        let loss = match heading {
            Heading::ToServer => &mut self.to_server,
            Heading::FromServer => &mut self.from_server,
        };
        loss.takes(now, size)
    }
}
