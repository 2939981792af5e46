use bentpipe_link::Packet;
use bentpipe_tcp::Segment;

/// Header of IPv4 without options (RFC 791) and of UDP (RFC 768).
const UDP_OVERHEAD: usize = 20 + 8;

/// What travels over the simulated link; as long as on a real one, the Ethernet header left out.
#[derive(Debug)]
pub(crate) enum WirePacket {
    Udp(Datagram),
    Tcp(Segment),
}

/// A UDP datagram.
#[derive(Debug)]
pub(crate) struct Datagram {
    pub(crate) from_port: u16,
    pub(crate) to_port: u16,
    pub(crate) payload: Vec<u8>,
}

impl Packet for WirePacket {
    fn len_bytes(&self) -> u32 {
        match self {
            Self::Udp(datagram) => (UDP_OVERHEAD + datagram.payload.len()) as u32,
            Self::Tcp(segment) => segment.wire_bytes(),
        }
    }
}
