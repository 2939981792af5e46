//! Hosts between client and server, and the local networks that join them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::Ipv4Addr;

use bentpipe_run::{PepPlace, PepSpec};

use crate::host::Host;
use crate::packet::WirePacket;
use crate::world::{End, Side};

/// A host at an end of the link, with the client or the server behind it. What it does not take itself it forwards.
pub(crate) struct Middle {
    pub(crate) host: Host,
    takes: Takes,
}

/// Which TCP segments a host in the middle takes; datagrams are forwarded in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// All that pass, in the place of the hosts they are meant for.
    Every,
    /// Those meant for itself.
    Own,
}

/// The local networks, one at each end of the link: they have no delay and no limit of rate, and lose nothing.
///
/// What is sent there arrives at the same instant and in the order of sending, once its sender is done: two TCP endpoints
/// never call each other.
#[derive(Default)]
pub(crate) struct Local {
    waiting: RefCell<VecDeque<(End, WirePacket)>>,
}

impl Middle {
    pub(crate) fn new(address: Ipv4Addr, takes: Takes) -> Self {
        Self { host: Host::new(address), takes }
    }

    /// Whether it takes `packet`, which would pass through it otherwise.
    pub(crate) fn takes(&self, packet: &WirePacket) -> bool {
        match (self.takes, packet) {
            (_, WirePacket::Udp(_)) => false,
            (Takes::Every, WirePacket::Tcp(..)) => true,
            (Takes::Own, WirePacket::Tcp(..)) => packet.is_for(self.host.address()),
        }
    }
}

/// What the host between the link and whoever is on this side takes; none where nobody stands between.
pub(crate) fn taken_at(side: Side, pep: Option<&PepSpec>) -> Option<Takes> {
    match (pep?, side) {
        (PepSpec::Split(split), _) => match (split.place, side) {
            (PepPlace::Both, _) | (PepPlace::Terminal, Side::Client) | (PepPlace::Gateway, Side::Server) => {
                Some(Takes::Every)
            }
            (PepPlace::Terminal, Side::Server) | (PepPlace::Gateway, Side::Client) => None,
        },
        (PepSpec::Proxy(_), Side::Server) => Some(Takes::Own),
        (PepSpec::Proxy(_), Side::Client) | (PepSpec::Tunnel(_), _) => None,
    }
}

impl Local {
    /// Sends a packet to a host on the network at its end.
    pub(crate) fn send(&self, to: End, packet: WirePacket) {
        self.waiting.borrow_mut().push_back((to, packet));
    }

    /// The next arrival, and for whom.
    pub(crate) fn next(&self) -> Option<(End, WirePacket)> {
        self.waiting.borrow_mut().pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.borrow().is_empty()
    }
}
