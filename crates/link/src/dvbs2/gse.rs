//! How a packet is cut into GSE packets, and how long each is (TS 102 606-1, clause 4.2.1).

use std::ops::Range;

/// Start and end indicators, label type, GSE Length: before every GSE packet (TS 102 606-1, clause 4.2.1).
const FIXED: u32 = 2;
const FRAG_ID: u32 = 1;
const TOTAL_LENGTH: u32 = 2;
const PROTOCOL_TYPE: u32 = 2;
const CRC_32: u32 = 4;
/// GSE Length has 12 bits and counts the bytes that follow it.
const LARGEST_PACKET: u32 = FIXED + 4095;
/// Before every fragment but the first: it repeats neither label nor protocol type.
const LATER_HEADER: u32 = FIXED + FRAG_ID;

/// The address of a receiver in a GSE packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// None: every receiver takes the packet.
    Broadcast,
    /// Three bytes.
    Three,
    /// Six bytes, such as a MAC address.
    Six,
}

/// Generic stream encapsulation: how PDUs, here IP packets, become GSE packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gse {
    label: Label,
}

/// A PDU on its way into GSE packets.
#[derive(Clone, Debug)]
pub(super) struct Fragmentation {
    encapsulation: Gse,
    pdu: u32,
    sent: u32,
}

/// One GSE packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GsePacket {
    /// What of the PDU it carries.
    pub(super) part: Part,
    /// Which bytes of the PDU these are.
    pub(super) pdu: Range<u32>,
    /// Its length: header, bytes of the PDU, CRC.
    pub(super) len: u32,
}

/// What of a PDU a GSE packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Complete,
    /// Its first bytes.
    First,
    /// Bytes in the middle.
    Middle,
    /// Its last bytes, with the CRC over all of it.
    Last,
}

impl Label {
    /// Length of the label field.
    pub const fn len_bytes(self) -> u32 {
        match self {
            Self::Broadcast => 0,
            Self::Three => 3,
            Self::Six => 6,
        }
    }
}

impl Gse {
    /// Every PDU carries a label of this kind.
    pub const fn new(label: Label) -> Self {
        Self { label }
    }

    /// The largest PDU that can be fragmented: Total Length has 16 bits and counts protocol type, label and PDU.
    pub const fn largest_pdu(self) -> u32 {
        u16::MAX as u32 - PROTOCOL_TYPE - self.label.len_bytes()
    }

    /// Before a complete PDU.
    pub const fn complete_header(self) -> u32 {
        FIXED + PROTOCOL_TYPE + self.label.len_bytes()
    }

    /// Before the first fragment of a PDU.
    pub const fn first_header(self) -> u32 {
        FIXED + FRAG_ID + TOTAL_LENGTH + PROTOCOL_TYPE + self.label.len_bytes()
    }
}

impl Fragmentation {
    /// A PDU of `pdu` bytes of which nothing has been sent.
    pub(super) const fn new(encapsulation: Gse, pdu: u32) -> Self {
        Self { encapsulation, pdu, sent: 0 }
    }

    /// Room that the rest would take, were there no largest GSE packet.
    pub(super) const fn rest(&self) -> u32 {
        match self.sent {
            0 => self.encapsulation.complete_header() + self.pdu,
            sent => LATER_HEADER + (self.pdu - sent) + CRC_32,
        }
    }

    /// The GSE packet that carries as much of the rest as fits `room`; none when that would be no byte of it.
    ///
    /// The CRC is never split: where the rest fits without it, it follows in a packet of its own. After a packet that
    /// [ends](Part::ends) the PDU there is nothing left to ask for.
    pub(super) fn take(&mut self, room: u32) -> Option<GsePacket> {
        let room = room.min(LARGEST_PACKET);
        let rest = self.pdu - self.sent;
        let started = self.sent > 0;
        let (part, len) = if self.rest() <= room {
            (if started { Part::Last } else { Part::Complete }, self.rest())
        } else if started {
            (Part::Middle, room.min(LATER_HEADER + rest))
        } else {
            (Part::First, room)
        };
        let overhead = match part {
            Part::Complete => self.encapsulation.complete_header(),
            Part::First => self.encapsulation.first_header(),
            Part::Middle => LATER_HEADER,
            Part::Last => LATER_HEADER + CRC_32,
        };
        let bytes = len.checked_sub(overhead).filter(|bytes| *bytes > 0 || part.ends())?;
        let from = self.sent;
        self.sent += bytes;
        Some(GsePacket { part, pdu: from..self.sent, len })
    }
}

