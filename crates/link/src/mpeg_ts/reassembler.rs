//! Packets put together from the TS packets of one PID; one of which a part is missing is given up.

use super::{Encapsulation, Part};

/// The receiving side of one PID.
#[derive(Clone, Debug)]
pub struct Reassembler {
    encapsulation: Encapsulation,
    serial: u64,
    /// Bytes of that SNDU that have come without a gap.
    received: u32,
}

impl Reassembler {
    /// Nothing has been received.
    pub const fn new(encapsulation: Encapsulation) -> Self {
        Self { encapsulation, serial: 0, received: 0 }
    }

    /// Takes what a burst brought; returns the length of the packet that it completes.
    ///
    /// A packet of which a part is missing is given up: the continuity counter and the CRC-32 tell.
    pub const fn accept(&mut self, part: Part) -> Option<u32> {
        if part.before == 0 {
            (self.serial, self.received) = (part.serial, 0);
        }
        if part.serial != self.serial || part.before != self.received {
            return None;
        }
        self.received += part.bytes;
        if part.is_last() { Some(self.received - self.encapsulation.overhead()) } else { None }
    }
}
