//! The network of a host as programs see it: streams, datagrams, a clock and an executor.
//!
//! [`Net`] is the seam between the programs of a run and its engines: the emulator implements it with the kernel's
//! sockets, the simulator with virtual ones, and no program knows which.

mod addresses;
mod bulk;
mod middlebox;
mod processor;
mod protection;
mod quic_socket;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use bentpipe_run::{Algorithm, Dscp, TcpSpec};
use bentpipe_units::{Duration, Time};
use futures_util::future::{Either, select};
use tokio::io::{AsyncRead, AsyncWrite};

pub use addresses::Addresses;
pub use bulk::{Bulk, Known};
pub use middlebox::{Intercepted, Interceptor, Middlebox};
pub use processor::{Core, Processor};
pub use protection::Protection;
pub use quic_socket::{QuicDatagram, QuicDatagrams, QuicSocket};
pub use stream::{Listener, Probe, Stream, TcpSample};

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

    /// The host's clock and executor for the QUIC library, for a socket that is not the host's.
    fn quic_runtime(&self) -> Arc<dyn noq::Runtime>;

    /// The same host's network, whose TCP connections have these settings from now on: of two legs that meet at a host,
    /// each has its own.
    #[must_use]
    fn with_tcp(&self, tcp: &TcpSpec) -> Self;

    /// The host's processor, where the run says how fast that is.
    fn processor(&self) -> Option<Processor> {
        None
    }

    /// How QUIC's packets are protected on the way, the same at all hosts of a network.
    fn quic_protection(&self) -> Protection {
        Protection::Cipher
    }

    /// Returns after `span`.
    fn sleep(&self, span: Duration) -> impl Future<Output = ()> {
        self.sleep_until(self.now().saturating_add(span))
    }
}

/// A UDP socket.
pub trait Datagrams: 'static {
    /// Sends one datagram.
    fn send_to(&self, payload: &[u8], to: SocketAddr) -> impl Future<Output = io::Result<()>>;

    /// Receives one datagram: its length and its sender.
    fn recv_from(&self, buffer: &mut [u8]) -> impl Future<Output = io::Result<(usize, SocketAddr)>>;
}

/// The result of `work`, or `None` when it takes longer than `limit`.
pub async fn within<N: Net, T>(net: &N, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), pin!(net.sleep(limit))).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}

/// Any byte stream; HTTP does not care what is below.
pub trait ByteStream: AsyncRead + AsyncWrite + Unpin {}
impl<S: AsyncRead + AsyncWrite + Unpin + ?Sized> ByteStream for S {}
