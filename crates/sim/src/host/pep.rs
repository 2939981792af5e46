//! Hosts between client and server.

use std::net::Ipv4Addr;

use bentpipe_run::{PepPlace, PepSpec};

use crate::host::Host;
use crate::host::id::{HostId, LinkEnd};
use crate::packet::WirePacket;

/// A host at an end of the link, with the client or the server behind it. What it does not take itself it forwards.
pub(crate) struct PepHost {
    pub(crate) host: Host,
    intercept: Intercept,
}

/// Which packets it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intercept {
    /// All TCP segments that pass, in the place of the hosts they are meant for; datagrams are forwarded.
    All,
    /// Those meant for itself.
    Own,
}

impl PepHost {
    pub(crate) fn new(id: HostId, address: Ipv4Addr, intercept: Intercept) -> Self {
        Self { host: Host::new(id, address), intercept }
    }

    /// Whether it takes `packet`, which would pass through it otherwise.
    pub(crate) fn takes(&self, packet: &WirePacket) -> bool {
        match (self.intercept, packet) {
            (Intercept::All, WirePacket::Udp(_)) => false,
            (Intercept::All, WirePacket::Tcp(..)) => true,
            (Intercept::Own, _) => packet.is_for(self.host.address()),
        }
    }
}

impl Intercept {
    /// What the host between this end of the link and whoever is beyond it takes; none where nobody stands between.
    pub(crate) fn at(end: LinkEnd, pep: Option<&PepSpec>) -> Option<Self> {
        match (pep?, end) {
            (PepSpec::Split(split), _) => match (split.place, end) {
                (PepPlace::Both, _)
                | (PepPlace::Terminal, LinkEnd::Client)
                | (PepPlace::Gateway, LinkEnd::Server) => Some(Self::All),
                (PepPlace::Terminal, LinkEnd::Server) | (PepPlace::Gateway, LinkEnd::Client) => None,
            },
            (PepSpec::Proxy(_) | PepSpec::Masque(_), LinkEnd::Server) => Some(Self::Own),
            (PepSpec::Proxy(_) | PepSpec::Masque(_), LinkEnd::Client) | (PepSpec::Tunnel(_), _) => None,
        }
    }
}
