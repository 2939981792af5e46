//! IPv4 packets as bytes (RFC 791), for captures of hosts that exchange values.

use std::io;
use std::net::Ipv4Addr;

use bentpipe_run::Dscp;

use crate::checksum;

/// What an IPv4 packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// RFC 9293.
    Tcp,
    /// RFC 768.
    Udp,
}

/// The header fields that differ from packet to packet.
///
/// The others are those that Linux gives its QUIC datagrams and SYN-ACKs: no options, no fragments (DF), TTL 64,
/// and an identification of zero, which means nothing where fragments are forbidden (RFC 6864 section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What follows the header.
    pub protocol: Protocol,
    /// Who sends it.
    pub source: Ipv4Addr,
    /// For whom it is.
    pub destination: Ipv4Addr,
    /// The code point of differentiated services (RFC 2474 section 3).
    pub dscp: Dscp,
    /// The two bits of explicit congestion notification (RFC 3168 section 5).
    pub ecn: u8,
}

/// Version 4, five words of header.
const VERSION_AND_LENGTH: u8 = 0x45;
const DONT_FRAGMENT: u16 = 0x4000;
const TIME_TO_LIVE: u8 = 64;
const HEADER_LEN: usize = 20;
/// Where the header's own checksum stands.
const CHECKSUM: usize = 10;

impl Header {
    /// Writes the packet into an empty buffer: header, what `transport` appends, and both checksums.
    ///
    /// `transport` leaves its checksum zero.
    ///
    /// # Errors
    /// When the packet is longer than the length field can say.
    pub fn write(self, packet: &mut Vec<u8>, transport: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        packet.resize(HEADER_LEN, 0);
        transport(packet);
        let total = u16::try_from(packet.len()).map_err(io::Error::other)?;
        packet[0] = VERSION_AND_LENGTH;
        packet[1] = self.dscp.traffic_class() | self.ecn & 0b11;
        packet[2..4].copy_from_slice(&total.to_be_bytes());
        packet[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
        packet[8] = TIME_TO_LIVE;
        packet[9] = self.protocol.number();
        packet[12..16].copy_from_slice(&self.source.octets());
        packet[16..20].copy_from_slice(&self.destination.octets());
        let checksum = !checksum::sum(&packet[..HEADER_LEN]);
        packet[CHECKSUM..][..2].copy_from_slice(&checksum.to_be_bytes());
        let checksum = self.transport_checksum(&packet[HEADER_LEN..], total);
        packet[HEADER_LEN + self.protocol.checksum()..][..2].copy_from_slice(&checksum.to_be_bytes());
        Ok(())
    }

    /// Over a pseudo header and the segment or datagram (RFC 9293 section 3.1, RFC 768).
    fn transport_checksum(self, transport: &[u8], total: u16) -> u16 {
        let length = total - HEADER_LEN as u16;
        let ends = [self.source, self.destination].map(|address| checksum::sum(&address.octets()));
        let pseudo = [u16::from(self.protocol.number()), length, ends[0], ends[1]];
        let checksum = !pseudo.into_iter().fold(checksum::sum(transport), checksum::add);
        match self.protocol {
            // Zero says that there is no checksum.
            Protocol::Udp if checksum == 0 => u16::MAX,
            _ => checksum,
        }
    }
}

impl Protocol {
    /// Assigned number (RFC 790).
    const fn number(self) -> u8 {
        match self {
            Self::Tcp => 6,
            Self::Udp => 17,
        }
    }

    /// Where the checksum stands in the transport's header.
    const fn checksum(self) -> usize {
        match self {
            Self::Tcp => 16,
            Self::Udp => 6,
        }
    }
}
