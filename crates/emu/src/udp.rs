//! UDP of the kernel as datagrams.

use std::io;
use std::net::SocketAddr;

use bentpipe_net::Datagrams;
use bentpipe_run::Dscp;
use nix::sys::socket::{setsockopt, sockopt};
use socket2::SockRef;
use tokio::net::UdpSocket;

use crate::marking::mark;

/// Buffer of a UDP socket in each direction. Less than a burst is lost in the host, like on no link: at 500 Mbit/s a
/// process that another one keeps from the core for 50 ms finds 3.1 MB, here rounded up to a power of two.
pub const UDP_BUFFER_BYTES: usize = 4 << 20;

/// A kernel UDP socket.
#[derive(Debug)]
pub struct KernelDatagrams(UdpSocket);

impl KernelDatagrams {
    pub(crate) fn bind(at: SocketAddr, dscp: Dscp) -> io::Result<Self> {
        let socket = std::net::UdpSocket::bind(at)?;
        enlarge_buffers(&socket)?;
        mark(SockRef::from(&socket), at, dscp)?;
        socket.set_nonblocking(true)?;
        UdpSocket::from_std(socket).map(Self)
    }
}

impl Datagrams for KernelDatagrams {
    async fn send_to(&self, payload: &[u8], to: SocketAddr) -> io::Result<()> {
        self.0.send_to(payload, to).await.map(|_| ())
    }

    async fn recv_from(&self, buffer: &mut [u8]) -> io::Result<(usize, SocketAddr)> {
        self.0.recv_from(buffer).await
    }
}

/// Root may exceed the system's limit; anybody else gets as much as that allows.
pub(crate) fn enlarge_buffers(socket: &std::net::UdpSocket) -> io::Result<()> {
    let forced = setsockopt(socket, sockopt::RcvBufForce, &UDP_BUFFER_BYTES)
        .and_then(|()| setsockopt(socket, sockopt::SndBufForce, &UDP_BUFFER_BYTES));
    if forced.is_err() {
        let socket = SockRef::from(socket);
        socket.set_recv_buffer_size(UDP_BUFFER_BYTES)?;
        socket.set_send_buffer_size(UDP_BUFFER_BYTES)?;
    }
    Ok(())
}
