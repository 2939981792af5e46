//! The simulation: it alone moves the clock and, between hosts and path, the packets.

use std::rc::Rc;
use std::sync::Arc;

use bentpipe_link::{Direction, Event, Heading, Path, Terrestrial};
use bentpipe_run::{LinkReport, RunSpec};
use bentpipe_units::{Bytes, Duration, Time, earlier};

use crate::capture::Tap;
use crate::clock::Clock;
use crate::host::Host;
use crate::host::id::{HostId, LinkEnd};
use crate::host::udp::Outbox;
use crate::packet::{Datagram, WirePacket};
use crate::slab::{PacketHandle, PacketSlab};
use crate::topology::{Arrival, LanSegment, NextHop, Topology};
use crate::wakefulness::Wakefulness;

/// The hosts, the link between them and the clock.
pub(crate) struct Simulation {
    clock: Arc<Clock>,
    topology: Topology,
    transit: Transit,
    /// Where datagrams come from that tasks sent.
    outbox: Arc<Outbox>,
    /// What is taken from the outbox, kept for its memory.
    leaving: Vec<(HostId, Datagram)>,
}

/// The networks between the hosts, and what is on them.
struct Transit {
    path: Path<PacketHandle>,
    /// The direction of the path that ends at the client.
    to_client: Direction,
    slab: PacketSlab,
    lan: LanSegment,
    wakefulness: Rc<Wakefulness>,
    /// What packets that come out of the link are apart at least.
    spacing: Duration,
    /// When the next of them may come.
    free_at: Time,
    /// What the network between gateway and server loses, where it loses anything.
    terrestrial: Option<Terrestrial>,
    tap: Option<Tap>,
    /// Takes back the buffers of what is lost.
    outbox: Arc<Outbox>,
}

impl Simulation {
    pub(crate) fn new(
        spec: &RunSpec,
        tap: Option<Tap>,
        clock: Arc<Clock>,
        outbox: Arc<Outbox>,
        wakefulness: Rc<Wakefulness>,
    ) -> Self {
        let tunnel_header = u32::try_from(spec.tunnel_header().get()).unwrap_or(u32::MAX);
        let to_client = spec.link_direction(bentpipe_run::Direction::Down);
        let transit = Transit {
            path: Path::new(&spec.link, spec.seed, Time::ZERO).noting(to_client),
            to_client,
            slab: PacketSlab::new(tunnel_header),
            lan: LanSegment::default(),
            wakefulness,
            spacing: spec.host.as_ref().and_then(|hosts| hosts.packet_spacing_ns).unwrap_or_default(),
            free_at: Time::ZERO,
            terrestrial: spec
                .terrestrial
                .as_ref()
                .map(|ground| Terrestrial::new(ground, spec.seed, Time::ZERO)),
            tap,
            outbox: Arc::clone(&outbox),
        };
        let topology = Topology::new(spec);
        Self { clock, topology, transit, outbox, leaving: Vec::new() }
    }

    /// Which hosts there are.
    pub(crate) const fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Starts the link's counting.
    pub(crate) fn mark(&mut self) {
        self.transit.path.mark(self.clock.now());
    }

    /// What the link counted.
    pub(crate) fn link_report(&mut self) -> LinkReport {
        self.transit.path.report(self.clock.now())
    }

    /// Ends the capture, if there is one, and hands it over.
    pub(crate) const fn take_tap(&mut self) -> Option<Tap> {
        self.transit.tap.take()
    }

    /// Calls a host for one of its tasks, and sends what it has to send then.
    ///
    /// On a LAN segment it arrives and is answered before the task goes on: between namespaces of one kernel that happens
    /// in the system call that sends (`__local_bh_enable_ip`). A SYN to a proxy is accepted before a request comes there
    /// that was written after it.
    pub(crate) fn call<T>(&mut self, id: HostId, call: impl FnOnce(&mut Host, Time) -> T) -> T {
        let now = self.clock.now();
        let value = call(self.topology.host_mut(id), now);
        self.transit.transmit(&mut self.topology, now, id);
        self.transit.deliver_on_lan(&mut self.topology, now);
        value
    }

    /// When something happens next.
    fn next_event(&self) -> Option<Time> {
        let link = self.transit.next_delivery();
        let hosts = self.topology.poll_timeout().map(|(at, _)| at);
        let tasks = self.clock.next();
        earlier(earlier(link, hosts), tasks).map(|at| at.max(self.clock.now()))
    }

    /// Moves the clock to the next event and lets it happen; false when nothing is left to happen.
    pub(crate) fn step(&mut self) -> bool {
        let Some(now) = self.next_event() else { return false };
        self.clock.set_now(now);
        self.transit.deliver(&mut self.topology, now);
        self.transit.deliver_on_lan(&mut self.topology, now);
        self.transit.fire_timeouts(&mut self.topology, now);
        self.clock.wake_due();
        true
    }

    /// Lets everything arrive that was sent on the LAN segments.
    pub(crate) fn deliver_on_lan(&mut self) {
        self.transit.deliver_on_lan(&mut self.topology, self.clock.now());
    }

