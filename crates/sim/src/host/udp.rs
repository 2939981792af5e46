//! UDP of a simulated host: its sockets, and the datagrams on their way out.

use std::collections::{BTreeMap, VecDeque};
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bentpipe_run::Dscp;

use crate::host::id::HostId;
use crate::packet::Datagram;

/// First port given to a UDP socket that names none (RFC 6335 section 6).
const FIRST_EPHEMERAL_PORT: u16 = 49_152;

/// The UDP sockets of one host.
pub(crate) struct Udp {
    host: HostId,
    inboxes: BTreeMap<SocketAddrV4, Arc<Inbox>>,
}

/// Datagrams that have come to a port.
#[derive(Debug, Default)]
struct Inbox(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    datagrams: VecDeque<Datagram>,
    reader: Option<Waker>,
}

/// A UDP socket as its task has it.
#[derive(Clone, Debug)]
pub(crate) struct UdpSocket {
    host: HostId,
    at: SocketAddrV4,
    /// What it marks its datagrams with.
    dscp: Dscp,
    inbox: Arc<Inbox>,
    outbox: Arc<Outbox>,
}

/// What one receive call yields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    pub(crate) length: usize,
    pub(crate) from: SocketAddr,
    pub(crate) ecn: u8,
}

/// Datagrams that the hosts of a simulation have sent at the present instant, in order, and buffers for more.
///
/// The QUIC library sends from behind `Send` traits, so that the hosts themselves cannot be reached from there.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: Mutex<Vec<(HostId, Datagram)>>,
    /// Looked at at every instant, hence without the lock.
    is_waiting: AtomicBool,
    spare: Mutex<Vec<Vec<u8>>>,
}

impl Udp {
    pub(crate) const fn new(host: HostId) -> Self {
        Self { host, inboxes: BTreeMap::new() }
    }

    /// Opens a socket at an address of its own; port zero takes any.
    pub(crate) fn bind(&mut self, at: SocketAddrV4, dscp: Dscp, outbox: Arc<Outbox>) -> Option<UdpSocket> {
        let with_port = |port| SocketAddrV4::new(*at.ip(), port);
        let at = match at.port() {
            0 => (FIRST_EPHEMERAL_PORT..).map(with_port).find(|at| !self.inboxes.contains_key(at))?,
            _ if self.inboxes.get(&at).is_some_and(is_open) => return None,
            _ => at,
        };
        let inbox = Arc::<Inbox>::default();
        self.inboxes.insert(at, Arc::clone(&inbox));
        Some(UdpSocket { host: self.host, at, dscp, inbox, outbox })
    }

    /// A datagram has come. Where nobody listens it is lost, as ICMP is not modelled.
    pub(crate) fn handle_datagram(&self, datagram: Datagram) {
        if let Some(inbox) = self.inboxes.get(&datagram.to).filter(|inbox| is_open(inbox)) {
            inbox.push(datagram);
        }
    }
}

impl UdpSocket {
    pub(crate) fn local(&self) -> SocketAddr {
        SocketAddr::V4(self.at)
    }

    /// Sends a datagram.
    pub(crate) fn send(&self, contents: &[u8], to: SocketAddrV4, ecn: u8) {
        let mut payload = self.outbox.buffer();
        payload.extend_from_slice(contents);
        let datagram = Datagram { from: self.at, to, dscp: self.dscp, ecn, payload };
        self.outbox.push(self.host, datagram);
    }

    /// Receives a datagram into `buffer`, which cuts off what it cannot hold.
    pub(crate) fn poll_receive(&self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<Received> {
        self.inbox.poll(cx).map(|datagram| {
            let length = datagram.payload.len().min(buffer.len());
            buffer[..length].copy_from_slice(&datagram.payload[..length]);
            self.outbox.recycle(datagram.payload);
            let from = SocketAddr::V4(datagram.from);
            Received { length, from, ecn: datagram.ecn }
        })
    }
}

/// Whether a task has the socket still: it is closed with the last hold on it. Its port is given out again to whoever
/// names it.
fn is_open(inbox: &Arc<Inbox>) -> bool {
    Arc::strong_count(inbox) > 1
}

impl Outbox {
    /// Moves everything into `leaving`, which is empty.
    pub(crate) fn take(&self, leaving: &mut Vec<(HostId, Datagram)>) {
        if self.is_waiting.load(Ordering::Relaxed) {
            std::mem::swap(&mut *self.waiting.lock().expect("no panic while sending"), leaving);
            self.is_waiting.store(false, Ordering::Relaxed);
        }
    }

    /// Takes back a buffer that nobody reads any more.
    pub(crate) fn recycle(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        self.spare.lock().expect("no panic while sending").push(buffer);
    }

    fn push(&self, from: HostId, datagram: Datagram) {
        self.waiting.lock().expect("no panic while sending").push((from, datagram));
        self.is_waiting.store(true, Ordering::Relaxed);
    }

    /// An empty buffer.
    fn buffer(&self) -> Vec<u8> {
        self.spare.lock().expect("no panic while sending").pop().unwrap_or_default()
    }
}

impl Inbox {
    fn push(&self, datagram: Datagram) {
        let waiting = &mut *self.0.lock().expect("no panic while receiving");
        waiting.datagrams.push_back(datagram);
        if let Some(reader) = waiting.reader.take() {
            reader.wake();
        }
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Datagram> {
        let waiting = &mut *self.0.lock().expect("no panic while receiving");
        match waiting.datagrams.pop_front() {
            Some(datagram) => Poll::Ready(datagram),
            None => {
                waiting.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
