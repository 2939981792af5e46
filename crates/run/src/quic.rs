//! QUIC at both ends of a connection.

use bentpipe_units::{Bytes, Duration, Switch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// QUIC settings (RFC 9000 transport parameters and RFC 9002 recovery).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuicSpec {
    /// Initial window in bytes, comparable with TCP's in segments of its MSS; two packets where it is less (RFC 9002
    /// section 7.2).
    pub initial_window_bytes: Bytes,
    /// RTT assumed before the first sample (RFC 9002 section 6.2.2: 333 ms).
    pub initial_rtt_ns: Duration,
    /// Flow-control window of one stream.
    pub stream_receive_window_bytes: Bytes,
    /// Flow-control window of the connection.
    pub receive_window_bytes: Bytes,
    /// Unacknowledged data a sender keeps at most.
    pub send_window_bytes: Bytes,
    /// UDP payload of a full packet; fixed for the run, no discovery.
    pub udp_payload_bytes: Bytes,
    /// Requests that the peer may have open at once (initial_max_streams_bidi).
    pub max_concurrent_streams: u32,
    /// Whether a window has to be used to grow in slow start (RFC 9002 section 7.8); without it: on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwnd_validation: Option<Switch>,
    /// How often each end asks the other to acknowledge; without it nobody asks, and every second packet is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_frequency: Option<AckFrequencySpec>,
    /// Whether packets are ECN-capable (RFC 9000 section 13.4), ECT(1) with Prague and ECT(0) otherwise; without it: on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<Switch>,
}

/// What an ACK_FREQUENCY frame asks for (draft-ietf-quic-ack-frequency section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AckFrequencySpec {
    /// Ack-eliciting packets that may come without an acknowledgement: with one more there is one. 1 as without the
    /// extension (RFC 9000 section 13.2.2).
    pub ack_eliciting_threshold: u32,
    /// How long a packet may wait for its acknowledgement, at least 1 ms. No longer than the longer of a round trip and
    /// 25 ms is asked for.
    pub requested_max_ack_delay_ns: Duration,
    /// By how many packets one may be late before it is acknowledged at once: 0 never, 1 as without the extension
    /// (RFC 9000 section 13.2.1).
    pub reordering_threshold: u32,
}
