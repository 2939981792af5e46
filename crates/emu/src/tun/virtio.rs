//! What stands before each packet of a TUN device with `IFF_VNET_HDR`: `struct virtio_net_hdr` (virtio 1.3 section
//! 5.1.6) without its later fields, in the host's byte order as the kernel has it unless it is told otherwise.

use std::num::NonZeroU16;

/// Bytes of the header (`TUNSETVNETHDRSZ` would change them).
pub(super) const LENGTH: usize = 10;

/// `VIRTIO_NET_HDR_F_NEEDS_CSUM`.
const NEEDS_CHECKSUM: u8 = 1;
/// `VIRTIO_NET_HDR_GSO_NONE` and `VIRTIO_NET_HDR_GSO_TCPV4`.
const WHOLE: u8 = 0;
const TCP_OVER_IPV4: u8 = 1;

/// The header of one packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// The checksum that is not there yet.
    pub(super) owed: Option<Place>,
    /// How a super-segment of TCP over IPv4 is to be cut.
    pub(super) segmentation: Option<Segmentation>,
}

/// Where a checksum stands that is to be computed: the field holds the sum of the pseudo header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The first byte that it covers.
    pub(super) start: u16,
    /// Where it stands after that.
    pub(super) offset: u16,
}

/// What the kernel is told of a super-segment, or tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segmentation {
    /// Bytes of IP's and TCP's headers, which each segment has.
    pub(super) header_bytes: u16,
    /// Payload of each segment but the last, in bytes.
    pub(super) size: NonZeroU16,
}

impl Header {
    /// Reads one; none when it asks for what was not agreed upon.
    pub(super) fn parse(bytes: [u8; LENGTH]) -> Option<Self> {
        let [flags, kind, ..] = bytes;
        let word = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        let owed = (flags & NEEDS_CHECKSUM != 0).then(|| Place { start: word(6), offset: word(8) });
        let segmentation = match kind {
            WHOLE => None,
            TCP_OVER_IPV4 => Some(Segmentation { header_bytes: word(2), size: NonZeroU16::new(word(4))? }),
            _ => return None,
        };
        Some(Self { owed, segmentation })
    }

    /// As the kernel reads it.
    pub(super) fn to_bytes(self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        let mut put = |at: usize, word: u16| bytes[at..at + 2].copy_from_slice(&word.to_ne_bytes());
        if let Some(Segmentation { header_bytes, size }) = self.segmentation {
            put(2, header_bytes);
            put(4, size.get());
        }
        if let Some(Place { start, offset }) = self.owed {
            put(6, start);
            put(8, offset);
        }
        bytes[0] = if self.owed.is_some() { NEEDS_CHECKSUM } else { 0 };
        bytes[1] = if self.segmentation.is_some() { TCP_OVER_IPV4 } else { WHOLE };
        bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The fields in the order of the specification: flags, `gso_type`, `hdr_len`, `gso_size`, `csum_start`, `csum_offset`.
    fn bytes(flags: u8, kind: u8, words: [u16; 4]) -> [u8; LENGTH] {
        let words = words.iter().flat_map(|word| word.to_ne_bytes());
        [flags, kind].into_iter().chain(words).collect::<Vec<_>>().try_into().unwrap()
    }

    #[test]
    fn the_fields_stand_where_the_specification_has_them() {
        let header = Header {
            owed: Some(Place { start: 20, offset: 16 }),
            segmentation: Some(Segmentation { header_bytes: 52, size: NonZeroU16::new(1448).unwrap() }),
        };
        let expected = bytes(1, 1, [52, 1448, 20, 16]);
        assert_eq!(header.to_bytes(), expected);
        assert_eq!(Header::parse(expected), Some(header));
        assert_eq!(Header::parse([0; LENGTH]), Some(Header::default()));
    }

    #[test]
    fn what_was_not_agreed_upon_is_refused() {
        // UDP fragmentation, TCP over IPv6, UDP segmentation, TCP over IPv4 with CWR, unknown ones.
        for kind in [3, 4, 5, 0x81, 2, 0xff] {
            assert_eq!(Header::parse(bytes(1, kind, [52, 1448, 20, 16])), None, "{kind}");
        }
        // Segments of no length.
        assert_eq!(Header::parse(bytes(1, 1, [52, 0, 20, 16])), None);
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(bytes: [u8; LENGTH]) {
            if let Some(header) = Header::parse(bytes) {
                prop_assert_eq!(Header::parse(header.to_bytes()), Some(header));
            }
        }
    }
}
