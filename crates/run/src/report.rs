//! What each party of a run saw. Instants are on the run's clock, not yet relative to its start.

use crate::{BrowserReport, Carried, DropCounts, Reason, Table};
use bentpipe_cc::careful_resume::Transition;
use bentpipe_units::{Bytes, Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The client's view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClientReport {
    /// When the workload began: the first `connect` of a page load or flow, the first ping.
    pub started: Time,
    /// Every object of a page load in order of completion, the HTML document first.
    pub objects: Vec<ObjectSighting>,
    /// Every connection the client opened, in order.
    pub connections: Vec<ConnectionReport>,
    /// The transfers of a bulk workload that the client received.
    pub transfers: Vec<TransferReport>,
    /// The echoes of a ping workload.
    pub ping: Option<PingReport>,
    /// What a browser saw besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<BrowserReport>,
    /// Per-connection state at 100 ms where the client is the sender; columns as in [`OriginReport`].
    pub sender: Table,
    /// Why there is no number: errors of the protocol, of a socket, time run out.
    pub faults: Vec<Reason>,
    /// Why the number is untrustworthy: objects that were missing, short or corrupt.
    pub doubts: Vec<Reason>,
    /// TLS secrets in NSS key-log format, when captured.
    pub tls_secrets: Vec<String>,
}

/// One object as the loader saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectSighting {
    /// Absolute URL.
    pub url: String,
    /// Bytes of the body received.
    pub bytes: Bytes,
    /// Index into the client's connections.
    pub connection: usize,
    /// When the document that names it had been parsed.
    pub discovered: Time,
    /// When the request was handed to the connection.
    pub requested: Time,
    /// When the response's header had arrived.
    pub first_byte: Time,
    /// When the last byte of the body had arrived.
    pub last_byte: Time,
    /// HTTP status code.
    pub status: u16,
    /// Bytes of the response's header fields, uncompressed.
    pub response_header_bytes: Bytes,
    /// Bytes of the request's header fields, uncompressed.
    pub request_header_bytes: Bytes,
}

/// Why a connection was opened, where not for a request that had none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Beside one that was slow to come (`connect_retry_ns`).
    Duplicate,
}

/// One connection as one of its ends saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionReport {
    /// `tcp` or `quic`; `tunnel` within a connection to a proxy.
    pub transport: String,
    /// Negotiated application protocol: `http/1.1`, `h2`, `h3`, `bulk`; `connect` to a proxy.
    pub protocol: String,
    /// The client's port, which identifies the connection at both ends.
    pub client_port: u16,
    /// Index of the bulk flow that it carries.
    pub flow: Option<u16>,
    /// When the first packet was sent.
    #[serde(rename = "started_ns")]
    pub started: Time,
    /// How long it waited for the address of its host, right before it started; none where that was known.
    #[serde(default, rename = "name_lookup_ns", skip_serializing_if = "Option::is_none")]
    pub name_lookup: Option<Duration>,
    /// When TCP was established; for QUIC, when the handshake was complete, which with early data is not before the
    /// first response. With Fast Open that is not when data could be sent first: at a client it is when the SYN-ACK came,
    /// at an origin when the SYN did.
    #[serde(rename = "connected_ns")]
    pub connected: Option<Time>,
    /// When TLS was established, which with early data is not before the first response; none without TLS. QUIC's is
    /// part of `connected`.
    #[serde(rename = "secured_ns")]
    pub secured: Option<Time>,
    /// How TLS was established, where the run has settings for TLS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake: Option<Handshake>,
    /// Key exchange of TLS or QUIC, read back from the library, where the run asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_exchange: Option<String>,
    /// When the client closed it, or its peer did; none of a connection that was open at the end of the workload.
    #[serde(default, rename = "closed_ns", skip_serializing_if = "Option::is_none")]
    pub closed: Option<Time>,
    /// Congestion control in use, read back from the socket or the library.
    pub congestion_control: String,
    /// Packets retransmitted (TCP segments; QUIC packets declared lost); none where only a program of others knows.
    pub retransmitted_packets: Option<u64>,
    /// Smoothed RTT at the end.
    #[serde(rename = "srtt_ns")]
    pub srtt: Option<Duration>,
    /// Smallest RTT seen.
    #[serde(rename = "min_rtt_ns")]
    pub min_rtt: Option<Duration>,
    /// Initial congestion window read back at the start; none at a client whose SYN carried data (RFC 7413).
    pub initial_cwnd_bytes: Option<Bytes>,
    /// What it carried, as the client of a page load counted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Carried>,
    /// Why it was opened, where not for a request that had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// The phases of Careful Resume (RFC 9959) at this end, where its sender had something to resume from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumption: Vec<Transition>,
}

