//! What the link reads of the packets that it carries.

use bentpipe_run::Dscp;

/// The code point in the header of an IPv4 or IPv6 packet; the default one of anything else.
pub(crate) fn dscp(packet: &[u8]) -> Dscp {
    let traffic_class = match *packet {
        // RFC 791 section 3.1: version, IHL, then the type of service.
        [first, second, ..] if first >> 4 == 4 => second,
        // RFC 8200 section 3: four bits of version, eight of traffic class.
        [first, second, ..] if first >> 4 == 6 => first << 4 | second >> 4,
        _ => return Dscp::DEFAULT,
    };
    Dscp::of_traffic_class(traffic_class)
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

    proptest! {
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
