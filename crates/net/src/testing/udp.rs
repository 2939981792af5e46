//! Datagrams between the sockets of one host.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bentpipe_units::{Duration, Time};
use noq::udp::EcnCodepoint;

use super::world::Timers;
use crate::{QuicDatagram, QuicDatagrams};

/// In one direction. The QUIC library's pacing needs a round trip that is some time.
const DELAY: Duration = Duration::from_millis(1);

pub(super) struct Ether {
    timers: Arc<Timers>,
    inboxes: Mutex<BTreeMap<SocketAddr, Inbox>>,
}

#[derive(Default)]
struct Inbox {
    datagrams: VecDeque<(Time, SocketAddr, Vec<u8>)>,
    reader: Option<Waker>,
}

#[derive(Clone)]
pub(super) struct Socket {
    ether: Arc<Ether>,
    at: SocketAddr,
}

impl Ether {
    pub(super) fn new(timers: Arc<Timers>) -> Self {
        Self { timers, inboxes: Mutex::default() }
    }

    pub(super) fn bind(self: &Arc<Self>, at: SocketAddr) -> Socket {
        self.inboxes.lock().unwrap().insert(at, Inbox::default());
        Socket { ether: Arc::clone(self), at }
    }
}

impl QuicDatagrams for Socket {
    fn local(&self) -> SocketAddr {
        self.at
    }

    fn poll_datagram(&self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<QuicDatagram> {
        let inboxes = &mut *self.ether.inboxes.lock().unwrap();
        let inbox = inboxes.entry(self.at).or_default();
        inbox.reader = Some(cx.waker().clone());
        let Some((due, _, _)) = inbox.datagrams.front() else { return Poll::Pending };
        if self.ether.timers.poll_until(*due, cx).is_pending() {
            return Poll::Pending;
        }
        let Some((_, from, payload)) = inbox.datagrams.pop_front() else { return Poll::Pending };
        buffer[..payload.len()].copy_from_slice(&payload);
        Poll::Ready(QuicDatagram { length: payload.len(), from, ecn: None })
    }

    fn send_datagram(&self, payload: &[u8], to: SocketAddr, _: Option<EcnCodepoint>) -> io::Result<()> {
        let due = self.ether.timers.now() + DELAY;
        let inboxes = &mut *self.ether.inboxes.lock().unwrap();
        if let Some(inbox) = inboxes.get_mut(&to) {
            inbox.datagrams.push_back((due, self.at, payload.to_vec()));
            if let Some(reader) = inbox.reader.take() {
                reader.wake();
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Socket({})", self.at)
    }
}
