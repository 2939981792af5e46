//! Sockets of hosts that are no kernel's, as the QUIC library wants a UDP socket.

use std::fmt::Debug;
use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use noq::udp::{EcnCodepoint, RecvMeta, Transmit};
use noq::{AsyncUdpSocket, UdpSender};

/// A UDP socket that takes and gives one datagram at a time, without the kernel's offloads, and has always room for one
/// to send.
pub trait QuicDatagrams: Clone + Debug + Send + Sync + 'static {
    /// Its address.
    fn local(&self) -> SocketAddr;

    /// Receives a datagram into `buffer`.
    fn poll_datagram(&self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<QuicDatagram>;

    /// Sends a datagram.
    ///
    /// # Errors
    /// When the host cannot have a peer at `to`.
    fn send_datagram(&self, payload: &[u8], to: SocketAddr, ecn: Option<EcnCodepoint>) -> io::Result<()>;
}

/// A datagram that was received.
#[derive(Clone, Copy, Debug)]
pub struct QuicDatagram {
    /// Its bytes in the buffer.
    pub length: usize,
    /// Who sent it.
    pub from: SocketAddr,
    /// Its mark (RFC 3168).
    pub ecn: Option<EcnCodepoint>,
}

/// Such a socket in the library's hands.
#[derive(Clone, Debug)]
pub struct QuicSocket<S>(pub S);

impl<S: QuicDatagrams> AsyncUdpSocket for QuicSocket<S> {
    fn create_sender(&self) -> Pin<Box<dyn UdpSender>> {
        Box::pin(self.clone())
    }

    fn poll_recv(
        &mut self,
        cx: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let QuicDatagram { length, from, ecn } = ready!(self.0.poll_datagram(cx, &mut buffers[0]));
        meta[0].addr = from;
        meta[0].len = length;
        meta[0].stride = length;
        meta[0].ecn = ecn;
        meta[0].dst_ip = Some(self.0.local().ip());
        Poll::Ready(Ok(1))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.local())
    }

    fn may_fragment(&self) -> bool {
        false
    }
}

impl<S: QuicDatagrams> UdpSender for QuicSocket<S> {
    fn poll_send(self: Pin<&mut Self>, transmit: &Transmit<'_>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let segment = transmit.segment_size.unwrap_or(transmit.contents.len()).max(1);
        for payload in transmit.contents.chunks(segment) {
            self.0.send_datagram(payload, transmit.destination, transmit.ecn)?;
        }
        Poll::Ready(Ok(()))
    }
}
