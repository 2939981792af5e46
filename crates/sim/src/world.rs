use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bentpipe_link::{Event, Path, Way};
use bentpipe_run::{LinkReport, RunSpec};
use bentpipe_tcp::ConnectionId;
use bentpipe_units::Time;

use crate::capture::Tap;
use crate::executor::Executor;
use crate::host::Host;
use crate::packet::{Parcel, Parcels, WirePacket};
use crate::timers::Timers;

/// The end of the link at which a host stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Client,
    Server,
}

/// Two hosts, the link between them, one clock and the tasks that use them.
pub(crate) struct World {
    pub(crate) executor: Executor,
    pub(crate) timers: Arc<Timers>,
    pub(crate) client: Host,
    pub(crate) server: Host,
    pub(crate) outbox: Arc<Outbox>,
    path: RefCell<Path<Parcel>>,
    parcels: RefCell<Parcels>,
    /// What is taken from the outbox, kept for its memory.
    leaving: RefCell<Vec<(End, WirePacket)>>,
    tap: RefCell<Option<Tap>>,
    timeouts: RefCell<Timeouts>,
}

/// Datagrams that were sent at the present instant, in order, on their way into the link, and buffers for more.
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
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

impl World {
    pub(crate) fn new(spec: &RunSpec, client: Ipv4Addr, server: Ipv4Addr, tap: Option<Tap>) -> Self {
        Self {
            executor: Executor::default(),
            timers: Arc::default(),
            client: Host::new(client),
            server: Host::new(server),
            outbox: Arc::default(),
            path: RefCell::new(Path::new(&spec.link, spec.seed, Time::ZERO)),
            parcels: RefCell::default(),
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

    /// Lets every task run that can, and moves what they sent into the link.
    pub(crate) fn settle(&self) {
        self.executor.run();
        self.send_all();
    }

    /// Moves the clock to the next event and lets it happen; false when nothing is left to happen.
    pub(crate) fn step(&self) -> bool {
        let Some(at) = self.next_event() else { return false };
        self.timers.set_now(at);
        self.deliver(at);
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

    /// Moves a packet into the link. The link counts what it drops; the sender does not hear of it.
    pub(crate) fn send(&self, end: End, packet: WirePacket) {
        let way = match end {
            End::Client => Way::Return,
            End::Server => Way::Forward,
        };
        if let Some(tap) = &mut *self.tap.borrow_mut() {
            tap.sent(end, self.now(), &packet);
        }
        let parcel = self.parcels.borrow_mut().put(packet);
        if let Err((_, dropped)) = self.path.borrow_mut().enqueue(self.now(), way, parcel) {
            self.discard(dropped);
        }
    }

    fn send_all(&self) {
        if !self.outbox.is_waiting() {
            return;
        }
        let leaving = &mut *self.leaving.borrow_mut();
        self.outbox.take(leaving);
        for (end, packet) in leaving.drain(..) {
            self.send(end, packet);
        }
    }

    fn deliver(&self, now: Time) {
        loop {
            let event = self.path.borrow_mut().poll(now);
            match event {
                None => return,
                Some(Event::Lost { packet, .. }) => self.discard(packet),
                Some(Event::Delivered { way, due, packet }) => {
                    let end = match way {
                        Way::Forward => End::Client,
                        Way::Return => End::Server,
                    };
                    let packet = self.parcels.borrow_mut().take(packet);
                    if let Some(tap) = &mut *self.tap.borrow_mut() {
                        tap.delivered(end, due, &packet);
                    }
                    self.host(end).receive(self, end, packet);
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
    pub(crate) fn push(&self, end: End, packet: WirePacket) {
        self.waiting.lock().expect("no panic while sending").push((end, packet));
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
