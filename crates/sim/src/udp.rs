use std::collections::VecDeque;
use std::net::{SocketAddr, SocketAddrV4};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bentpipe_run::Dscp;

use crate::packet::{Datagram, WirePacket};
use crate::world::{End, Outbox};

/// Datagrams that have come to a port.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    datagrams: VecDeque<Datagram>,
    reader: Option<Waker>,
}

/// A UDP socket of a simulated host.
#[derive(Clone, Debug)]
pub(crate) struct UdpSocket {
    pub(crate) end: End,
    pub(crate) at: SocketAddrV4,
    /// What it marks its datagrams with.
    pub(crate) dscp: Dscp,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) outbox: Arc<Outbox>,
}

/// What one receive call yields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    pub(crate) length: usize,
    pub(crate) from: SocketAddr,
    pub(crate) ecn: u8,
}

impl Inbox {
    pub(crate) fn push(&self, datagram: Datagram) {
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

impl UdpSocket {
    pub(crate) fn local(&self) -> SocketAddr {
        SocketAddr::V4(self.at)
    }

    /// Sends a datagram.
    pub(crate) fn send(&self, contents: &[u8], to: SocketAddrV4, ecn: u8) {
        let mut payload = self.outbox.buffer();
        payload.extend_from_slice(contents);
        let datagram = Datagram { from: self.at, to, dscp: self.dscp, ecn, payload };
        self.outbox.push(self.end, WirePacket::Udp(datagram));
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
