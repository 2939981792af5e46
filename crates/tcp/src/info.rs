//! A look at a connection (`TCP_INFO`).

use bentpipe_units::{Bytes, Duration, Rate};

/// A sender's and receiver's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// Congestion control in use; none before the handshake is complete.
    pub congestion_control: Option<&'static str>,
    /// Congestion window: whole segments times MSS.
    pub cwnd: Bytes,
    /// Slow-start threshold; none while it is infinite.
    pub ssthresh: Option<Bytes>,
    /// Sent and neither acknowledged nor known to be lost: segments times MSS.
    pub in_flight: Bytes,
    /// Payload of a full segment.
    pub mss: Bytes,
    /// Smoothed round-trip time.
    pub srtt: Option<Duration>,
    /// Smallest round-trip time of the last five minutes.
    pub min_rtt: Option<Duration>,
    /// Retransmission timeout.
    pub rto: Duration,
    /// Latest delivery-rate sample that the application did not limit.
    pub delivery_rate: Option<Rate>,
    /// Segments retransmitted since the connection started, SYNs included.
    pub retransmitted_segments: u64,
    /// The window that the peer announced.
    pub send_window: Bytes,
    /// The window that we announced.
    pub receive_window: Bytes,
    /// Memory of the receive buffer (`SO_RCVBUF`).
    pub receive_buffer: Bytes,
}
