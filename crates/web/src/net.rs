//! What a program asks of the world.

#[cfg(test)]
pub(crate) mod memory;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bentpipe_run::{Algorithm, Dscp, TcpSpec};
use bentpipe_units::{Bytes, Duration, Rate, Time};
use futures_util::future::{Either, select};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// One host's network, clock and executor.
///
/// Everything runs on one thread: tasks need not be `Send`, and there is no parallelism to order.
pub trait Net: Clone + 'static {
    /// A TCP connection.
    type Stream: Stream;
    /// A listening TCP socket.
    type Listener: Listener<Stream = Self::Stream>;
    /// A UDP socket.
    type Datagrams: Datagrams;

    /// The time on the run's clock.
    fn now(&self) -> Time;

    /// Returns at `at`, or at once when that has passed.
    fn sleep_until(&self, at: Time) -> impl Future<Output = ()>;

    /// Runs `task` beside the caller.
    fn spawn(&self, task: impl Future<Output = ()> + 'static);

    /// Opens a TCP connection whose sender uses `cc`, and marks its packets with `dscp`.
    ///
    /// Where Fast Open is in use and a cookie at hand, this returns at once, and what is written first travels with the
    /// SYN (RFC 7413); [`TcpSample::connected`] tells when the server answered.
    fn connect(
        &self,
        to: SocketAddr,
        cc: Algorithm,
        dscp: Dscp,
    ) -> impl Future<Output = io::Result<Self::Stream>>;

    /// Listens for TCP connections, whose senders will use `cc` and mark their packets with `dscp`.
    ///
    /// # Errors
    /// When the address is taken or the congestion control is not to be had.
    fn listen(&self, at: SocketAddr, cc: Algorithm, dscp: Dscp) -> io::Result<Self::Listener>;

    /// Opens a UDP socket that marks what it sends with `dscp`.
    ///
    /// # Errors
    /// When the address is taken.
    fn datagrams(&self, at: SocketAddr, dscp: Dscp) -> io::Result<Self::Datagrams>;

    /// Opens a UDP socket for the QUIC library that marks what it sends with `dscp`, and hands it the host's clock and
    /// executor.
    ///
    /// # Errors
    /// When the address is taken.
    fn quic_socket(
        &self,
        at: SocketAddr,
        dscp: Dscp,
    ) -> io::Result<(Box<dyn noq::AsyncUdpSocket>, Arc<dyn noq::Runtime>)>;

    /// The same host's network, whose TCP connections have these settings from now on: of two legs that meet at a host,
    /// each has its own.
    #[must_use]
    fn with_tcp(&self, tcp: &TcpSpec) -> Self;

    /// Returns after `span`.
    fn sleep(&self, span: Duration) -> impl Future<Output = ()> {
        self.sleep_until(self.now().saturating_add(span))
    }
}

/// The result of `work`, or `None` when it takes longer than `limit`.
pub(crate) async fn within<N: Net, T>(net: &N, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), pin!(net.sleep(limit))).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}

/// Any byte stream; HTTP does not care what is below.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Unpin {}
impl<S: AsyncRead + AsyncWrite + Unpin + ?Sized> ByteStream for S {}

/// A listening TCP socket.
pub trait Listener: 'static {
    /// What it accepts.
    type Stream: Stream;

    /// The next connection and the address of its peer.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>>;
}

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

/// A stream that may carry content which its receiver knows beforehand.
///
/// A real network carries the octets. A simulated one may carry their number alone, which saves making, moving
/// and comparing them; for the packets it is the same.
pub trait Bulk: AsyncRead + AsyncWrite + Unpin {
    /// As [`poll_write`](AsyncWrite::poll_write), of octets that are received by
    /// [`poll_receive_known`](Self::poll_receive_known).
    fn poll_send_known(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        content: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write(cx, content)
    }

    /// Receives the next octets of those sent by [`poll_send_known`](Self::poll_send_known), as many as `buffer`
    /// holds at most; none at the end of the stream.
    fn poll_receive_known(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<Known>> {
        let mut buffer = ReadBuf::new(buffer);
        ready!(self.poll_read(cx, &mut buffer))?;
        Poll::Ready(Ok(Known::Octets(buffer.filled().len())))
    }
}

/// How known content was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// So many octets stand at the buffer's beginning, for the receiver to verify.
    Octets(usize),
    /// So many octets followed in order and without a gap; the network left their content out.
    Length(usize),
}

/// A QUIC stream.
impl Bulk for tokio::io::Join<noq::RecvStream, noq::SendStream> {}

/// A TCP connection.
pub trait Stream: Bulk + 'static {
    /// A window on the connection's state that does not keep it alive.
    type Probe: Probe;

    /// The local port.
    ///
    /// # Errors
    /// When the socket has failed.
    fn local_port(&self) -> io::Result<u16>;

    /// Opens a window on the connection's state.
    fn probe(&self) -> Self::Probe;

    /// Ends the connection at once; the peer is told by a reset (RFC 9293 section 3.5.2), and what it has not got yet is
    /// lost.
    fn reset(self)
    where
        Self: Sized,
    {
        self.probe().reset();
    }
}

/// A window on a TCP connection's state, and a hold on it, whatever runs on top.
pub trait Probe: 'static {
    /// The state now, or the last one known once the connection is closed.
    fn sample(&self) -> Option<TcpSample>;

    /// Ends the connection at once with a reset (RFC 9293 section 3.10.5); whoever uses it meets an error. Does nothing
    /// where it is closed.
    fn reset(&self);
}

/// A TCP sender's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TcpSample {
    /// When the handshake was complete: at a client, when the SYN-ACK came; at a server that Fast Open spares the wait,
    /// when the SYN did. None before, and of QUIC.
    pub connected: Option<Time>,
    /// Congestion control in use, read back.
    pub congestion_control: String,
    /// Congestion window.
    pub cwnd: Bytes,
    /// Sent and neither acknowledged nor known to be lost.
    pub in_flight: Bytes,
    /// Smoothed round-trip time; none before the first sample.
    pub srtt: Option<Duration>,
    /// Smallest round-trip time of the window that the stack keeps.
    pub min_rtt: Option<Duration>,
    /// Latest delivery-rate sample.
    pub delivery_rate: Option<Rate>,
    /// Segments retransmitted since the connection began.
    pub retransmitted_packets: u64,
}

/// A UDP socket.
pub trait Datagrams: 'static {
    /// Sends one datagram.
    fn send_to(&self, payload: &[u8], to: SocketAddr) -> impl Future<Output = io::Result<()>>;

    /// Receives one datagram: its length and its sender.
    fn recv_from(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<(usize, SocketAddr)>>;
}
