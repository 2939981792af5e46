//! Packets that tell their number.

use bentpipe_link::Packet;

/// A packet that can be told from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    pub number: usize,
    pub len: u32,
}

impl Packet for Numbered {
    fn len_bytes(&self) -> u32 {
        self.len
    }
}
