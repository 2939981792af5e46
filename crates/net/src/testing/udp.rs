//! Datagrams between the sockets of one host.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bentpipe_units::{Duration, Time};
use noq::udp::{RecvMeta, Transmit};
use noq::{AsyncUdpSocket, UdpSender};

use super::world::Timers;
use crate::{QuicDatagram, segments};

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

impl AsyncUdpSocket for Socket {
    fn create_sender(&self) -> Pin<Box<dyn UdpSender>> {
        Box::pin(self.clone())
    }

    fn poll_recv(
        &mut self,
        cx: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let inboxes = &mut *self.ether.inboxes.lock().unwrap();
        let inbox = inboxes.entry(self.at).or_default();
        inbox.reader = Some(cx.waker().clone());
        let Some((due, _, _)) = inbox.datagrams.front() else { return Poll::Pending };
        if self.ether.timers.poll_until(*due, cx).is_pending() {
            return Poll::Pending;
        }
        let Some((_, from, payload)) = inbox.datagrams.pop_front() else { return Poll::Pending };
        buffers[0][..payload.len()].copy_from_slice(&payload);
        QuicDatagram { from, to: self.at.ip(), length: payload.len(), ecn: None }.describe(&mut meta[0]);
        Poll::Ready(Ok(1))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.at)
    }

    fn may_fragment(&self) -> bool {
        false
    }
}

impl UdpSender for Socket {
    fn poll_send(self: Pin<&mut Self>, transmit: &Transmit<'_>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let due = self.ether.timers.now() + DELAY;
        let inboxes = &mut *self.ether.inboxes.lock().unwrap();
        if let Some(inbox) = inboxes.get_mut(&transmit.destination) {
            for payload in segments(transmit) {
                inbox.datagrams.push_back((due, self.at, payload.to_vec()));
            }
            if let Some(reader) = inbox.reader.take() {
                reader.wake();
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Socket({})", self.at)
    }
}
