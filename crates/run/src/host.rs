//! How fast the hosts of a run are.

use bentpipe_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The processors at both ends. Proxies between them have none: they take no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostsSpec {
    /// The client's.
    pub client: HostSpec,
    /// The server's.
    pub server: HostSpec,
}

/// What a host's processor, one core, takes for what it encrypts and decrypts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostSpec {
    /// A handshake of TLS, over TCP or within QUIC. All of it falls where the peer's first flight has come.
    pub tls_handshake_ns: Duration,
    /// A full record of TLS over TCP (2^14 bytes, RFC 8446 section 5.1), sent or received; others in proportion.
    pub tls_record_ns: Duration,
    /// A datagram of QUIC, sent or received.
    pub quic_packet_ns: Duration,
}
