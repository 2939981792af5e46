//! The version of TLS and how much of its handshake an earlier one saves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// TLS at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlsSpec {
    /// The version that both ends offer, alone. QUIC has 1.3 whatever stands here (RFC 9001 section 4.2).
    pub version: TlsVersion,
    /// What a handshake may take from an earlier connection to the origin, of this load or of an earlier visit.
    pub resumption: Resumption,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TlsVersion {
    /// RFC 5246.
    #[serde(rename = "1.2")]
    V1_2,
    /// RFC 8446.
    #[serde(rename = "1.3")]
    V1_3,
}

/// How much of the handshake an earlier one saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Resumption {
    /// Nothing.
    None,
    /// A session ticket (RFC 5077, RFC 8446 section 2.2).
    Ticket,
    /// A session ticket, and requests that travel with the first flight (0-RTT, RFC 8446 section 2.3); TLS 1.3 alone.
    EarlyData,
}
