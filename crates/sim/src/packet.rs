//! Packets as they travel between simulated hosts.

use std::net::{Ipv4Addr, SocketAddrV4};

use bentpipe_link::Ecn;
use bentpipe_run::Dscp;
use bentpipe_tcp::Segment;

/// Header of IPv4 without options (RFC 791).
const IP_HEADER: usize = 20;
/// Header of UDP (RFC 768).
const UDP_HEADER: usize = 8;

/// What travels over the simulated link; as long as on a real one, the Ethernet header left out.
#[derive(Debug)]
pub(crate) enum WirePacket {
    Udp(Datagram),
    Tcp(Segment, Dscp),
}

/// A UDP datagram.
#[derive(Debug)]
pub(crate) struct Datagram {
    pub(crate) from: SocketAddrV4,
    pub(crate) to: SocketAddrV4,
    pub(crate) dscp: Dscp,
    /// The two ECN bits of the IP header (RFC 3168 section 5): QUIC marks its packets and counts what arrives.
    pub(crate) ecn: u8,
    pub(crate) payload: Vec<u8>,
}

impl Datagram {
    /// Appends header and payload (RFC 768); the checksum, which covers part of the IP header, is zero.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.from.port().to_be_bytes());
        bytes.extend(self.to.port().to_be_bytes());
        bytes.extend(((UDP_HEADER + self.payload.len()) as u16).to_be_bytes());
        bytes.extend([0; 2]);
        bytes.extend(&self.payload);
    }
}

impl WirePacket {
    /// Length of the IP packet.
    pub(crate) fn len_bytes(&self) -> u32 {
        match self {
            Self::Udp(datagram) => (IP_HEADER + UDP_HEADER + datagram.payload.len()) as u32,
            Self::Tcp(segment, _) => segment.wire_bytes(),
        }
    }

    /// Whether it is addressed to this host.
    pub(crate) fn is_for(&self, host: Ipv4Addr) -> bool {
        self.destination() == host
    }

    /// The address that it comes from.
    pub(crate) fn source(&self) -> Ipv4Addr {
        match self {
            Self::Udp(datagram) => *datagram.from.ip(),
            Self::Tcp(segment, _) => *segment.source.ip(),
        }
    }

    /// The address that it goes to.
    pub(crate) fn destination(&self) -> Ipv4Addr {
        match self {
            Self::Udp(datagram) => *datagram.to.ip(),
            Self::Tcp(segment, _) => *segment.destination.ip(),
        }
    }

    /// The mark in the IP header.
    pub(crate) fn dscp(&self) -> Dscp {
        match self {
            Self::Udp(datagram) => datagram.dscp,
            Self::Tcp(_, dscp) => *dscp,
        }
    }

    /// The ECN field of the IP header.
    pub(crate) fn ecn(&self) -> Ecn {
        match self {
            Self::Udp(datagram) => Ecn::of_traffic_class(datagram.ecn),
            Self::Tcp(segment, _) => Ecn::of_traffic_class(segment.ecn),
        }
    }
}
