use std::io;
use std::net::SocketAddr;

use bentpipe_web::net::Datagrams;
use tokio::net::UdpSocket;

/// A kernel UDP socket.
#[derive(Debug)]
pub struct KernelDatagrams(UdpSocket);

impl KernelDatagrams {
    pub(crate) fn bind(at: SocketAddr) -> io::Result<Self> {
        let socket = std::net::UdpSocket::bind(at)?;
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
