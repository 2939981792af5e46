//! Datagrams of the QUIC library, one at a time: what a socket without the kernel's offloads has to tell and to split.

use std::net::{IpAddr, SocketAddr};

use noq::udp::{EcnCodepoint, RecvMeta, Transmit};

/// A datagram that stands in one of the library's buffers.
#[derive(Clone, Copy, Debug)]
pub struct QuicDatagram {
    /// Who sent it.
    pub from: SocketAddr,
    /// The address of ours that it came to.
    pub to: IpAddr,
    /// Its bytes.
    pub length: usize,
    /// Its mark (RFC 3168).
    pub ecn: Option<EcnCodepoint>,
}

impl QuicDatagram {
    /// Tells the library about it, in the place that belongs to the buffer.
    #[inline]
    pub fn describe(self, meta: &mut RecvMeta) {
        meta.addr = self.from;
        meta.len = self.length;
        meta.stride = self.length;
        meta.ecn = self.ecn;
        meta.dst_ip = Some(self.to);
    }
}

/// The datagrams that the library hands over as one.
#[inline]
pub fn segments<'a>(transmit: &Transmit<'a>) -> impl Iterator<Item = &'a [u8]> {
    transmit.contents.chunks(transmit.segment_size.unwrap_or(transmit.contents.len()).max(1))
}