impl Part {
    /// Whether the PDU ends with it.
    pub(super) const fn ends(self) -> bool {
        matches!(self, Self::Complete | Self::Last)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_encapsulation() -> impl Strategy<Value = Gse> {
        prop_oneof![Just(Label::Broadcast), Just(Label::Three), Just(Label::Six)].prop_map(Gse::new)
    }

    /// Offers one room after the other, and from the first repetition on the last of them, until the PDU has ended.
    fn fragments(encapsulation: Gse, pdu: u32, rooms: &[u32]) -> Vec<GsePacket> {
        let mut fragmentation = Fragmentation::new(encapsulation, pdu);
        let mut packets: Vec<GsePacket> = Vec::new();
        let mut rooms = rooms.iter().copied().chain(std::iter::repeat(4_000));
        while !packets.last().is_some_and(|packet| packet.part.ends()) {
            packets.extend(fragmentation.take(rooms.next().unwrap()));
        }
        packets
    }

    proptest! {
        #[test]
        fn every_byte_of_a_pdu_travels_once_and_in_order(
            encapsulation in any_encapsulation(), pdu in 0..20_000u32, rooms in prop::collection::vec(0..8_000u32, 0..20),
        ) {
            let mut expected = 0;
            for packet in fragments(encapsulation, pdu, &rooms) {
                prop_assert_eq!(packet.pdu.start, expected);
                expected = packet.pdu.end;
            }
            prop_assert_eq!(expected, pdu);
        }

        #[test]
        fn a_gse_packet_fits_its_room_and_its_length_field(
            encapsulation in any_encapsulation(), pdu in 0..20_000u32, rooms in prop::collection::vec(0..8_000u32, 0..20),
        ) {
            let mut fragmentation = Fragmentation::new(encapsulation, pdu);
            for room in rooms {
                let Some(packet) = fragmentation.take(room) else { continue };
                prop_assert!(packet.len <= room && packet.len - 2 <= 4095);
                if packet.part.ends() {
                    break;
                }
            }
        }

        #[test]
        fn the_overhead_is_that_of_the_header_fields(
            encapsulation in any_encapsulation(), pdu in 0..20_000u32, rooms in prop::collection::vec(0..8_000u32, 0..20),
        ) {
            let label = encapsulation.label.len_bytes();
            let packets = fragments(encapsulation, pdu, &rooms);
            let last = packets.len() - 1;
            for (index, packet) in packets.into_iter().enumerate() {
                // TS 102 606-1, Table 1: fixed 2, Frag ID 1, Total Length 2, Protocol Type 2, Label, CRC-32 4.
                let (part, overhead) = match (index, last) {
                    (0, 0) => (Part::Complete, 2 + 2 + label),
                    (0, _) => (Part::First, 2 + 1 + 2 + 2 + label),
                    (index, last) if index < last => (Part::Middle, 2 + 1),
                    _ => (Part::Last, 2 + 1 + 4),
                };
                prop_assert_eq!(packet.part, part);
                prop_assert_eq!(packet.len, overhead + packet.pdu.len() as u32);
            }
        }
    }

    #[test]
    fn a_packet_of_1500_bytes_takes_1504_or_1514_in_two() {
        let encapsulation = Gse::new(Label::Broadcast);
        let lens = |rooms: &[u32]| -> Vec<u32> {
            fragments(encapsulation, 1500, rooms).iter().map(|packet| packet.len).collect()
        };
        assert_eq!(lens(&[1504]), [1504]);
        // 7 + 1496, then 3 + 4 + 4.
        assert_eq!(lens(&[1503, 100]), [1503, 11]);
    }

    #[test]
    fn a_crc_that_does_not_fit_follows_alone() {
        let packets = fragments(Gse::new(Label::Broadcast), 100, &[57, 56, 3, 6, 7]);
        // 7 + 50; then the other 50 fit 56 bytes with the header of 3, but with the CRC would need 57.
        let parts: Vec<_> =
            packets.iter().map(|packet| (packet.part, packet.pdu.clone(), packet.len)).collect();
        assert_eq!(parts, [(Part::First, 0..50, 57), (Part::Middle, 50..100, 53), (Part::Last, 100..100, 7)]);
    }

    #[test]
    fn a_pdu_above_the_length_field_is_fragmented_even_where_there_is_room() {
        // GSE Length 4095: 2 + 4095 bytes in all, of which 4 are the header.
        let encapsulation = Gse::new(Label::Broadcast);
        assert_eq!(fragments(encapsulation, 4093, &[8_000]).len(), 1);
        assert_eq!(fragments(encapsulation, 4094, &[8_000, 8_000]).len(), 2);
    }

    #[test]
    fn the_largest_pdu_leaves_room_for_protocol_type_and_label_in_16_bits() {
        assert_eq!(Gse::new(Label::Broadcast).largest_pdu(), 65_533);
        assert_eq!(Gse::new(Label::Six).largest_pdu(), 65_527);
    }
}
