//! The network of a host one of whose UDP sockets is at a proxy.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bentpipe_net::{Net, Processor, Protection};
use bentpipe_run::{Algorithm, Dscp, TcpSpec};
use bentpipe_units::Time;

use super::socket::TunnelSocket;

/// The network of a host whose QUIC goes through a proxy.
#[derive(Clone)]
pub(crate) struct ThroughProxy<N> {
    pub(super) net: N,
    pub(super) socket: TunnelSocket,
}

impl<N: Net> Net for ThroughProxy<N> {
    type Stream = N::Stream;
    type Listener = N::Listener;
    type Datagrams = N::Datagrams;

    fn now(&self) -> Time {
        self.net.now()
    }

    fn sleep_until(&self, at: Time) -> impl Future<Output = ()> {
        self.net.sleep_until(at)
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.net.spawn(task);
    }

    fn connect(
        &self,
        to: SocketAddr,
        cc: Algorithm,
        dscp: Dscp,
    ) -> impl Future<Output = io::Result<N::Stream>> {
        self.net.connect(to, cc, dscp)
    }

    fn listen(&self, at: SocketAddr, cc: Algorithm, dscp: Dscp) -> io::Result<N::Listener> {
        self.net.listen(at, cc, dscp)
    }

    fn datagrams(&self, at: SocketAddr, dscp: Dscp) -> io::Result<N::Datagrams> {
        self.net.datagrams(at, dscp)
    }

    /// The one at the proxy; its packets have the mark of the outer connection.
    fn quic_socket(
        &self,
        _: SocketAddr,
        _: Dscp,
    ) -> io::Result<(Box<dyn noq::AsyncUdpSocket>, Arc<dyn noq::Runtime>)> {
        Ok((Box::new(self.socket.clone()), self.net.quic_runtime()))
    }

    fn quic_runtime(&self) -> Arc<dyn noq::Runtime> {
        self.net.quic_runtime()
    }

    fn with_tcp(&self, tcp: &TcpSpec) -> Self {
        Self { net: self.net.with_tcp(tcp), socket: self.socket.clone() }
    }

    fn processor(&self) -> Option<Processor> {
        self.net.processor()
    }

    fn quic_protection(&self) -> Protection {
        self.net.quic_protection()
    }
}
