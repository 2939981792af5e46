//! The SNDUs of MPE (EN 301 192, clause 7.1) and of ULE (RFC 4326, section 4): what they add to a packet.

use super::packet::PAYLOAD_BYTES;

/// Header of a datagram_section, from table_id to the last byte of the MAC address (EN 301 192, clause 7.1).
const SECTION_HEADER: u32 = 12;
/// The longest section: section_length has 12 bits and is at most 4093, which does not count the 3 bytes up to it.
const LARGEST_SECTION: u32 = 3 + 4093;
/// D bit, Length and Type (RFC 4326, section 4).
const ULE_HEADER: u32 = 4;
/// Destination address, when the D bit is 0 (RFC 4326, section 4.5).
const ULE_ADDRESS: u32 = 6;
/// Length has 15 bits and counts what follows Type (RFC 4326, section 4.2).
const LARGEST_ULE_LENGTH: u32 = (1 << 15) - 1;
/// At the end of a section and of an SNDU of ULE.
const CRC_32: u32 = 4;

/// How packets, here IP datagrams, become SNDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encapsulation {
    /// Multi-protocol encapsulation: a datagram_section without LLC/SNAP.
    Mpe,
    /// Unidirectional lightweight encapsulation.
    Ule(Address),
}

/// Whether an SNDU of ULE tells its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The D bit is 1: receivers go by the packet.
    Absent,
    /// The D bit is 0: six bytes.
    Present,
}

impl Encapsulation {
    /// Length of the SNDU of a packet.
    pub const fn sndu_bytes(self, packet_bytes: u32) -> u32 {
        packet_bytes + self.overhead()
    }

    /// The longest packet.
    pub const fn largest_packet(self) -> u32 {
        match self {
            Self::Mpe => LARGEST_SECTION - self.overhead(),
            // With the D bit set, a Length of all ones is the End Indicator (RFC 4326, section 4.3).
            Self::Ule(Address::Absent) => LARGEST_ULE_LENGTH - 1 - CRC_32,
            Self::Ule(Address::Present) => LARGEST_ULE_LENGTH - ULE_ADDRESS - CRC_32,
        }
    }

    /// Bytes of its payload that a TS packet is sure to carry while SNDUs wait: all but a pointer field, and what is
    /// left behind it when that is too little for the start of an SNDU.
    pub const fn least_payload(self) -> u32 {
        PAYLOAD_BYTES - self.least_start()
    }

    /// Added to each packet.
    pub const fn overhead(self) -> u32 {
        match self {
            Self::Mpe => SECTION_HEADER + CRC_32,
            Self::Ule(Address::Absent) => ULE_HEADER + CRC_32,
            Self::Ule(Address::Present) => ULE_HEADER + ULE_ADDRESS + CRC_32,
        }
    }

    /// Bytes of an SNDU that its first TS packet has at least: one of a section, and the Length field of ULE, which is
    /// not split (RFC 4326, section 6.2).
    pub(super) const fn least_start(self) -> u32 {
        match self {
            Self::Mpe => 1,
            Self::Ule(_) => 2,
        }
    }
}
