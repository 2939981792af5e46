use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bentpipe_link::{Direction, Event, Path};
use bentpipe_net::Addresses;
use bentpipe_run::{LinkReport, RunSpec};
use bentpipe_tcp::ConnectionId;
use bentpipe_units::Time;

use crate::capture::Tap;
use crate::executor::Executor;
use crate::host::Host;
use crate::middle::{Local, Middle, taken_at};
use crate::packet::WirePacket;
use crate::parcels::{Parcel, Parcels};
use crate::timers::Timers;

/// An end of the link, by who stands there or behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Client,
    Server,
}

/// A host by where it stands, in the order in which hosts take their turns at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Client,
    Server,
    /// Between client and link.
    Terminal,
    /// Between link and server.
    Gateway,
}

/// The hosts, the link between them, one clock and the tasks that use them.
///
/// Client and server stand at the ends of the link, or with a performance-enhancing proxy on a local network with the
/// [`Middle`] host that stands there.
pub(crate) struct World {
    pub(crate) executor: Executor,
    pub(crate) timers: Arc<Timers>,
    client: Host,
    server: Host,
    terminal: Option<Box<Middle>>,
    gateway: Option<Box<Middle>>,
    local: Local,
    pub(crate) outbox: Arc<Outbox>,
    path: RefCell<Path<Parcel>>,
    parcels: RefCell<Parcels>,
    /// What is taken from the outbox, kept for its memory.
    leaving: RefCell<Vec<(End, WirePacket)>>,
    tap: RefCell<Option<Tap>>,
    timeouts: RefCell<Timeouts>,
}

/// Datagrams that were sent at the present instant, in order, on their way to the next host, and buffers for more.
///
/// The QUIC library sends from behind `Send` traits, so that the link itself cannot be reached from there.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: Mutex<Vec<(End, WirePacket)>>,
    is_waiting: AtomicBool,
    spare: Mutex<Vec<Vec<u8>>>,
}

/// TCP timers in order of time; one that was put off stays where it was and moves on when it comes up.
#[derive(Default)]
struct Timeouts {
    heap: BinaryHeap<Reverse<(Time, End, ConnectionId)>>,
}

impl End {
    /// The side of the link on which it stands.
    pub(crate) fn side(self) -> Side {
        match self {
            Self::Client | Self::Terminal => Side::Client,
            Self::Server | Self::Gateway => Side::Server,
        }
    }
}

impl World {
    pub(crate) fn new(spec: &RunSpec, tap: Option<Tap>) -> Self {
        let addresses = Addresses::STANDARD;
        let middle = |side, address| {
            taken_at(side, spec.pep.as_ref()).map(|takes| Box::new(Middle::new(address, takes)))
        };
        let tunnel_header = u32::try_from(spec.tunnel_header().get()).unwrap_or(u32::MAX);
        Self {
            executor: Executor::default(),
            timers: Arc::default(),
            client: Host::new(addresses.client),
            server: Host::new(addresses.server),
            terminal: middle(Side::Client, addresses.terminal),
            gateway: middle(Side::Server, addresses.gateway),
            local: Local::default(),
            outbox: Arc::default(),
            path: RefCell::new(Path::new(&spec.link, spec.seed, Time::ZERO)),
            parcels: RefCell::new(Parcels::new(tunnel_header)),
            leaving: RefCell::default(),
            tap: RefCell::new(tap),
            timeouts: RefCell::default(),
        }
    }

    pub(crate) fn now(&self) -> Time {
        self.timers.now()
    }

    pub(crate) fn host(&self, end: End) -> &Host {
        match end {
            End::Client => &self.client,
            End::Server => &self.server,
            End::Terminal | End::Gateway => {
                &self.middle(end.side()).expect("a host takes part that the spec has put there").host
            }
        }
    }

    /// Whether a host stands there.
    pub(crate) fn has(&self, end: End) -> bool {
        match end {
            End::Client | End::Server => true,
            End::Terminal | End::Gateway => self.middle(end.side()).is_some(),
        }
    }

    /// Who stands between the link and the host on this side.
    fn middle(&self, side: Side) -> Option<&Middle> {
        match side {
            Side::Client => self.terminal.as_deref(),
            Side::Server => self.gateway.as_deref(),
        }
    }

    /// Starts the link's counting.
    pub(crate) fn mark(&self) {
        self.path.borrow_mut().mark(self.now());
    }

    /// What the link counted.
    pub(crate) fn link_report(&self) -> LinkReport {
        self.path.borrow_mut().report(self.now())
    }

    /// Ends the capture, if there is one, and hands it over.
    pub(crate) fn take_tap(&self) -> Option<Tap> {
        self.tap.borrow_mut().take()
    }

    /// Notes that a TCP connection wants to be called at `at`.
    pub(crate) fn call_at(&self, at: Time, end: End, connection: ConnectionId) {
        self.timeouts.borrow_mut().heap.push(Reverse((at, end, connection)));
    }

    /// Lets every task run that can, and moves what they sent to where it goes.
    pub(crate) fn settle(&self) {
        loop {
            self.deliver_locally();
            self.executor.run();
            self.send_all();
            if self.local.is_empty() {
                return;
            }
        }
    }

    /// Moves the clock to the next event and lets it happen; false when nothing is left to happen.
    pub(crate) fn step(&self) -> bool {
        let Some(at) = self.next_event() else { return false };
        self.timers.set_now(at);
        self.deliver(at);
        self.deliver_locally();
        self.fire_timeouts(at);
        self.timers.wake_due();
        self.settle();
        true
    }

