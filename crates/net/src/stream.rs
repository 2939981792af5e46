//! TCP: listeners, connections and their state.

use std::future::Future;
use std::io;
use std::net::SocketAddr;

use bentpipe_run::Transition;
use bentpipe_units::{Bytes, Duration, Rate, Time};

use crate::Bulk;

/// A listening TCP socket.
pub trait Listener: 'static {
    /// What it accepts.
    type Stream: Stream;

    /// The next connection and the address of its peer.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>>;
}

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

    /// Whether the state may still change; what is known of a connection that is closed is final.
    fn is_open(&self) -> bool;

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
    /// Segments retransmitted since the connection started.
    pub retransmitted_packets: u64,
    /// How long the peer's window was all that held data (`tcpi_rwnd_limited`); none of QUIC.
    pub rwnd_limited: Option<Duration>,
    /// How long a full send buffer had nothing left to send, with room in the congestion window
    /// (`tcpi_sndbuf_limited`); none of QUIC.
    pub sndbuf_limited: Option<Duration>,
    /// The phases of Careful Resume so far: of TCP on the clock of the network, of QUIC from the start of the connection.
    pub resumption: Vec<Transition>,
}
