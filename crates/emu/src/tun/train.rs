//! Packets that are due together, as one super-segment: what generic receive offload makes of a train
//! (`tcp_gro_receive` and `inet_gro_receive` of Linux).

use std::io::IoSlice;
use std::iter::repeat;
use std::num::NonZeroU16;

use bentpipe_units::Time;

use super::buffer::Buffer;
use super::tcp_segment::{Flags, TcpSegment};
use super::virtio::{Header, Segmentation};

/// The longest packet of IPv4.
const LONGEST: usize = 65_535;
/// What the last segment of a train may say and the others not.
const OF_THE_LAST: Flags = Flags::FIN.with(Flags::PSH);

/// Packets of one direction that are handed over at once: segments that follow each other, or one packet of any kind.
pub(crate) struct Train {
    most: usize,
    packets: Vec<(Time, Buffer)>,
    /// Of the first packet, when others may follow it.
    segment: Option<Segment>,
}

/// A segment that others may follow.
#[derive(Clone, Copy)]
struct Segment {
    layout: TcpSegment,
    payload: usize,
}

impl Train {
    /// An empty one of at most `most` packets.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, packets: Vec::with_capacity(most), segment: None }
    }

    /// Whether it may have several packets.
    pub(crate) const fn is_long(&self) -> bool {
        self.most > 1
    }

    /// Whether nothing may follow.
    pub(crate) fn is_full(&self) -> bool {
        self.packets.len() >= self.most
    }

    /// Adds a packet that was due then; gives it back when it cannot go with those that are there.
    pub(crate) fn push(&mut self, due: Time, packet: Buffer) -> Result<(), (Time, Buffer)> {
        if self.packets.is_empty() {
            self.segment = if self.is_long() { Segment::of(&packet) } else { None };
        } else if !self.takes(&packet) {
            return Err((due, packet));
        }
        self.packets.push((due, packet));
        Ok(())
    }

    /// The packets, each with the instant at which it was due.
    pub(crate) fn packets(&self) -> &[(Time, Buffer)] {
        &self.packets
    }

    /// Takes the packets out.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Buffer> {
        self.packets.drain(..).map(|(_, packet)| packet)
    }

    /// What is written to the device, by `write`: its header and the packet that all have become.
    pub(super) fn written<T>(&mut self, write: impl FnOnce(&[IoSlice<'_>]) -> T) -> T {
        let (header, skipped) = match self.segment {
            Some(segment) if self.packets.len() > 1 => (self.merge(segment), segment.layout.header_bytes()),
            _ => {
                self.packets.iter_mut().for_each(|(_, packet)| packet.complete());
                (Header::default(), 0)
            }
        };
        let header = header.to_bytes();
        let mut slices = Vec::with_capacity(1 + self.packets.len());
        slices.push(IoSlice::new(&header));
        // The headers of those that follow are in that of the first.
        let skipped = [0].into_iter().chain(repeat(skipped));
        slices.extend(
            self.packets
                .iter()
                .zip(skipped)
                .map(|((_, packet), skipped)| IoSlice::new(&packet.as_slice()[skipped..])),
        );
        write(&slices)
    }

    fn takes(&self, next: &Buffer) -> bool {
        let (Some(first), Some((_, last))) = (self.segment, self.packets.last()) else { return false };
        let Some(segment) = Segment::of(next).filter(|next| next.layout == first.layout) else {
            return false;
        };
        let (layout, count) = (first.layout, self.packets.len());
        let (head, last, next) = (self.packets[0].1.as_slice(), last.as_slice(), next.as_slice());
        let is_open = last.len() == head.len() && !layout.flags(last).has_any(OF_THE_LAST);
        let length = head.len() + first.payload * (count - 1) + segment.payload;
        is_open
            && !self.is_full()
            && segment.payload <= first.payload
            && length <= LONGEST
            && layout.seq(next) == layout.seq(head).wrapping_add((first.payload * count) as u32)
            && layout.id(next) == layout.id(head).wrapping_add(count as u16)
            && layout.is_alike(head, next, OF_THE_LAST)
    }

    /// Makes the header of the first packet that of all.
    fn merge(&mut self, Segment { layout, payload }: Segment) -> Header {
        let length = self.packets.iter().map(|(_, packet)| packet.as_slice().len()).sum::<usize>()
            - layout.header_bytes() * (self.packets.len() - 1);
        let flags = self.packets.last().map_or(Flags(0), |(_, last)| layout.flags(last.as_slice()));
        let head = self.packets[0].1.as_mut_slice();
        let (id, seq) = (layout.id(head), layout.seq(head));
        layout.set(head, length as u16, id, seq, flags);
        let size = NonZeroU16::new(payload as u16).expect("segments have payload");
        let header_bytes = layout.header_bytes() as u16;
        Header { owed: Some(layout.checksum()), segmentation: Some(Segmentation { header_bytes, size }) }
    }
}

impl Segment {
    /// None of what a stack has to see alone: without payload, or with a flag beside ACK, PSH, FIN and ECE. Nor may a checksum of the
    /// sender's be lost, which may be wrong.
    fn of(packet: &Buffer) -> Option<Self> {
        let bytes = packet.as_slice();
        let layout = TcpSegment::parse(bytes)?;
        let usual = Flags::ACK.with(Flags::ECE).with(OF_THE_LAST);
        let flags = layout.flags(bytes);
        let is_plain = flags.has_any(Flags::ACK) && flags.without(usual) == Flags(0);
        let payload = bytes.len() - layout.header_bytes();
        let may_be = packet.has_no_checksum_of_its_sender() && is_plain && payload > 0;
        may_be.then_some(Self { layout, payload })
    }
}
