//! IP packets in buffers that are used again.

use bentpipe_link::{Ecn, Packet};
use bentpipe_trace::checksum;

use super::virtio::Place;
use crate::ip;

/// An IP packet.
pub(crate) struct Buffer {
    bytes: Box<[u8]>,
    length: usize,
    /// What a tunnel between the hosts puts before it on the link, in bytes.
    tunnel: u32,
    checksum: Checksum,
}

/// Whose the checksum of the transport is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checksum {
    /// The sender's: whether it is right the receiver shall judge.
    Written,
    /// Left to the device by a sender that has computed none; the field has the sum of the pseudo header.
    Owed(Place),
    /// It was left, and is there now.
    Paid,
}

/// Buffers that wait for packets.
pub(crate) struct Pool {
    spare: Vec<Buffer>,
    mtu: usize,
    tunnel: u32,
}

impl Pool {
    /// `count` buffers for packets of up to `mtu` bytes, before which a tunnel puts `tunnel` bytes.
    pub(crate) fn new(count: usize, mtu: usize, tunnel: u32) -> Self {
        Self { spare: (0..count).map(|_| Buffer::of(mtu, tunnel)).collect(), mtu, tunnel }
    }

    /// An empty one, made if there is none.
    pub(crate) fn take(&mut self) -> Buffer {
        self.spare.pop().unwrap_or_else(|| Buffer::of(self.mtu, self.tunnel))
    }

    /// Keeps one for the next packet.
    pub(crate) fn give(&mut self, buffer: Buffer) {
        self.spare.push(buffer);
    }
}

impl Buffer {
    fn of(capacity: usize, tunnel: u32) -> Self {
        Self { bytes: vec![0; capacity].into(), length: 0, tunnel, checksum: Checksum::Written }
    }

    /// Where a packet may be put, of which [`set_length`](Self::set_length) tells the length.
    pub(super) fn room(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// A packet has been put there, with the checksum that it has or the one that is owed.
    pub(super) fn set_length(&mut self, length: usize, owed: Option<Place>) {
        self.length = length;
        self.checksum = owed.map_or(Checksum::Written, Checksum::Owed);
    }

    /// Takes a packet with the checksum that it has or the one that is owed; false when there is no such packet.
    pub(super) fn fill(&mut self, packet: &[u8], owed: Option<Place>) -> bool {
        let covers = |place: Place| usize::from(place.start) + usize::from(place.offset) + 2 <= packet.len();
        let is_one = !packet.is_empty() && packet.len() <= self.bytes.len() && owed.is_none_or(covers);
        if is_one {
            self.bytes[..packet.len()].copy_from_slice(packet);
            self.set_length(packet.len(), owed);
        }
        is_one
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }

    /// Whether its checksum is, or will be, of our making, so that none of a sender's is lost with it.
    pub(super) fn has_no_checksum_of_its_sender(&self) -> bool {
        self.checksum != Checksum::Written
    }

    /// Computes the checksum that is owed.
    pub(crate) fn complete(&mut self) {
        let Checksum::Owed(Place { start, offset }) = self.checksum else { return };
        self.checksum = Checksum::Paid;
        let Some(covered) = self.as_mut_slice().get_mut(usize::from(start)..) else { return };
        let sum = checksum::sum(covered);
        if let Some(field) = covered.get_mut(usize::from(offset)..).and_then(<[u8]>::first_chunk_mut) {
            // Zero would say of a datagram that there is none (RFC 768), and of TCP it is the same number.
            *field = if sum == 0xffff { [0xff; 2] } else { (!sum).to_be_bytes() };
        }
    }
}

impl Packet for Buffer {
    fn len_bytes(&self) -> u32 {
        self.length as u32 + self.tunnel
    }

    fn dscp(&self) -> u8 {
        ip::dscp(self.as_slice()).get()
    }

    fn ecn(&self) -> Ecn {
        ip::ecn(self.as_slice())
    }

    fn mark_ce(&mut self) {
        ip::mark_ce(self.as_mut_slice());
    }
}
