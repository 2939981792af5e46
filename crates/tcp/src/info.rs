//! A look at a connection (`TCP_INFO`).

use bentpipe_cc::Demand;
use bentpipe_units::{Bytes, Duration, Rate, Time};

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
    /// How often packets overtook each other (`reord_seen`).
    pub reorderings: u64,
    /// Where loss recovery stands.
    pub recovery: LossRecovery,
    /// Latest delivery-rate sample, of those that the application limited only a higher one (`tcp_rate_gen`).
    pub delivery_rate: Option<Rate>,
    /// Whether the application limited that one, or there is none (`rate_app_limited`).
    pub delivery_demand: Demand,
    /// Segments delivered since the connection started, our SYN included (`tp->delivered`).
    pub delivered_segments: u64,
    /// Segments retransmitted since the connection started, SYNs included.
    pub retransmitted_segments: u64,
    /// Segments refused since the connection started, as they ended beyond our window (`LINUX_MIB_BEYOND_WINDOW`).
    pub refused_beyond_window: u64,
    /// The window that the peer announced.
    pub send_window: Bytes,
    /// The window that we announced.
    pub receive_window: Bytes,
    /// Memory of the receive buffer (`SO_RCVBUF`).
    pub receive_buffer: Bytes,
    /// What of it is taken (`sk_rmem_alloc`).
    pub receive_memory: Bytes,
    /// Memory of the send buffer (`SO_SNDBUF`).
    pub send_buffer: Bytes,
    /// What the SYNs agreed on.
    pub agreement: Agreement,
    /// The segment size that this end announces (`advmss`).
    pub announced_mss: Bytes,
    /// The peer's full segment as its data tell (`rcv_mss`).
    pub peer_mss: Bytes,
    /// When data came last, or the connection opened (`lrcvtime`).
    pub data_at: Option<Time>,
    /// Bytes in order that have come.
    pub received: Bytes,
    /// Timeouts, or probes of a closed window, in a row by which the timer has grown (`icsk_backoff`).
    pub backoff: u32,
    /// Probes of a closed window, or of a silent peer, that are unanswered (`icsk_probes_out`).
    pub unanswered_probes: u32,
}

/// What both ends' SYNs agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Whether segments carry timestamps.
    pub timestamps: bool,
    /// Whether acknowledgements are selective.
    pub sack: bool,
    /// By how many bits the peer's windows and ours are shifted, where both are.
    pub shifts: Option<(u8, u8)>,
    /// Whether congestion is marked (RFC 3168).
    pub ecn: bool,
    /// Whether the server took data that came with the SYN (RFC 7413).
    pub syn_data: bool,
}

/// Where loss recovery stands (`icsk_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossRecovery {
    /// Nothing is suspicious.
    Open,
    /// Something was acknowledged out of order.
    Disorder,
    /// The window is being reduced as congestion was marked (RFC 3168).
    Reduction,
    /// Lost segments are repaired by fast retransmission.
    Recovery,
    /// Lost segments are repaired after a timeout.
    Loss,
}

/// What a sender spent its time on (`tcpi_busy_time` and the like).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpent {
    /// Data waited or were out.
    pub busy: Duration,
    /// Of that: the peer's window was all that held them (`tcpi_rwnd_limited`).
    pub peer_window: Duration,
    /// Of that: all that the full send buffer held had left, with room in the congestion window
    /// (`tcpi_sndbuf_limited`).
    pub send_buffer: Duration,
}
