//! What a run leaves behind: its spec, how it ended, its figures, and where it comes from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Algorithm, BrowserRecord, BytesByLayer, ConnectionReport, Direction, Drops, Reason, RunSpec, Table,
    Transport,
};

/// The result of one run, with all that is needed to judge and repeat it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// Hash of spec and seed.
    pub run_id: String,
    /// How the run ended.
    pub status: Status,
    /// Why it failed or is invalid; empty when it succeeded.
    pub reasons: Vec<Reason>,
    /// Which engine measured it.
    pub engine: Engine,
    /// What was run.
    pub spec: RunSpec,
    /// Where, when and with what it was run.
    pub provenance: Provenance,
    /// The figures.
    pub metrics: Metrics,
    /// Every object of a page load, in order of completion.
    pub objects: Vec<ObjectTiming>,
    /// What a browser saw besides; there is none in records of the loader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<BrowserRecord>,
    /// Where the bytes of a page load went; null of other workloads and where a connection was not counted.
    #[serde(default)]
    pub bytes_by_layer: Option<BytesByLayer>,
    /// Every flow of a bulk workload, in the order of the spec. Records of earlier versions have none.
    #[serde(default)]
    pub flows: Vec<FlowRecord>,
    /// The classes of the link's queues that mark packets; none where queues only drop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queues: Vec<QueueRecord>,
    /// Every connection as the client saw it; instants in nanoseconds from the start of the workload.
    pub client_connections: Vec<ConnectionReport>,
    /// Every connection as the origin saw it; instants as above.
    pub origin_connections: Vec<ConnectionReport>,
    /// Time series by name: `link`, `sender`, `progress`, `ping`, and of a satellite link `acm`, `dama`, `classes`,
    /// `delays`. `time_s` counts from the start of the workload. A ledger keeps them in files beside the record.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub series: BTreeMap<String, Table>,
}

/// How a run ended (invariant 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The numbers may be used.
    Succeeded,
    /// There is no number: our fault or the machine's.
    Failed,
    /// Measured under conditions that make the numbers untrustworthy.
    Invalid,
}

/// Which engine made a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Real time, real kernel.
    Emulate,
    /// Virtual time.
    Simulate,
}

/// Where a record comes from (invariant 8). The host's part is filled in by the orchestrator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Provenance(pub BTreeMap<String, String>);

/// One object's timeline in seconds from the start of the workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectTiming {
    /// Absolute URL.
    pub url: String,
    /// Bytes of the body.
    pub bytes: u64,
    /// Index into the client's connections.
    pub connection: usize,
    /// When it became known.
    pub discovered_s: f64,
    /// When it was requested.
    pub request_s: f64,
    /// When its response began.
    pub first_byte_s: f64,
    /// When it was complete.
    pub last_byte_s: f64,
    /// HTTP status code.
    pub status: u16,
    /// Uncompressed header fields of the response.
    pub response_header_bytes: u64,
    /// Uncompressed header fields of the request.
    pub request_header_bytes: u64,
}

/// One bulk flow; instants in seconds from the start of the workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlowRecord {
    /// Congestion control asked for at both ends.
    pub cc: Algorithm,
    /// Transport protocol.
    pub transport: Transport,
    /// When it began to connect.
    pub start_s: f64,
    /// The client's port, by which series tell flows apart; null when it was never connected.
    pub client_port: Option<u16>,
    /// Payload received.
    pub bytes: u64,
    /// When the first byte of payload arrived; null when none did.
    pub first_byte_s: Option<f64>,
    /// When the last byte of payload arrived; null when none did.
    pub last_byte_s: Option<f64>,
    /// From `start_s` to the last byte.
    pub completion_s: Option<f64>,
    /// Payload over `completion_s`; limited by time: over its steady part, from first to last byte.
    pub goodput_bps: Option<f64>,
    /// Packets retransmitted by both ends.
    pub retransmitted_packets: u64,
    /// Mean of the sender's smoothed RTT over time.
    pub rtt_mean_s: Option<f64>,
    /// Of the payload that all flows received while all of them ran, the fraction that was this one's; null when
    /// they never ran at the same time.
    pub share: Option<f64>,
    /// The sender's smoothed RTT over time; null where no queue of the link marks packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_under_load: Option<RttUnderLoad>,
}

/// How long round trips of a flow were while it ran.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RttUnderLoad {
    /// Smallest RTT that the sender saw.
    pub min_s: f64,
    /// Median of its smoothed RTT, looked at every 100 ms.
    pub p50_s: f64,
    /// 99th percentile of the same.
    pub p99_s: f64,
}

