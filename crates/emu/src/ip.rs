//! What the link reads of the packets that it carries, and the mark that it may set.

use bentpipe_link::Ecn;
use bentpipe_run::Dscp;

/// The code point in the header of an IPv4 or IPv6 packet; the default one of anything else.
pub(crate) fn dscp(packet: &[u8]) -> Dscp {
    traffic_class(packet).map_or(Dscp::DEFAULT, Dscp::of_traffic_class)
}

/// The ECN field there (RFC 3168 section 5); of anything else that of a sender that takes no part.
pub(crate) fn ecn(packet: &[u8]) -> Ecn {
    traffic_class(packet).map_or(Ecn::NotEct, Ecn::of_traffic_class)
}

/// Sets the ECN field to CE, and the checksum of IPv4's header to what it is then.
pub(crate) fn mark_ce(packet: &mut [u8]) {
    match packet {
        [first, second, rest @ ..] if *first >> 4 == 4 => {
            let before = u16::from_be_bytes([*first, *second]);
            *second |= Ecn::Ce.bits();
            let after = u16::from_be_bytes([*first, *second]);
            if let Some(checksum) = rest.get_mut(8..10) {
                let old = u16::from_be_bytes([checksum[0], checksum[1]]);
                checksum.copy_from_slice(&updated_checksum(old, before, after).to_be_bytes());
            }
        }
        // The lower four bits of the traffic class are the upper ones of the second byte.
        [first, second, ..] if *first >> 4 == 6 => *second |= Ecn::Ce.bits() << 4,
        _ => {}
    }
}

/// RFC 1624 equation 3: HC' = ~(~HC + ~m + m').
fn updated_checksum(checksum: u16, before: u16, after: u16) -> u16 {
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let folded = (sum & 0xffff) + (sum >> 16);
    !(((folded & 0xffff) + (folded >> 16)) as u16)
}

fn traffic_class(packet: &[u8]) -> Option<u8> {
    match *packet {
        // RFC 791 section 3.1: version, IHL, then the type of service.
        [first, second, ..] if first >> 4 == 4 => Some(second),
        // RFC 8200 section 3: four bits of version, eight of traffic class.
        [first, second, ..] if first >> 4 == 6 => Some(first << 4 | second >> 4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// RFC 3246 section 2.7.
    const EXPEDITED: u8 = 0b10_1110;

    #[test]
    fn the_code_point_of_either_version_is_read_beside_the_congestion_bits() {
        // The class 1011 10 with ECT(0), 10, is 0xba.
        assert_eq!(dscp(&[0x45, 0xba, 0x00, 0x54]).get(), EXPEDITED);
        assert_eq!(dscp(&[0x6b, 0xa0, 0x00, 0x00]).get(), EXPEDITED);
        // A flow label beside it, which starts with the same byte.
        assert_eq!(dscp(&[0x6b, 0xaf, 0xff, 0xff]).get(), EXPEDITED);
    }

    #[test]
    fn what_is_too_short_or_of_another_version_is_unmarked() {
        for packet in [&[][..], &[0x45], &[0x6b], &[0x5b, 0xff], &[0xff; 40]] {
            assert_eq!(dscp(packet), Dscp::DEFAULT, "{packet:?}");
        }
    }

    /// The sum of the header's words in ones' complement, which with a right checksum is all ones (RFC 791 section 3.1).
    fn sum_of_words(header: &[u8]) -> u16 {
        let sum: u32 = header.chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        ((folded & 0xffff) + (folded >> 16)) as u16
    }

    #[test]
    fn a_mark_of_either_version_leaves_the_rest_of_the_header_as_it_is() {
        let mut packet = [0x60, 0x2a, 0xbc, 0xde];
        assert_eq!(ecn(&packet), Ecn::Ect0);
        mark_ce(&mut packet);
        assert_eq!((packet, ecn(&packet)), ([0x60, 0x3a, 0xbc, 0xde], Ecn::Ce));
    }

    proptest! {
        #[test]
        fn a_marked_header_of_ipv4_has_a_right_checksum(class: u8, rest in prop::collection::vec(any::<u8>(), 18)) {
            let mut header = [&[0x45, class], &rest[..]].concat();
            header[10..12].fill(0);
            let checksum = !sum_of_words(&header);
            header[10..12].copy_from_slice(&checksum.to_be_bytes());
            let before = header.clone();
            mark_ce(&mut header);
            prop_assert_eq!(sum_of_words(&header), 0xffff);
            prop_assert_eq!((ecn(&header), dscp(&header)), (Ecn::Ce, dscp(&before)));
            prop_assert_eq!((&header[2..10], &header[12..]), (&before[2..10], &before[12..]));
        }

        #[test]
        fn every_class_is_read_from_every_header(class: u8, rest in prop::collection::vec(any::<u8>(), 18..60)) {
            let expected = class >> 2;
            let of = |head: [u8; 2]| dscp(&[&head, &rest[..]].concat()).get();
            prop_assert_eq!(of([0x45, class]), expected);
            prop_assert_eq!(of([0x60 | class >> 4, class << 4 | rest[0] & 0x0f]), expected);
        }

        #[test]
        fn no_bytes_are_too_odd(packet in prop::collection::vec(any::<u8>(), 0..80)) {
            prop_assert!(dscp(&packet).get() < 64);
        }
    }
}
