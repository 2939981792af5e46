//! Code points on datagrams of QUIC (RFC 2474), past the QUIC library, which would leave them zero.

use std::fmt;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::os::fd::AsRawFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bentpipe_run::Dscp;
use nix::sys::socket::{ControlMessage, MsgFlags, SockaddrStorage, sendmsg};
use noq::udp::{RecvMeta, Transmit, UdpSocketState};
use noq::{AsyncUdpSocket, UdpSender};
use tokio::io::Interest;
use tokio::net::UdpSocket;

/// A UDP socket for the QUIC library that marks what it sends.
///
/// The library's own tells the kernel the traffic class of each datagram, whose upper six bits it leaves zero, and the
/// socket's mark does not count then.
#[derive(Debug)]
pub(crate) struct MarkedSocket {
    socket: Arc<UdpSocket>,
    state: UdpSocketState,
    dscp: Dscp,
}

/// One of several tasks that send.
struct MarkedSender {
    socket: Arc<UdpSocket>,
    dscp: Dscp,
    /// While there is no room in the socket's buffer.
    writable: Option<Pin<Box<Writable>>>,
}

type Writable = dyn Future<Output = io::Result<()>> + Send + Sync;

impl MarkedSocket {
    pub(crate) fn new(socket: std::net::UdpSocket, dscp: Dscp) -> io::Result<Self> {
        let state = UdpSocketState::new((&socket).into())?;
        Ok(Self { socket: Arc::new(UdpSocket::from_std(socket)?), state, dscp })
    }
}

impl AsyncUdpSocket for MarkedSocket {
    fn create_sender(&self) -> Pin<Box<dyn UdpSender>> {
        Box::pin(MarkedSender { socket: Arc::clone(&self.socket), dscp: self.dscp, writable: None })
    }

    fn poll_recv(
        &mut self,
        cx: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let socket = &self.socket;
        loop {
            ready!(socket.poll_recv_ready(cx))?;
            let received =
                socket.try_io(Interest::READABLE, || self.state.recv(socket.into(), buffers, meta));
            match received {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return Poll::Ready(result),
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    fn max_receive_segments(&self) -> NonZeroUsize {
        self.state.gro_segments()
    }

    fn may_fragment(&self) -> bool {
        self.state.may_fragment()
    }
}

impl UdpSender for MarkedSender {
    fn poll_send(
        mut self: Pin<&mut Self>,
        transmit: &Transmit<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if let Some(writable) = &mut self.writable {
                ready!(writable.as_mut().poll(cx))?;
                self.writable = None;
            }
            match self.try_send(transmit) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let socket = Arc::clone(&self.socket);
                    self.writable = Some(Box::pin(async move { socket.writable().await }));
                }
                // What the kernel does not take is a lost datagram.
                Ok(()) | Err(_) => return Poll::Ready(Ok(())),
            }
        }
    }
}

impl MarkedSender {
    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        let class = self.dscp.traffic_class() | transmit.ecn.map_or(0, |codepoint| codepoint as u8);
        let class_v6 = i32::from(class);
        let message = match transmit.destination {
            SocketAddr::V4(_) => ControlMessage::Ipv4Tos(&class),
            SocketAddr::V6(_) => ControlMessage::Ipv6TClass(&class_v6),
        };
        let to = SockaddrStorage::from(transmit.destination);
        // One packet a datagram (no segmentation offload), from a socket that is bound to one address.
        let contents = [IoSlice::new(transmit.contents)];
        self.socket.try_io(Interest::WRITABLE, || {
            sendmsg(self.socket.as_raw_fd(), &contents, &[message], MsgFlags::empty(), Some(&to))?;
            Ok(())
        })
    }
}

impl fmt::Debug for MarkedSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MarkedSender")
    }
}
