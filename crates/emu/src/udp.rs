//! UDP of the kernel as datagrams.

use std::io;
use std::net::SocketAddr;

use bentpipe_net::Datagrams;
use bentpipe_run::Dscp;
use socket2::SockRef;
use tokio::net::UdpSocket;

use crate::marking::mark;
use crate::net::enlarge_buffers;

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
