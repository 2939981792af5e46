//! Hosts between client and server.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddrV4};

use bentpipe_run::{PepPlace, PepSpec, RunSpec};
use bentpipe_web::{Ports, pep};

use crate::host::Host;
use crate::host::id::{HostId, LinkEnd};
use crate::packet::{Datagram, WirePacket};

/// A host at an end of the link, with the client or the server behind it. What it does not take itself it forwards.
pub(crate) struct PepHost {
    pub(crate) host: Host,
    intercept: Intercept,
}

/// Which packets it takes; what it does not take it forwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Intercept {
    /// All TCP segments that pass, in the place of the hosts they are meant for.
    All,
    /// TCP segments meant for itself.
    Own,
    /// Datagrams meant for itself, and those that it redirects to itself.
    Datagrams(Redirect),
}

/// Datagrams for some ports of any host are redirected to the same ports of this one, and answers appear to come from
/// where the questions went: nft's `redirect`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Redirect {
    ports: BTreeSet<u16>,
    /// Where datagrams from a socket to a port were meant to go.
    meant: BTreeMap<(SocketAddrV4, u16), Ipv4Addr>,
}

impl PepHost {
    pub(crate) fn new(id: HostId, address: Ipv4Addr, intercept: Intercept) -> Self {
        Self { host: Host::new(id, address), intercept }
    }

    /// Whether it takes `packet`, which would pass through it otherwise.
    pub(crate) fn takes(&self, packet: &WirePacket) -> bool {
        let is_own = packet.is_for(self.host.address());
        match (&self.intercept, packet) {
            (Intercept::Datagrams(redirect), WirePacket::Udp(datagram)) => {
                is_own || redirect.ports.contains(&datagram.to.port())
            }
            (Intercept::Datagrams(_), WirePacket::Tcp(..)) | (Intercept::All, WirePacket::Udp(_)) => false,
            (Intercept::All, WirePacket::Tcp(..)) => true,
            (Intercept::Own, _) => is_own,
        }
    }

    /// A packet that it takes, as the host is to see it.
    pub(crate) fn redirected(&mut self, mut packet: WirePacket) -> WirePacket {
        let own = self.host.address();
        if let (Intercept::Datagrams(redirect), WirePacket::Udp(datagram)) =
            (&mut self.intercept, &mut packet)
            && *datagram.to.ip() != own
        {
            redirect.meant.insert((datagram.from, datagram.to.port()), *datagram.to.ip());
            datagram.to.set_ip(own);
        }
        packet
    }

    /// A datagram that the host sends, as others are to see it.
    pub(crate) fn answered(&self, datagram: &mut Datagram) {
        if let Intercept::Datagrams(redirect) = &self.intercept
            && let Some(meant) = redirect.meant.get(&(datagram.to, datagram.from.port()))
        {
            datagram.from.set_ip(*meant);
        }
    }
}

impl Intercept {
    /// What the host between this end of the link and whoever is beyond it takes; none where nobody stands between.
    pub(crate) fn at(end: LinkEnd, spec: &RunSpec) -> Option<Self> {
        match (spec.pep.as_ref()?, end) {
            (PepSpec::Split(split), _) => match (split.place, end) {
                (PepPlace::Both, _)
                | (PepPlace::Terminal, LinkEnd::Client)
                | (PepPlace::Gateway, LinkEnd::Server) => Some(Self::All),
                (PepPlace::Terminal, LinkEnd::Server) | (PepPlace::Gateway, LinkEnd::Client) => None,
            },
            (PepSpec::Proxy(_) | PepSpec::Masque(_), LinkEnd::Server) => Some(Self::Own),
            (PepSpec::QuicSplit(_), LinkEnd::Client) => {
                let ports = pep::quic_ports(spec, Ports::STANDARD).into_iter().collect();
                Some(Self::Datagrams(Redirect { ports, ..Redirect::default() }))
            }
            (PepSpec::QuicSplit(_), LinkEnd::Server) => Some(Self::Datagrams(Redirect::default())),
            (PepSpec::Proxy(_) | PepSpec::Masque(_), LinkEnd::Client) | (PepSpec::Tunnel(_), _) => None,
        }
    }
}