/// How a TLS handshake went, read back from the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Handshake {
    /// With key exchange and certificate.
    Full,
    /// From a ticket of an earlier connection.
    Resumed,
    /// From a ticket, with requests in the client's first flight, which the origin took.
    EarlyDataAccepted,
    /// The same, but the origin took none of them, and the client sent them again. Only the client knows that it tried.
    EarlyDataRefused,
}

/// The origin's view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OriginReport {
    /// Every connection accepted, in order.
    pub connections: Vec<ConnectionReport>,
    /// Per-connection state at 100 ms: `time_s` (on the run's clock), `client_port`, `cwnd_bytes`, `srtt_s`,
    /// `in_flight_bytes`, `delivery_rate_bps`, `retransmitted_packets`, `rwnd_limited_s`, `sndbuf_limited_s`. NaN of what does
    /// not exist: before the first RTT sample, and of QUIC the last two.
    pub sender: Table,
    /// The transfers of a bulk workload that the origin received.
    pub transfers: Vec<TransferReport>,
    /// Errors that the origin met.
    pub faults: Vec<Reason>,
}

/// One bulk transfer as its receiver saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransferReport {
    /// Index of the flow.
    pub flow: u16,
    /// Payload received.
    pub bytes: Bytes,
    /// When the first payload byte arrived.
    pub first_byte: Time,
    /// When the last payload byte arrived.
    pub last_byte: Time,
    /// Payload per 100 ms at the receiver: `time_s` (end of the bin, on the run's clock), `received_bytes`.
    pub progress: Table,
}

/// Echoes of a ping workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PingReport {
    /// One entry per request in order: its round trip, or none when no echo came.
    pub rtts: Vec<Option<Duration>>,
}

/// Lost packets of both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Drops {
    /// Server to client.
    pub forward: DropCounts,
    /// Client to server.
    #[serde(rename = "return")]
    pub return_: DropCounts,
}

impl Handshake {
    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Resumed => "resumed",
            Self::EarlyDataAccepted => "early-data-accepted",
            Self::EarlyDataRefused => "early-data-refused",
        }
    }
}

impl ConnectionReport {
    /// `protocol` of a connection to a proxy, within which those to the origin are.
    pub const TO_PROXY: &str = "connect";
    /// `transport` of a connection to the origin within one to a proxy; it has no congestion control of its own.
    pub const TUNNEL: &str = "tunnel";

    /// Whether nothing was ever exchanged over it but the handshake of TCP, as over a spare connection that waits for TLS.
    pub fn is_bare(&self) -> bool {
        self.transport == "tcp" && self.protocol.is_empty() && self.secured.is_none()
    }

    /// The same connection with its instants counted from `start`.
    #[must_use]
    pub fn relative_to(mut self, start: Time) -> Self {
        let rebase = |at: Time| Time::ZERO + at.since(start);
        self.connected = self.connected.map(rebase);
        self.secured = self.secured.map(rebase);
        self.closed = self.closed.map(rebase);
        self.started = rebase(self.started);
        self.resumption.iter_mut().for_each(|step| step.at = rebase(step.at));
        self
    }
}
