//! Hosts on the path between others.

use std::future::Future;
use std::io;
use std::net::SocketAddr;

use bentpipe_run::{Algorithm, Dscp};

use crate::{Net, Stream};

/// The network of a host on the path between others, which may take part in their connections (RFC 3234).
pub trait Middlebox: Net {
    /// What hands over the connections of others.
    type Interceptor: Interceptor<Stream = Self::Stream>;

    /// Accepts, in the place of the hosts they are meant for, the TCP connections that come from the client's side and
    /// would pass through this host. Its senders use `cc`, and mark their packets as the connection's first one is.
    ///
    /// # Errors
    /// When the host may not do so, or the congestion control is not to be had.
    fn intercept(&self, cc: Algorithm) -> io::Result<Self::Interceptor>;

    /// Opens a TCP connection in the name of another host, which has its address and port `from` and no other for
    /// whoever sees its packets.
    fn connect_from(
        &self,
        from: SocketAddr,
        to: SocketAddr,
        cc: Algorithm,
        dscp: Dscp,
    ) -> impl Future<Output = io::Result<Self::Stream>>;
}

/// Where the connections of others arrive.
pub trait Interceptor: 'static {
    /// What it accepts.
    type Stream: Stream;

    /// The next connection.
    fn accept(&mut self) -> impl Future<Output = io::Result<Intercepted<Self::Stream>>>;
}

/// A TCP connection between two others, one of whose ends is now here.
#[derive(Debug)]
pub struct Intercepted<S> {
    /// The connection with the host that has opened it.
    pub stream: S,
    /// Address and port of that host.
    pub source: SocketAddr,
    /// Address and port that it believes to have reached.
    pub destination: SocketAddr,
    /// What it has marked its first packet with.
    pub dscp: Dscp,
}
