//! What a program asks of the world.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use bentpipe_run::CongestionControl;
use bentpipe_units::{Bytes, Duration, Rate, Time};
use futures_util::future::{Either, select};
use tokio::io::{AsyncRead, AsyncWrite};

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

    /// Opens a TCP connection whose sender uses `cc`.
    fn connect(
        &self,
        to: SocketAddr,
        cc: CongestionControl,
    ) -> impl Future<Output = io::Result<Self::Stream>>;

    /// Listens for TCP connections, whose senders will use `cc`.
    ///
    /// # Errors
    /// When the address is taken or the congestion control is not to be had.
    fn listen(&self, at: SocketAddr, cc: CongestionControl) -> io::Result<Self::Listener>;

    /// Opens a UDP socket.
    ///
    /// # Errors
    /// When the address is taken.
    fn datagrams(&self, at: SocketAddr) -> io::Result<Self::Datagrams>;

    /// Opens a UDP socket for the QUIC library, and hands it the host's clock and executor.
    ///
    /// # Errors
    /// When the address is taken.
    fn quic_socket(
        &self,
        at: SocketAddr,
    ) -> io::Result<(Box<dyn noq::AsyncUdpSocket>, Arc<dyn noq::Runtime>)>;

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

/// A listening TCP socket.
pub trait Listener: 'static {
    /// What it accepts.
    type Stream: Stream;

    /// The next connection and the address of its peer.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>>;
}

/// A TCP connection.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + 'static {
    /// A window on the connection's state that does not keep it alive.
    type Probe: Probe;

    /// The local port.
    ///
    /// # Errors
    /// When the socket has failed.
    fn local_port(&self) -> io::Result<u16>;

    /// Opens a window on the connection's state.
    fn probe(&self) -> Self::Probe;
}

/// A window on a TCP connection's state.
pub trait Probe: 'static {
    /// The state now, or the last one known once the connection is closed.
    fn sample(&self) -> Option<TcpSample>;
}

/// A TCP sender's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TcpSample {
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
    /// Segments sent again since the connection began.
    pub retransmitted_packets: u64,
}

/// A UDP socket.
pub trait Datagrams: 'static {
    /// Sends one datagram.
    fn send_to(&self, payload: &[u8], to: SocketAddr) -> impl Future<Output = io::Result<()>>;

    /// Receives one datagram: its length and its sender.
    fn recv_from(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<(usize, SocketAddr)>>;
}
