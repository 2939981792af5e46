//! A simulated host: it owns its sockets, and returns what it wants.
//!
//! It does no IO and reads no clock, as an endpoint of quinn-proto: whoever drives it hands in packets and the time, and
//! asks what leaves and when to call again.

pub(crate) mod backlog;
pub(crate) mod id;
pub(crate) mod pep;
mod socket;
mod tcp;
pub(crate) mod udp;

use std::net::Ipv4Addr;

use bentpipe_units::Time;

use self::id::HostId;
use self::tcp::Tcp;
use self::udp::Udp;
use crate::packet::WirePacket;

/// A host: its TCP connections, its listening ports and its UDP sockets.
///
/// After each call that gets the time, [`poll_transmit`](Self::poll_transmit) until it returns none.
pub(crate) struct Host {
    id: HostId,
    address: Ipv4Addr,
    pub(crate) tcp: Tcp,
    pub(crate) udp: Udp,
}

impl Host {
    pub(crate) fn new(id: HostId, address: Ipv4Addr) -> Self {
        Self { id, address, tcp: Tcp::new(address), udp: Udp::new(id) }
    }

    pub(crate) const fn id(&self) -> HostId {
        self.id
    }

    pub(crate) const fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// A packet has come.
    #[inline]
    pub(crate) fn handle_packet(&mut self, now: Time, packet: WirePacket) {
        match packet {
            WirePacket::Udp(datagram) => self.udp.handle_datagram(datagram),
            WirePacket::Tcp(segment, dscp) => self.tcp.handle_segment(now, &segment, dscp),
        }
    }

    /// The next packet that has to leave now. Datagrams leave from behind `Send` traits, by the
    /// [`Outbox`](udp::Outbox).
    #[inline]
    pub(crate) fn poll_transmit(&mut self, now: Time) -> Option<WirePacket> {
        self.tcp.poll_transmit(now)
    }

    /// When it wants to be called next.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.tcp.poll_timeout()
    }

    /// The time has come that [`poll_timeout`](Self::poll_timeout) told.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        self.tcp.handle_timeout(now);
    }
}
