use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddrV4};

use bentpipe_link::Packet;
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
    pub(crate) fn encode(&self, octets: &mut Vec<u8>) {
        octets.extend(self.from.port().to_be_bytes());
        octets.extend(self.to.port().to_be_bytes());
        octets.extend(((UDP_HEADER + self.payload.len()) as u16).to_be_bytes());
        octets.extend([0; 2]);
        octets.extend(&self.payload);
    }
}

impl WirePacket {
    /// Length of the IP packet.
    fn len_bytes(&self) -> u32 {
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
}

/// What stands for a packet inside the link, whose queues move it several times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parcel {
    place: usize,
    len_bytes: u32,
    dscp: Dscp,
}

impl Packet for Parcel {
    fn len_bytes(&self) -> u32 {
        self.len_bytes
    }

    fn dscp(&self) -> u8 {
        self.dscp.get()
    }
}

/// The packets inside the link.
#[derive(Debug)]
pub(crate) struct Parcels {
    places: Vec<Option<WirePacket>>,
    /// The one that was left first is taken first: packets that follow each other then lie side by side, and the
    /// processor fetches them ahead. A megabyte of them is under way on a fast satellite link.
    free: VecDeque<usize>,
    /// What each is longer by on the link than as a packet.
    header_bytes: u32,
}

impl Parcels {
    pub(crate) const fn new(header_bytes: u32) -> Self {
        Self { places: Vec::new(), free: VecDeque::new(), header_bytes }
    }

    pub(crate) fn put(&mut self, packet: WirePacket) -> Parcel {
        let (len_bytes, dscp) = (packet.len_bytes().saturating_add(self.header_bytes), packet.dscp());
        let place = self.free.pop_front().unwrap_or(self.places.len());
        match self.places.get_mut(place) {
            Some(free) => *free = Some(packet),
            None => self.places.push(Some(packet)),
        }
        Parcel { place, len_bytes, dscp }
    }

    pub(crate) fn take(&mut self, parcel: Parcel) -> WirePacket {
        self.free.push_back(parcel.place);
        self.places[parcel.place].take().expect("a parcel stands for one packet")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDS: [SocketAddrV4; 2] =
        [SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1), SocketAddrV4::new(Ipv4Addr::LOCALHOST, 2)];

    #[test]
    fn the_link_sees_the_mark_and_the_length_of_what_a_parcel_stands_for() {
        let dscp = Dscp::new(46).expect("expedited forwarding, RFC 3246");
        let [from, to] = ENDS;
        let datagram = Datagram { from, to, dscp, ecn: 0b10, payload: vec![0; 100] };
        let parcel = Parcels::new(0).put(WirePacket::Udp(datagram));
        assert_eq!((Packet::dscp(&parcel), parcel.len_bytes()), (46, 20 + 8 + 100));
    }

    #[test]
    fn a_parcel_is_longer_by_the_header_of_the_tunnel() {
        let [from, to] = ENDS;
        let datagram = Datagram { from, to, dscp: Dscp::DEFAULT, ecn: 0, payload: vec![0; 100] };
        assert_eq!(Parcels::new(44).put(WirePacket::Udp(datagram)).len_bytes(), 20 + 8 + 100 + 44);
    }
}
