//! Which hosts are on the path of a run, and where each packet goes next.

use std::collections::VecDeque;
use std::net::Ipv4Addr;

use bentpipe_net::Addresses;
use bentpipe_run::RunSpec;
use bentpipe_units::{Time, earlier};

use crate::host::Host;
use crate::host::id::{HostId, LinkEnd};
use crate::host::pep::{Intercept, PepHost};
use crate::packet::{Datagram, WirePacket};

/// The hosts of a run.
///
/// Client and server stand at the ends of the link, or with a performance-enhancing proxy on a LAN segment with the
/// [`PepHost`] that stands there.
pub(crate) struct Topology {
    client: Host,
    server: Host,
    terminal: Option<Box<PepHost>>,
    gateway: Option<Box<PepHost>>,
}

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextHop {
    /// To this host on the LAN segment, which may be the sender.
    Lan(HostId),
    /// Into the link at this end.
    Link(LinkEnd),
}

/// What becomes of a packet that has come out of the link or from a LAN segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// This host takes it.
    At(HostId),
    /// The host in the middle forwards it.
    Forwarded(NextHop),
}

/// The local networks, one at each end of the link: they have no delay and no limit of rate, and lose nothing.
///
/// What is sent there arrives at the same instant and in the order of sending, once its sender is done.
#[derive(Default)]
pub(crate) struct LanSegment(VecDeque<(HostId, WirePacket)>);

impl Topology {
    /// The hosts at their addresses, with those in the middle that the run asks for.
    pub(crate) fn new(spec: &RunSpec) -> Self {
        let addresses = Addresses::STANDARD;
        let between = |id: HostId, address| {
            let intercept = Intercept::at(id.link_end(), spec)?;
            Some(Box::new(PepHost::new(id, address, intercept)))
        };
        Self {
            client: Host::new(HostId::Client, addresses.client),
            server: Host::new(HostId::Server, addresses.server),
            terminal: between(HostId::Terminal, addresses.terminal),
            gateway: between(HostId::Gateway, addresses.gateway),
        }
    }

    /// Whether this host is there.
    pub(crate) fn has(&self, id: HostId) -> bool {
        match id {
            HostId::Client | HostId::Server => true,
            HostId::Terminal => self.terminal.is_some(),
            HostId::Gateway => self.gateway.is_some(),
        }
    }

    /// A host that is there.
    #[inline]
    pub(crate) fn host_mut(&mut self, id: HostId) -> &mut Host {
        match id {
            HostId::Client => &mut self.client,
            HostId::Server => &mut self.server,
            HostId::Terminal | HostId::Gateway => &mut self.between_mut(id).host,
        }
    }

    /// A packet that this host takes, as it is to see it.
    #[inline]
    pub(crate) fn taken(&mut self, id: HostId, packet: WirePacket) -> WirePacket {
        match id {
            HostId::Client | HostId::Server => packet,
            HostId::Terminal | HostId::Gateway => self.between_mut(id).redirected(packet),
        }
    }

    /// Has a datagram that this host sends look as others are to see it.
    pub(crate) fn sent(&mut self, id: HostId, datagram: &mut Datagram) {
        if matches!(id, HostId::Terminal | HostId::Gateway) {
            self.between_mut(id).answered(datagram);
        }
    }

    /// The host that wants to be called first, and when; of several the first in their order.
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Option<(Time, HostId)> {
        let ends = earlier(timeout_of(&self.client), timeout_of(&self.server));
        let between = [&self.terminal, &self.gateway].into_iter().flatten();
        between.fold(ends, |first, pep_host| earlier(first, timeout_of(&pep_host.host)))
    }

    /// Where a packet goes that a host sends to this address.
    #[inline]
    pub(crate) fn next_hop(&self, from: HostId, to: Ipv4Addr) -> NextHop {
        match from {
            // A resolver may be on the client's own host.
            HostId::Client if to == self.client.address() => NextHop::Lan(HostId::Client),
            HostId::Client if self.terminal.is_some() => NextHop::Lan(HostId::Terminal),
            HostId::Server if self.gateway.is_some() => NextHop::Lan(HostId::Gateway),
            HostId::Terminal if to == self.client.address() => NextHop::Lan(HostId::Client),
            // The server has several addresses, whoever is beyond the link has one.
            HostId::Gateway if !self.is_beyond_gateway(to) => NextHop::Lan(HostId::Server),
            HostId::Client | HostId::Server | HostId::Terminal | HostId::Gateway => {
                NextHop::Link(from.link_end())
            }
        }
    }

    /// Who takes a packet that comes out of the link.
    #[inline]
    pub(crate) fn off_link(&self, end: LinkEnd, packet: &WirePacket) -> Arrival {
        let (host, between) = match end {
            LinkEnd::Client => (HostId::Client, HostId::Terminal),
            LinkEnd::Server => (HostId::Server, HostId::Gateway),
        };
        match self.pep_host(end) {
            None => Arrival::At(host),
            Some(pep_host) if pep_host.takes(packet) => Arrival::At(between),
            Some(_) => Arrival::Forwarded(NextHop::Lan(host)),
        }
    }

    /// Who takes a packet that has come to a host from its LAN segment.
    pub(crate) fn off_lan(&self, to: HostId, packet: &WirePacket) -> Arrival {
        match (to, self.pep_host(to.link_end())) {
            (HostId::Client | HostId::Server, _) => Arrival::At(to),
            (_, Some(pep_host)) if pep_host.takes(packet) => Arrival::At(to),
            (HostId::Terminal | HostId::Gateway, _) => Arrival::Forwarded(NextHop::Link(to.link_end())),
        }
    }

    /// A host in the middle that is there.
    #[inline]
    fn between_mut(&mut self, id: HostId) -> &mut PepHost {
        let between = if id == HostId::Terminal { &mut self.terminal } else { &mut self.gateway };
        between.as_mut().expect("a host takes part that the spec has put there")
    }

    /// Who stands between this end of the link and whoever is beyond it.
    #[inline]
    fn pep_host(&self, end: LinkEnd) -> Option<&PepHost> {
        match end {
            LinkEnd::Client => self.terminal.as_deref(),
            LinkEnd::Server => self.gateway.as_deref(),
        }
    }

    /// Whether what the gateway sends to this address goes over the link.
    fn is_beyond_gateway(&self, to: Ipv4Addr) -> bool {
        let terminal = self.terminal.as_ref().is_some_and(|terminal| to == terminal.host.address());
        terminal || to == self.client.address()
    }
}

impl LanSegment {
    /// Sends a packet to a host on the network at its end.
    pub(crate) fn send(&mut self, to: HostId, packet: WirePacket) {
        self.0.push_back((to, packet));
    }

    /// The next arrival, and for whom.
    pub(crate) fn next(&mut self) -> Option<(HostId, WirePacket)> {
        self.0.pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Of several at one instant the one of the first host is earlier.
fn timeout_of(host: &Host) -> Option<(Time, HostId)> {
    Some((host.poll_timeout()?, host.id()))
}
