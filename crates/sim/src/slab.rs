//! Where packets are kept while they are in the link.

use std::collections::VecDeque;
use std::mem;
use std::net::SocketAddrV4;

use bentpipe_link::{Ecn, Packet};
use bentpipe_run::Dscp;
use bentpipe_tcp::{Flags, Options, Payload, Segment, SeqNumber, Timestamps};

use crate::packet::{Datagram, WirePacket};

/// What stands for a packet inside the link, whose queues move it several times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketHandle {
    slot: usize,
    len_bytes: u32,
    dscp: Dscp,
    /// As the link has left it.
    ecn: Ecn,
}

/// The packets inside the link.
#[derive(Debug)]
pub(crate) struct PacketSlab {
    slots: Vec<Slot>,
    /// The one that was left first is taken first: packets that follow each other then lie side by side, and the
    /// processor fetches them ahead.
    free: VecDeque<usize>,
    /// What each is longer by on the link than as a packet.
    header_bytes: u32,
}

/// A packet as it is kept, but for the mark, which the handle has. Ten thousand of 1500 bytes are a BDP of 200 Mbit/s
/// and 600 ms: as a [`WirePacket`] each would take 120 bytes, together more than a processor's second cache has.
#[derive(Debug)]
enum Slot {
    Free,
    Udp(Datagram),
    Tcp(Box<Segment>),
    Plain(PlainSegment),
}

const _: () = assert!(mem::size_of::<Slot>() <= 48);

/// A segment as nearly all of a bulk flow are: bytes that nobody reads, no option but timestamps.
#[derive(Debug)]
struct PlainSegment {
    source: SocketAddrV4,
    destination: SocketAddrV4,
    flags: Flags,
    window: u16,
    seq: SeqNumber,
    ack: SeqNumber,
    timestamps: Option<Timestamps>,
    bytes: u32,
}

impl Packet for PacketHandle {
    fn len_bytes(&self) -> u32 {
        self.len_bytes
    }