    fn next_event(&self) -> Option<Time> {
        let link = self.path.borrow().next_event();
        let tcp = self.timeouts.borrow().heap.peek().map(|Reverse((at, ..))| *at);
        let tasks = self.timers.next();
        [link, tcp, tasks].into_iter().flatten().min().map(|at| at.max(self.now()))
    }

    /// Sends a packet on the way to its destination. The link counts what it drops; the sender does not hear of it.
    pub(crate) fn send(&self, from: End, packet: WirePacket) {
        match from {
            End::Client if self.terminal.is_some() => self.local.send(End::Terminal, packet),
            End::Server if self.gateway.is_some() => self.local.send(End::Gateway, packet),
            End::Client | End::Server => self.enter(from.side(), packet),
            End::Terminal if packet.is_for(self.client.address()) => self.local.send(End::Client, packet),
            // The server has several addresses, whoever is beyond the link has one.
            End::Gateway if !self.is_beyond_gateway(&packet) => self.local.send(End::Server, packet),
            End::Terminal | End::Gateway => self.enter(from.side(), packet),
        }
    }

    /// Whether a packet that the gateway sends goes over the link.
    fn is_beyond_gateway(&self, packet: &WirePacket) -> bool {
        let terminal = self.terminal.as_ref().is_some_and(|terminal| packet.is_for(terminal.host.address()));
        terminal || packet.is_for(self.client.address())
    }

    /// Moves a packet into the link.
    fn enter(&self, side: Side, packet: WirePacket) {
        let way = match side {
            Side::Client => Direction::Return,
            Side::Server => Direction::Forward,
        };
        if let Some(tap) = &mut *self.tap.borrow_mut() {
            tap.sent(side, self.now(), &packet);
        }
        let parcel = self.parcels.borrow_mut().put(packet);
        if let Err((_, dropped)) = self.path.borrow_mut().enqueue(self.now(), way, parcel) {
            self.discard(dropped);
        }
    }

    /// A packet has come out of the link.
    fn leave(&self, side: Side, packet: WirePacket) {
        let (end, between) = match side {
            Side::Client => (End::Client, End::Terminal),
            Side::Server => (End::Server, End::Gateway),
        };
        match self.middle(side) {
            None => self.host(end).receive(self, end, packet),
            Some(middle) if middle.takes(&packet) => middle.host.receive(self, between, packet),
            Some(_) => self.local.send(end, packet),
        }
    }

    /// Lets everything arrive that was sent on the local networks, and what is sent in answer.
    fn deliver_locally(&self) {
        while let Some((end, packet)) = self.local.next() {
            match end {
                End::Client | End::Server => self.host(end).receive(self, end, packet),
                End::Terminal | End::Gateway => self.pass(end, packet),
            }
        }
    }

    /// A packet has come to a host in the middle from its local network.
    fn pass(&self, end: End, packet: WirePacket) {
        match self.middle(end.side()) {
            Some(middle) if middle.takes(&packet) => middle.host.receive(self, end, packet),
            _ => self.enter(end.side(), packet),
        }
    }

    fn send_all(&self) {
        if !self.outbox.is_waiting() {
            return;
        }
        let leaving = &mut *self.leaving.borrow_mut();
        self.outbox.take(leaving);
        for (from, packet) in leaving.drain(..) {
            self.send(from, packet);
        }
    }

    fn deliver(&self, now: Time) {
        loop {
            let event = self.path.borrow_mut().poll(now);
            match event {
                None => return,
                Some(Event::Lost { packet, .. }) => self.discard(packet),
                Some(Event::Delivered { way, due, packet }) => {
                    let side = match way {
                        Direction::Forward => Side::Client,
                        Direction::Return => Side::Server,
                    };
                    let packet = self.parcels.borrow_mut().take(packet);
                    if let Some(tap) = &mut *self.tap.borrow_mut() {
                        tap.delivered(side, due, &packet);
                    }
                    self.leave(side, packet);
                }
            }
        }
    }

    fn discard(&self, lost: Parcel) {
        if let WirePacket::Udp(datagram) = self.parcels.borrow_mut().take(lost) {
            self.outbox.recycle(datagram.payload);
        }
    }

    fn fire_timeouts(&self, now: Time) {
        loop {
            let due = match self.timeouts.borrow().heap.peek() {
                Some(Reverse(entry)) if entry.0 <= now => *entry,
                _ => return,
            };
            self.timeouts.borrow_mut().heap.pop();
            let (at, end, connection) = due;
            self.host(end).handle_timeout(self, end, connection, at);
        }
    }
}

impl Outbox {
    pub(crate) fn push(&self, from: End, packet: WirePacket) {
        self.waiting.lock().expect("no panic while sending").push((from, packet));
        self.is_waiting.store(true, Ordering::Relaxed);
    }

    /// An empty buffer.
    pub(crate) fn buffer(&self) -> Vec<u8> {
        self.spare.lock().expect("no panic while sending").pop().unwrap_or_default()
    }

    /// Takes back a buffer that nobody reads any more.
    pub(crate) fn recycle(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        self.spare.lock().expect("no panic while sending").push(buffer);
    }

    fn is_waiting(&self) -> bool {
        self.is_waiting.load(Ordering::Relaxed)
    }

    /// Moves everything into `leaving`, which is empty.
    fn take(&self, leaving: &mut Vec<(End, WirePacket)>) {
        std::mem::swap(&mut *self.waiting.lock().expect("no panic while sending"), leaving);
        self.is_waiting.store(false, Ordering::Relaxed);
    }
}
