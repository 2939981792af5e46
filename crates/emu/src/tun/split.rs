//! Super-segments of TCP over IPv4 cut into the packets that a host without segmentation offload would have sent
//! (`tcp_gso_segment` and `inet_gso_segment` of Linux).

use super::buffer::Buffer;
use super::tcp_segment::{Flags, TcpSegment};
use super::virtio::Header;

/// A super-segment, checked.
#[derive(Debug)]
pub(super) struct SuperSegment<'a> {
    packet: &'a [u8],
    segment: TcpSegment,
    /// Payload of each packet but the last, in bytes.
    size: usize,
}

impl<'a> SuperSegment<'a> {
    /// One as the device has handed it over; none when header and packet do not fit each other, or when its packets
    /// would be longer than `mtu`.
    pub(super) fn parse(header: &Header, packet: &'a [u8], mtu: usize) -> Option<Self> {
        let size = usize::from(header.segmentation?.size.get());
        let segment = TcpSegment::parse(packet)?;
        // What is to be cut has no checksum yet (virtio 1.3 section 5.1.6.2), and it is TCP's.
        let is_owed = header.owed == Some(segment.checksum());
        (is_owed && segment.header_bytes() + size <= mtu).then_some(Self { packet, segment, size })
    }

    /// How many packets it is.
    pub(super) fn count(&self) -> usize {
        self.payload().len().div_ceil(self.size).max(1)
    }

    /// Puts the packet of that number, from 0 on, into a buffer of the MTU.
    pub(super) fn put(&self, number: usize, buffer: &mut Buffer) {
        let Self { packet: whole, segment, size } = *self;
        let payload = self.payload().chunks(size).nth(number).unwrap_or_default();
        let length = segment.header_bytes() + payload.len();
        let packet = &mut buffer.room()[..length];
        let (header, rest) = packet.split_at_mut(segment.header_bytes());
        header.copy_from_slice(&whole[..segment.header_bytes()]);
        rest.copy_from_slice(payload);
        let mut flags = segment.flags(whole);
        // The last one ends the stream or asks to be pushed (RFC 9293 section 3.1).
        if number + 1 < self.count() {
            flags = flags.without(Flags::FIN).without(Flags::PSH);
        }
        // The first one says that the window was reduced (RFC 3168 section 6.1.2).
        if number > 0 {
            flags = flags.without(Flags::CWR);
        }
        let id = segment.id(whole).wrapping_add(number as u16);
        let seq = segment.seq(whole).wrapping_add((number * size) as u32);
        segment.set(packet, length as u16, id, seq, flags);
        buffer.set_length(length, Some(segment.checksum()));
    }

    fn payload(&self) -> &'a [u8] {
        &self.packet[self.segment.header_bytes()..]
    }
}
