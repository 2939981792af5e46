//! A UDP socket at a proxy, as the QUIC library of its client has it.

use std::fmt;
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bentpipe_http::masque::HttpDatagram;
use bytes::Bytes;
use noq::udp::{RecvMeta, Transmit};
use noq::{AsyncUdpSocket, SendDatagramError, UdpSender};
use tokio::sync::oneshot;

use super::inbox::Inbox;

/// A UDP socket at a proxy, whose packets are datagrams of the outer connection.
///
/// It takes packets as long as that connection's queue has room, and has the sender wait then, as a kernel's socket does:
/// nothing is dropped here. It marks no packet as ECN-capable, for a proxy has no way to pass marks on (RFC 9298
/// section 6.2).
#[derive(Clone, Debug)]
pub(super) struct TunnelSocket(pub(super) Arc<UdpTunnel>);

/// What its ends share.
#[derive(Debug)]
pub(super) struct UdpTunnel {
    pub(super) outer: noq::Connection,
    pub(super) quarter_stream_id: u64,
    pub(super) inbox: Arc<Inbox>,
    /// The proxy's address and port towards the target.
    pub(super) local: SocketAddr,
    pub(super) target: SocketAddr,
    /// Gone when the last socket is.
    pub(super) _closed: oneshot::Sender<()>,
}

/// What waits for room.
type Waiting = Pin<Box<dyn Future<Output = Result<(), SendDatagramError>> + Send + Sync>>;

struct Sender {
    tunnel: Arc<UdpTunnel>,
    waiting: Option<Waiting>,
}

impl AsyncUdpSocket for TunnelSocket {
    fn create_sender(&self) -> Pin<Box<dyn UdpSender>> {
        Box::pin(Sender { tunnel: Arc::clone(&self.0), waiting: None })
    }

    fn poll_recv(
        &mut self,
        cx: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        loop {
            let packet = ready!(self.0.inbox.poll(cx))?;
            // One that is longer than the library has room for is none of its own.
            let Some(buffer) = buffers[0].get_mut(..packet.len()) else { continue };
            buffer.copy_from_slice(&packet);
            meta[0].addr = self.0.target;
            meta[0].len = packet.len();
            meta[0].stride = packet.len();
            meta[0].ecn = None;
            meta[0].dst_ip = Some(self.0.local.ip());
            return Poll::Ready(Ok(1));
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.local)
    }

    fn may_fragment(&self) -> bool {
        false
    }
}

impl UdpSender for Sender {
    /// The library comes back with the same packet when there was no room for it.
    fn poll_send(
        mut self: Pin<&mut Self>,
        transmit: &Transmit<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let waiting = this.waiting.get_or_insert_with(|| {
            let (outer, id) = (this.tunnel.outer.clone(), this.tunnel.quarter_stream_id);
            // One packet at a time: that is what max_transmit_segments says.
            let frame: Bytes = HttpDatagram::of_udp(id, transmit.contents);
            Box::pin(async move { outer.send_datagram_wait(frame).await })
        });
        // Where the outer connection is lost the reader is told; a packet too long is lost as on any path.
        let _ = ready!(waiting.as_mut().poll(cx));
        this.waiting = None;
        Poll::Ready(Ok(()))
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").field("tunnel", &self.tunnel).finish_non_exhaustive()
    }
}
