//! What a path tells of its packets: delivered, or dropped and why.

use crate::Direction;
use bentpipe_units::Time;

/// Something that happened to a packet inside the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<P> {
    /// The packet leaves the link at its far end.
    Delivered {
        /// Which direction it travelled.
        direction: Direction,
        /// The instant at which it leaves, whenever it was polled.
        due: Time,
        /// The packet.
        packet: P,
    },
    /// The packet was accepted but does not arrive.
    Lost {
        /// Which direction it travelled.
        direction: Direction,
        /// When its transmission ended, or would have started if the queue dropped it.
        at: Time,
        /// What took it.
        cause: DropCause,
        /// The packet, so that its buffer can be used again.
        packet: P,
    },
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropCause {
    /// The queue was full or filling when it arrived, or had held it for too long.
    Queue,
    /// The channel lost it.
    Channel,
    /// It is larger than the link's MTU.
    Oversize,
}

impl<P> Event<P> {
    /// When it happened.
    pub const fn at(&self) -> Time {
        match self {
            Self::Delivered { due, .. } => *due,
            Self::Lost { at, .. } => *at,
        }
    }

    /// Which direction the packet travelled.
    pub const fn direction(&self) -> Direction {
        match self {
            Self::Delivered { direction, .. } | Self::Lost { direction, .. } => *direction,
        }
    }

    /// The packet.
    pub fn into_packet(self) -> P {
        match self {
            Self::Delivered { packet, .. } | Self::Lost { packet, .. } => packet,
        }
    }
}
