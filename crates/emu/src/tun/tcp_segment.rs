//! Where the fields of a TCP segment over IPv4 are (RFC 791 section 3.1, RFC 9293 section 3.1).

use bentpipe_trace::checksum;

use super::virtio::Place;

/// Without options.
const SHORTEST_IP_HEADER: usize = 20;
const SHORTEST_TCP_HEADER: usize = 20;
const TCP: u8 = 6;
/// Where the checksum stands in TCP's header.
const TCP_CHECKSUM: usize = 16;
/// All of the field of flags and fragments but "do not fragment" and the reserved bit.
const FRAGMENT: u16 = 0x3fff;

/// The layout of a packet that is one whole segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TcpSegment {
    /// Bytes of IP's header.
    pub(super) ip: usize,
    /// Bytes of TCP's header.
    pub(super) tcp: usize,
}

/// Flags of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flags(pub(super) u8);

impl Flags {
    pub(super) const FIN: Self = Self(0x01);
    pub(super) const PSH: Self = Self(0x08);
    pub(super) const ACK: Self = Self(0x10);
    pub(super) const ECE: Self = Self(0x40);
    pub(super) const CWR: Self = Self(0x80);

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl TcpSegment {
    /// That of a packet; none when it is something else, or a fragment, or does not end where it says.
    pub(super) fn parse(packet: &[u8]) -> Option<Self> {
        let (fixed, _) = packet.split_first_chunk::<SHORTEST_IP_HEADER>()?;
        let ip = usize::from(fixed[0] & 0xf) * 4;
        let is_tcp = fixed[0] >> 4 == 4 && fixed[9] == TCP && word(fixed, 6) & FRAGMENT == 0;
        let is_whole = usize::from(word(fixed, 2)) == packet.len();
        let tcp = usize::from(packet.get(ip + 12)? >> 4) * 4;
        let is_long_enough =
            ip >= SHORTEST_IP_HEADER && tcp >= SHORTEST_TCP_HEADER && ip + tcp <= packet.len();
        (is_tcp && is_whole && is_long_enough).then_some(Self { ip, tcp })
    }

    /// Where the payload begins.
    pub(super) const fn header_bytes(self) -> usize {
        self.ip + self.tcp
    }

    /// Where the checksum of TCP stands.
    pub(super) const fn checksum(self) -> Place {
        // A header of IP is at most 60 bytes long.
        Place { start: self.ip as u16, offset: TCP_CHECKSUM as u16 }
    }

    pub(super) fn id(self, packet: &[u8]) -> u16 {
        word(packet, 4)
    }

    pub(super) fn seq(self, packet: &[u8]) -> u32 {
        let at = self.ip + 4;
        u32::from_be_bytes([packet[at], packet[at + 1], packet[at + 2], packet[at + 3]])
    }

    pub(super) fn flags(self, packet: &[u8]) -> Flags {
        Flags(packet[self.ip + 13])
    }

    /// Sets what differs between the segments of one stream, and what follows from a length of `total` bytes: lengths,
    /// IP's checksum, and the sum of the pseudo header in place of TCP's.
    pub(super) fn set(self, packet: &mut [u8], total: u16, id: u16, seq: u32, flags: Flags) {
        put_word(packet, 2, total);
        put_word(packet, 4, id);
        put_word(packet, 10, 0);
        put_word(packet, 10, !checksum::sum(&packet[..self.ip]));
        packet[self.ip + 4..self.ip + 8].copy_from_slice(&seq.to_be_bytes());
        packet[self.ip + 13] = flags.0;
        let pseudo = checksum::pseudo_header(packet, total - self.ip as u16);
        put_word(packet, self.ip + TCP_CHECKSUM, pseudo);
    }

    /// Whether two packets of this layout have all in common that segments of one burst have: all fields but lengths,
    /// identification, checksums, sequence number, and the flags in `but`.
    pub(super) fn is_alike(self, one: &[u8], other: &[u8], but: Flags) -> bool {
        let Self { ip, tcp } = self;
        // Version, class and ECN; fragments, time to live, protocol; addresses and options of IP. Ports;
        // acknowledgement and length of the header; window; urgent pointer and options of TCP.
        let same = [0..2, 6..10, 12..ip + 4, ip + 8..ip + 13, ip + 14..ip + TCP_CHECKSUM, ip + 18..ip + tcp];
        let flags = |packet| self.flags(packet).without(but);
        same.into_iter().all(|range| one[range.clone()] == other[range]) && flags(one) == flags(other)
    }
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn put_word(bytes: &mut [u8], at: usize, word: u16) {
    bytes[at..at + 2].copy_from_slice(&word.to_be_bytes());
}
