//! A TS packet of 188 bytes and the room in it (ISO/IEC 13818-1, clause 2.4.3.2), with its pointer field.

use super::Encapsulation;
use super::packet::PAYLOAD_BYTES;

/// In front of the payload where an SNDU starts: how many bytes of the one before come first.
const POINTER_FIELD: u32 = 1;

/// The payload of a TS packet that is being filled, one SNDU after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    room: u32,
    /// What the pointer field still takes if an SNDU starts here: nothing once another does.
    pointer: u32,
}

impl Payload {
    /// Of a TS packet that holds nothing yet.
    pub const EMPTY: Self = Self { room: PAYLOAD_BYTES, pointer: POINTER_FIELD };
    /// Of a TS packet that takes no more: what is left of it is padding.
    pub const CLOSED: Self = Self { room: 0, pointer: 0 };

    /// Bytes left.
    pub const fn room(&self) -> u32 {
        self.room
    }

    /// Whether an SNDU may start here.
    pub const fn takes_start(&self, encapsulation: Encapsulation) -> bool {
        self.room >= self.pointer + encapsulation.least_start()
    }

    /// Puts in the start of an SNDU, or all of it; returns how many bytes that is.
    ///
    /// # Panics
    /// When none [may start](Self::takes_start).
    pub fn start(&mut self, sndu: u32) -> u32 {
        self.room -= self.pointer;
        self.pointer = 0;
        self.go_on(sndu)
    }

    /// Puts in as much as fits of the rest of an SNDU; returns how many bytes that is.
    pub fn go_on(&mut self, rest: u32) -> u32 {
        let bytes = rest.min(self.room);
        self.room -= bytes;
        bytes
    }
}
