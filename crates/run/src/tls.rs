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

/// What a client offers first for the keys of TLS 1.3 and of QUIC, and its peer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum KeyExchange {
    /// RFC 7748, RFC 8446 section 4.2.8.2: 32 bytes each way.
    #[serde(rename = "x25519")]
    X25519,
    /// ML-KEM-768 (FIPS 203) beside X25519, as browsers have it: 1216 bytes to the server, 1120 back
    /// (draft-ietf-tls-ecdhe-mlkem).
    #[serde(rename = "x25519mlkem768")]
    X25519Mlkem768,
}

impl KeyExchange {
    /// Its name in specifications and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X25519 => "x25519",
            Self::X25519Mlkem768 => "x25519mlkem768",
        }
    }
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
