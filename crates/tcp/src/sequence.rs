//! Sequence numbers on the wire, positions inside.
//!
//! Inside an endpoint each direction counts bytes from zero in 64 bits: the SYN is position 0, the first byte
//! of data position 1, and nothing ever wraps. Only segments carry the 32 bits of RFC 9293 section 3.4.

/// A sequence number as a segment carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeqNumber(pub u32);

/// The numbering of one direction, given by its initial sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SequenceSpace(SeqNumber);

impl SequenceSpace {
    pub const fn new(initial: SeqNumber) -> Self {
        Self(initial)
    }

    /// The number on the wire of a position.
    pub const fn number(self, position: u64) -> SeqNumber {
        SeqNumber(self.0.0.wrapping_add(position as u32))
    }

    /// The position of a number that is within 2 GiB of `near`; `None` when that is before the SYN.
    pub const fn position(self, number: SeqNumber, near: u64) -> Option<u64> {
        let offset = number.0.wrapping_sub(self.number(near).0) as i32;
        near.checked_add_signed(offset as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_beyond_four_gibibytes_survives_the_wire() {
        let space = SequenceSpace::new(SeqNumber(0xffff_fff0));
        for position in [0, 15, 16, 17, u64::from(u32::MAX), 5_000_000_000] {
            let near = position + 1_000_000;
            assert_eq!(space.position(space.number(position), near), Some(position));
        }
    }

    #[test]
    fn a_number_before_the_syn_has_no_position() {
        let space = SequenceSpace::new(SeqNumber(100));
        assert_eq!(space.position(SeqNumber(99), 0), None);
    }
}