/// What one class of a queue of the link did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueueRecord {
    /// Which way the packets went, seen from the client.
    pub direction: Direction,
    /// `l4s` or `classic` of a dual queue, `all` of another; of satellite carriers after the name of its class of service.
    pub class: String,
    /// Packets that left the queue for the transmitter.
    pub packets: u64,
    /// Packets of them that the queue marked (RFC 3168: CE).
    pub marked_packets: u64,
    /// Packets that were dropped in place of a mark.
    pub dropped_packets: u64,
    /// Median of their wait, to the next 10 us; null where none left.
    pub wait_p50_s: Option<f64>,
    /// 99th percentile of the wait.
    pub wait_p99_s: Option<f64>,
    /// Longest wait.
    pub wait_max_s: Option<f64>,
}

/// The figures of a run. Those that a workload does not have are null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metrics {
    /// Page load time: start of the workload to the last byte of the last object.
    pub plt_s: Option<f64>,
    /// First contentful paint by the study's definition: the first embedded object is complete.
    pub fcp_s: Option<f64>,
    /// Largest contentful paint by the study's definition: the largest embedded object is complete.
    pub lcp_s: Option<f64>,
    /// Time to the first byte of the HTML document.
    pub ttfb_s: Option<f64>,
    /// TCP handshake, or QUIC's combined handshake, of the first connection.
    pub connect_s: Option<f64>,
    /// TLS handshake of the first connection; null without TLS and for QUIC. With early data the request is on its way
    /// meanwhile.
    pub tls_s: Option<f64>,
    /// Start to last byte of a bulk flow, or of the last of several.
    pub completion_s: Option<f64>,
    /// Payload over `completion_s`; flows limited by time: over their steady part, from first to last byte.
    pub goodput_bps: Option<f64>,
    /// Jain's fairness index of several flows over the time in which all of them ran: 1 when they got the same, 1/n
    /// when one got everything (Jain, Chiu, Hawe 1984).
    pub jain_index: Option<f64>,
    /// Bytes of bodies: HTML and objects, or the flows' payload.
    pub payload_bytes: Option<u64>,
    /// IP bytes that the server sent into the link.
    pub wire_bytes_down: u64,
    /// IP bytes that the client sent into the link.
    pub wire_bytes_up: u64,
    /// IP packets that the server sent into the link.
    pub wire_packets_down: u64,
    /// IP packets that the client sent into the link.
    pub wire_packets_up: u64,
    /// Wire bytes of both directions above the payload, in percent of the payload.
    pub overhead_percent: Option<f64>,
    /// Wire bytes to the client above the payload, in percent of the payload; null for flows up. They take the forward
    /// direction, unless the server is behind the terminal.
    pub overhead_forward_percent: Option<f64>,
    /// Packets retransmitted by the origin and the client, as far as they tell; null where neither does.
    pub retransmitted_packets: Option<u64>,
    /// Connections that carried the objects of a page load.
    pub connections_used: Option<u64>,
    /// The most objects that one of them had under way at a time: asked for, and not complete.
    pub streams_max: Option<u64>,
    /// Packets lost on the link.
    pub drops: Drops,
    /// IP bytes delivered in the first round trip of object (or bulk) data; null for a flow up and for several.
    pub first_flight_bytes: Option<u64>,
    /// Mean of the queue in the direction to the client, in bytes.
    pub queue_mean_bytes_down: f64,
    /// Maximum of the queue in the direction to the client, in bytes.
    pub queue_max_bytes_down: u64,
    /// Bytes delivered in the data's direction over what its nominal rate, or the rates of its schedule, would have
    /// carried during the workload.
    pub utilisation: Option<f64>,
    /// Likewise of the other direction, that of the acknowledgements, where bulk flows ask for a frequency of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_utilisation: Option<f64>,
    /// Mean round trip: of the echoes, or of the sender's smoothed RTT over time.
    pub rtt_mean_s: Option<f64>,
    /// Standard deviation of the same.
    pub rtt_sd_s: Option<f64>,
    /// Smallest round trip.
    pub rtt_min_s: Option<f64>,
    /// Largest round trip.
    pub rtt_max_s: Option<f64>,
    /// Echoes that never came, over requests.
    pub ping_loss_fraction: Option<f64>,
    /// Median release lateness; null in simulate.
    pub lateness_p50_s: Option<f64>,
    /// 99th percentile of release lateness; null in simulate.
    pub lateness_p99_s: Option<f64>,
    /// 99.9th percentile of release lateness; null in simulate.
    pub lateness_p999_s: Option<f64>,
    /// Largest release lateness; null in simulate.
    pub lateness_max_s: Option<f64>,
}