    fn dscp(&self) -> u8 {
        self.dscp.get()
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl PacketSlab {
    pub(crate) const fn new(header_bytes: u32) -> Self {
        Self { slots: Vec::new(), free: VecDeque::new(), header_bytes }
    }

    #[inline]
    pub(crate) fn put(&mut self, packet: WirePacket) -> PacketHandle {
        let len_bytes = packet.len_bytes().saturating_add(self.header_bytes);
        let (dscp, ecn) = (packet.dscp(), packet.ecn());
        let slot = self.free.pop_front().unwrap_or(self.slots.len());
        match self.slots.get_mut(slot) {
            Some(free) => *free = packet.into(),
            None => self.slots.push(packet.into()),
        }
        PacketHandle { slot, len_bytes, dscp, ecn }
    }

    #[inline]
    pub(crate) fn take(&mut self, handle: PacketHandle) -> WirePacket {
        self.free.push_back(handle.slot);
        match mem::replace(&mut self.slots[handle.slot], Slot::Free) {
            Slot::Udp(datagram) => WirePacket::Udp(Datagram { ecn: handle.ecn.bits(), ..datagram }),
            Slot::Plain(plain) => WirePacket::Tcp(plain.segment(handle.ecn), handle.dscp),
            Slot::Tcp(segment) => {
                WirePacket::Tcp(Segment { ecn: handle.ecn.bits(), ..*segment }, handle.dscp)
            }
            Slot::Free => unreachable!("a handle stands for one packet"),
        }
    }
}

impl From<WirePacket> for Slot {
    fn from(packet: WirePacket) -> Self {
        match packet {
            WirePacket::Udp(datagram) => Self::Udp(datagram),
            WirePacket::Tcp(segment, _) => match PlainSegment::of(&segment) {
                Some(plain) => Self::Plain(plain),
                None => Self::Tcp(Box::new(segment)),
            },
        }
    }
}

impl PlainSegment {
    /// The segment, if it has nothing else.
    fn of(segment: &Segment) -> Option<Self> {
        let &Segment {
            source,
            destination,
            flags,
            seq,
            ack,
            window,
            options,
            // The handle has it.
            ecn: _,
            gso_size: None,
            payload: Payload::Length(bytes),
        } = segment
        else {
            return None;
        };
        let Options { syn: None, timestamps, sack } = options else { return None };
        let bytes = sack.as_slice().is_empty().then(|| u32::try_from(bytes).ok()).flatten()?;
        Some(Self { source, destination, flags, window, seq, ack, timestamps, bytes })
    }

    fn segment(self, ecn: Ecn) -> Segment {
        let Self { source, destination, flags, window, seq, ack, timestamps, bytes } = self;
        let options = Options { timestamps, ..Options::default() };
        let payload = Payload::Length(u64::from(bytes));
        let ecn = ecn.bits();
        Segment { source, destination, flags, seq, ack, window, options, ecn, gso_size: None, payload }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use bentpipe_tcp::{SackBlocks, SackPermitted, SynOptions};

    use super::*;

    const ENDS: [SocketAddrV4; 2] =
        [SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1), SocketAddrV4::new(Ipv4Addr::LOCALHOST, 2)];

    #[test]
    fn the_link_sees_the_mark_and_the_length_of_what_a_handle_stands_for() {
        let dscp = Dscp::new(46).expect("expedited forwarding, RFC 3246");
        let [from, to] = ENDS;
        let datagram = Datagram { from, to, dscp, ecn: 0b10, payload: vec![0; 100] };
        let handle = PacketSlab::new(0).put(WirePacket::Udp(datagram));
        assert_eq!((Packet::dscp(&handle), handle.len_bytes()), (46, 20 + 8 + 100));
    }

    #[test]
    fn a_handle_is_longer_by_the_header_of_the_tunnel() {
        let [from, to] = ENDS;
        let datagram = Datagram { from, to, dscp: Dscp::DEFAULT, ecn: 0, payload: vec![0; 100] };
        assert_eq!(PacketSlab::new(44).put(WirePacket::Udp(datagram)).len_bytes(), 20 + 8 + 100 + 44);
    }

    #[test]
    fn a_segment_comes_out_as_it_went_in() {
        let [source, destination] = ENDS;
        let plain = Segment {
            source,
            destination,
            flags: Flags::ACK.with(Flags::PSH),
            seq: SeqNumber(3),
            ack: SeqNumber(4),
            window: 5,
            options: Options { timestamps: Some(Timestamps { value: 6, echo: 7 }), ..Options::default() },
            ecn: Ecn::Ect0.bits(),
            gso_size: None,
            payload: Payload::Length(1448),
        };
        let syn = SynOptions { mss: 1460, window_scale: Some(7), sack: SackPermitted::Yes, fast_open: None };
        let mut sack = SackBlocks::default();
        sack.push(SeqNumber(8), SeqNumber(9));
        let options = [
            plain.options,
            Options::default(),
            Options { syn: Some(syn), ..plain.options },
            Options { sack, ..plain.options },
        ];
        let payloads = [Payload::Length(1448), Payload::EMPTY, Payload::Bytes(vec![1, 2, 3].into())];
        let dscp = Dscp::new(46).expect("expedited forwarding, RFC 3246");
        let mut slab = PacketSlab::new(0);
        for options in options {
            for payload in payloads.clone() {
                let segment = Segment { options, payload, ..plain.clone() };
                let handle = slab.put(WirePacket::Tcp(segment.clone(), dscp));
                assert_eq!(handle.len_bytes(), segment.wire_bytes());
                let WirePacket::Tcp(back, back_dscp) = slab.take(handle) else { panic!("a TCP segment") };
                assert_eq!((back, back_dscp), (segment, dscp));
            }
        }
    }
}
