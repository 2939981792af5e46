//! Connections of others: `IP_TRANSPARENT` sockets, to which the namespace's rules hand packets that would pass
//! (`tproxy.rst`, Linux kernel documentation).

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use bentpipe_run::{CongestionControl, Dscp};
use bentpipe_web::net::{Intercepted, Interceptor, Middlebox};
use socket2::SockRef;
use tokio::net::TcpListener;

use crate::KernelNet;
use crate::net::{BACKLOG, tcp_socket};
use crate::tcp::KernelStream;

/// The port that the namespace's rules name for connections to any address and port.
pub const INTERCEPTION_PORT: u16 = 3129;

/// A listening kernel socket that accepts in the name of others.
#[derive(Debug)]
pub struct KernelInterceptor(TcpListener);

impl Middlebox for KernelNet {
    type Interceptor = KernelInterceptor;

    fn intercept(&self, cc: CongestionControl) -> io::Result<KernelInterceptor> {
        let at = SocketAddr::from((Ipv4Addr::UNSPECIFIED, INTERCEPTION_PORT));
        // Accepted sockets get the mark of their SYN (tcp_reflect_tos).
        let socket = tcp_socket(at, cc, Dscp::DEFAULT)?;
        SockRef::from(&socket).set_ip_transparent_v4(true)?;
        socket.set_reuseaddr(true)?;
        socket.bind(at)?;
        Ok(KernelInterceptor(socket.listen(BACKLOG)?))
    }

    async fn connect_from(
        &self,
        from: SocketAddr,
        to: SocketAddr,
        cc: CongestionControl,
        dscp: Dscp,
    ) -> io::Result<KernelStream> {
        let socket = tcp_socket(to, cc, dscp)?;
        SockRef::from(&socket).set_ip_transparent_v4(true)?;
        // A client may have several connections from one port, to several servers.
        socket.set_reuseaddr(true)?;
        socket.bind(from)?;
        KernelStream::new(socket.connect(to).await?)
    }
}

impl Interceptor for KernelInterceptor {
    type Stream = KernelStream;

    async fn accept(&mut self) -> io::Result<Intercepted<KernelStream>> {
        let (socket, source) = self.0.accept().await?;
        socket.set_nodelay(true)?;
        // It is bound to the address and port that the client has asked for.
        let destination = socket.local_addr()?;
        let traffic_class = SockRef::from(&socket).tos_v4()?;
        let dscp = Dscp::of_traffic_class(traffic_class as u8);
        Ok(Intercepted { stream: KernelStream::new(socket)?, source, destination, dscp })
    }
}
