//! What the link has to know of a packet: its length, the code point by which it tells its class, and its ECN field.

use crate::Ecn;

/// What travels over the link. The link moves packets, may mark them, and never looks inside.
pub trait Packet {
    /// Length of the IP packet, header included. Must not change while the link holds the packet.
    fn len_bytes(&self) -> u32;

    /// The differentiated services code point (RFC 2474), by which classes are told apart; the default one, 0, unless
    /// a kind of packet knows better.
    fn dscp(&self) -> u8 {
        0
    }

    /// The ECN field (RFC 3168 section 5); unless a kind of packet knows better, its sender takes no part.
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    /// Sets the field to CE. Called only where [`is_capable`](Ecn::is_capable) is true of [`ecn`](Self::ecn).
    fn mark_ce(&mut self) {}
}

impl Packet for Vec<u8> {
    fn len_bytes(&self) -> u32 {
        buffer_len(self)
    }
}

impl Packet for Box<[u8]> {
    fn len_bytes(&self) -> u32 {
        buffer_len(self)
    }
}

fn buffer_len(buffer: &[u8]) -> u32 {
    u32::try_from(buffer.len()).expect("an IP packet is shorter than 4 GiB")
}
