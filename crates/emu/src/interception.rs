//! Connections of others: `IP_TRANSPARENT` sockets, to which the namespace's rules hand packets that would pass
//! (`tproxy.rst`, Linux kernel documentation).

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use bentpipe_net::{Intercepted, Interceptor, Middlebox};
use bentpipe_run::{Algorithm, Dscp, Switch};
use socket2::SockRef;
use tokio::net::TcpListener;

use crate::net::BACKLOG;
use crate::tcp::{KernelStream, Opening};
use crate::{KernelNet, clock, fast_open};

/// The port that the namespace's rules name for connections to any address and port.
pub const INTERCEPTION_PORT: u16 = 3129;

/// A listening kernel socket that accepts in the name of others.
#[derive(Debug)]
pub struct KernelInterceptor {
    socket: TcpListener,
    nagle: Switch,
}

impl Middlebox for KernelNet {
    type Interceptor = KernelInterceptor;

    fn intercept(&self, cc: Algorithm) -> io::Result<KernelInterceptor> {
        let at = SocketAddr::from((Ipv4Addr::UNSPECIFIED, INTERCEPTION_PORT));
        // Accepted sockets get the mark of their SYN (tcp_reflect_tos).
        let socket = self.tcp_socket(at, cc, Dscp::DEFAULT)?;
        SockRef::from(&socket).set_ip_transparent_v4(true)?;
        socket.set_reuseaddr(true)?;
        socket.bind(at)?;
        if self.fast_open.is_on() {
            fast_open::accept(&socket, BACKLOG)?;
        }
        Ok(KernelInterceptor { socket: socket.listen(BACKLOG)?, nagle: self.nagle })
    }

    async fn connect_from(
        &self,
        from: SocketAddr,
        to: SocketAddr,
        cc: Algorithm,
        dscp: Dscp,
    ) -> io::Result<KernelStream> {
        let socket = self.tcp_socket(to, cc, dscp)?;
        SockRef::from(&socket).set_ip_transparent_v4(true)?;
        // A client may have several connections from one port, to several servers.
        socket.set_reuseaddr(true)?;
        socket.bind(from)?;
        if self.fast_open.is_on() {
            fast_open::defer_connect(&socket)?;
        }
        KernelStream::connected(socket.connect(to).await?)
    }
}

impl Interceptor for KernelInterceptor {
    type Stream = KernelStream;

    async fn accept(&mut self) -> io::Result<Intercepted<KernelStream>> {
        let (socket, source) = self.socket.accept().await?;
        socket.set_nodelay(!self.nagle.is_on())?;
        // It is bound to the address and port that the client has asked for.
        let destination = socket.local_addr()?;
        let traffic_class = SockRef::from(&socket).tos_v4()?;
        let dscp = Dscp::of_traffic_class(traffic_class as u8);
        Ok(Intercepted {
            stream: KernelStream::new(socket, Opening::Open(clock::now())),
            source,
            destination,
            dscp,
        })
    }
}
