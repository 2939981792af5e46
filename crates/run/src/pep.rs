//! Proxies on the path (RFC 3135): split connections of TCP and of QUIC, a tunnel, proxies that clients ask.

use bentpipe_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Algorithm, QuicSpec, Switch, TcpSpec};

/// A performance-enhancing proxy on the path (RFC 3135).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PepSpec {
    /// Splits TCP connections without their ends knowing.
    Split(SplitSpec),
    /// As above, but what the hosts send goes through a tunnel, in which the proxy sees no TCP.
    Tunnel(TunnelSpec),
    /// An HTTP proxy at the gateway, which the client knows: it asks for connections to the origin by CONNECT over HTTP/2
    /// (RFC 9113 section 8.5).
    Proxy(ProxySpec),
    /// A proxy for UDP at the gateway, which the client asks by CONNECT-UDP over HTTP/3 (RFC 9298): the client's QUIC
    /// connections to the origin are within one to the proxy.
    Masque(MasqueSpec),
    /// Ends QUIC connections at the terminal and at the gateway, each of which is trusted with the server's key.
    QuicSplit(QuicSplitSpec),
}

/// A transport proxy that splits connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitSpec {
    /// Where it stands.
    pub place: PepPlace,
    /// Congestion control over the satellite, of both directions.
    pub cc: Algorithm,
    /// TCP over the satellite.
    pub tcp: TcpSpec,
    /// What is held at most of one direction of a connection, between the two sockets.
    pub relay_buffer_bytes: Bytes,
    /// Whether terminal and gateway have connections with each other before the run, of which each of a client takes one:
    /// none waits for a handshake over the satellite. With a proxy at both places alone.
    #[serde(default, skip_serializing_if = "Switch::is_off")]
    pub standing: Switch,
}

/// Where a transport proxy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PepPlace {
    /// At the user's terminal: its connections are split in two.
    Terminal,
    /// At the operator's gateway: likewise.
    Gateway,
    /// At either end of the satellite link: in three.
    Both,
}

/// A tunnel between the hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TunnelSpec {
    /// What it adds to each packet; the hosts' MTU is smaller by as much.
    pub header_bytes: Bytes,
}

/// An HTTP proxy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProxySpec {
    /// Congestion control over the satellite, of both directions.
    pub cc: Algorithm,
    /// TCP over the satellite.
    pub tcp: TcpSpec,
    /// What is held at most of one direction of a connection, between the two sockets.
    pub relay_buffer_bytes: Bytes,
}

/// A proxy for UDP over HTTP/3.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MasqueSpec {
    /// Congestion control of the connection to the proxy, of both directions; its other settings are those of the run's
    /// QUIC.
    pub cc: Algorithm,
    /// UDP payload of a full packet of that connection; those within are smaller by what stands around them.
    pub udp_payload_bytes: Bytes,
    /// What waits at most of one direction until that connection's congestion control lets it go.
    pub relay_buffer_bytes: Bytes,
}

/// Proxies at terminal and gateway that end QUIC connections and open them anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuicSplitSpec {
    /// Congestion control over the satellite, of both directions.
    pub cc: Algorithm,
    /// QUIC over the satellite.
    pub quic: QuicSpec,
    /// What a proxy holds at most of one direction of a connection on its side towards a host: its receive window there,
    /// and what it has sent there without an acknowledgement.
    pub relay_buffer_bytes: Bytes,
}