    /// Sends the datagrams that tasks sent; true when more is to be delivered at this instant.
    pub(crate) fn send_datagrams(&mut self) -> bool {
        let now = self.clock.now();
        self.outbox.take(&mut self.leaving);
        for (from, mut datagram) in self.leaving.drain(..) {
            self.topology.sent(from, &mut datagram);
            self.transit.send(now, &self.topology, from, WirePacket::Udp(datagram));
        }
        !self.transit.lan.is_empty()
    }
}

impl Transit {
    /// When the next packet comes out of the link, or is lost there.
    fn next_delivery(&self) -> Option<Time> {
        self.path.next_event().map(|at| at.max(self.free_at))
    }

    /// Lets everything arrive that comes out of the link by now.
    fn deliver(&mut self, topology: &mut Topology, now: Time) {
        while self.free_at <= now
            && let Some(event) = self.path.poll(now)
        {
            match event {
                Event::Lost { packet, .. } => self.discard(packet),
                Event::Delivered { direction, due, packet } => {
                    self.free_at = now + self.spacing;
                    let end = if direction == self.to_client { LinkEnd::Client } else { LinkEnd::Server };
                    let packet = self.slab.take(packet);
                    if let Some(tap) = &mut self.tap {
                        tap.delivered(end, due, &packet);
                    }
                    let arrival = topology.off_link(end, &packet);
                    self.arrive(topology, now, arrival, packet);
                }
            }
        }
    }

    /// Lets everything arrive that was sent on the LAN segments, and what is sent there in answer.
    fn deliver_on_lan(&mut self, topology: &mut Topology, now: Time) {
        while let Some((to, packet)) = self.lan.next() {
            let arrival = topology.off_lan(to, &packet);
            if let Arrival::At(host) = arrival {
                self.wakefulness.rouse(host);
            }
            self.arrive(topology, now, arrival, packet);
        }
    }

    /// Calls the hosts that wanted to be called by now.
    fn fire_timeouts(&mut self, topology: &mut Topology, now: Time) {
        while let Some((_, id)) = topology.poll_timeout().filter(|(at, _)| *at <= now) {
            topology.host_mut(id).handle_timeout(now);
            self.transmit(topology, now, id);
        }
    }

    #[inline]
    fn arrive(&mut self, topology: &mut Topology, now: Time, arrival: Arrival, packet: WirePacket) {
        match arrival {
            Arrival::At(HostId::Server) if self.is_lost_on_ground(now, Heading::ToServer, &packet) => {
                self.recycle(packet);
            }
            Arrival::At(id) => {
                let packet = topology.taken(id, packet);
                topology.host_mut(id).handle_packet(now, packet);
                self.transmit(topology, now, id);
            }
            Arrival::Forwarded(hop) => self.pass(now, hop, packet),
        }
    }

    /// Sends what a host has to send.
    #[inline]
    fn transmit(&mut self, topology: &mut Topology, now: Time, id: HostId) {
        while let Some(packet) = topology.host_mut(id).poll_transmit(now) {
            self.send(now, topology, id, packet);
        }
    }

    /// Sends what comes from a host on its way.
    #[inline]
    fn send(&mut self, now: Time, topology: &Topology, from: HostId, packet: WirePacket) {
        if from == HostId::Server && self.is_lost_on_ground(now, Heading::FromServer, &packet) {
            return self.recycle(packet);
        }
        self.pass(now, topology.next_hop(from, packet.destination()), packet);
    }

    /// Whether the network between gateway and server loses a packet.
    #[inline]
    fn is_lost_on_ground(&mut self, now: Time, heading: Heading, packet: &WirePacket) -> bool {
        let size = Bytes::new(packet.len_bytes().into());
        self.terrestrial.as_mut().is_some_and(|terrestrial| terrestrial.takes(heading, now, size))
    }

    /// Passes a packet on. The link counts what it drops; the sender does not hear of it.
    #[inline]
    fn pass(&mut self, now: Time, hop: NextHop, packet: WirePacket) {
        match hop {
            NextHop::Lan(to) => self.lan.send(to, packet),
            NextHop::Link(end) => self.enter(now, end, packet),
        }
    }

    /// Moves a packet into the link.
    #[inline]
    fn enter(&mut self, now: Time, end: LinkEnd, packet: WirePacket) {
        let direction = match end {
            LinkEnd::Client => self.to_client.opposite(),
            LinkEnd::Server => self.to_client,
        };
        if let Some(tap) = &mut self.tap {
            tap.sent(end, now, &packet);
        }
        let handle = self.slab.put(packet);
        if let Err((_, dropped)) = self.path.enqueue(now, direction, handle) {
            self.discard(dropped);
        }
    }

    fn discard(&mut self, lost: PacketHandle) {
        let packet = self.slab.take(lost);
        self.recycle(packet);
    }

    /// Takes back the buffer of a packet that nobody gets.
    fn recycle(&self, packet: WirePacket) {
        if let WirePacket::Udp(datagram) = packet {
            self.outbox.recycle(datagram.payload);
        }
    }
}
