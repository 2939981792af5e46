//! A look at a connection (`TCP_INFO`).

use bentpipe_cc::Demand;
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
    /// Variance of the round-trip time (RFC 6298: RTTVAR).
    pub rtt_variance: Option<Duration>,
    /// Segments that are out, lost ones included (`packets_out`).
    pub unacknowledged_segments: u64,
    /// Those that selective acknowledgements have told of (`sacked_out`).
    pub sacked_segments: u64,
    /// Those that are deemed lost (`lost_out`).
    pub lost_segments: u64,
    /// Those that were retransmitted and are not acknowledged (`retrans_out`).
    pub retransmitted_in_flight: u64,
    /// Degree of reordering that is taken for none of a loss (`tp->reordering`).
    pub reordering: u64,
    /// Where loss recovery stands.
    pub recovery: LossRecovery,
    /// Latest delivery-rate sample, of those that the application limited only a higher one (`tcp_rate_gen`).
    pub delivery_rate: Option<Rate>,
    /// Whether the application limited that one, or there is none (`rate_app_limited`).
    pub delivery_demand: Demand,
    /// Segments retransmitted since the connection started, SYNs included.
    pub retransmitted_segments: u64,
    /// The window that the peer announced.
    pub send_window: Bytes,
    /// The window that we announced.
    pub receive_window: Bytes,
    /// Memory of the receive buffer (`SO_RCVBUF`).
    pub receive_buffer: Bytes,
}

/// Where loss recovery stands (`icsk_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossRecovery {
    /// Nothing is suspicious.
    Open,
    /// Something was acknowledged out of order.
    Disorder,
    /// Lost segments are repaired by fast retransmission.
    Recovery,
    /// Lost segments are repaired after a timeout.
    Loss,
}
