//! How fast the hosts of a run are.

use bentpipe_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The processors at both ends, and what else takes time on simulated hosts: emulated ones take that of their machine.
///
/// Proxies have no processor: what they do takes no time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostsSpec {
    /// The client's.
    pub client: HostSpec,
    /// The server's.
    pub server: HostSpec,
    /// How late programs run that were asleep, in steps, the shortest sleep first; those of proxies, too. Without it: at
    /// once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wakeup_latency: Option<Vec<WakeupStep>>,
    /// Packets come out of the link at least so far apart, of both directions together: one thread of the emulator hands one
    /// after the other to the kernel. Without it: several at one instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_spacing_ns: Option<Duration>,
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

/// How late a program runs that slept for so long: the longer, the deeper the idle state that its processor is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WakeupStep {
    /// The shortest sleep that this is for.
    pub slept_ns: Duration,
    /// From the packet or timer that wakes it until it runs.
    pub latency_ns: Duration,
}
