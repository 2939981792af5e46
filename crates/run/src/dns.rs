//! Names: whom the client asks for the addresses of a page's hosts, and over what.

use bentpipe_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the client of a page load finds the addresses of its hosts; without it they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DnsSpec {
    /// What it speaks with the resolver.
    pub protocol: DnsProtocol,
    /// Where the resolver is.
    pub resolver: ResolverPlace,
    /// Whether the resolver knows the names.
    pub cache: ResolverCache,
    /// Time that a resolver beyond the satellite needs for a question that it has no answer to: its own way to
    /// authoritative servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursion_ns: Option<Duration>,
    /// Whether the connection to the resolver stands before the load; Do53 has none.
    pub connection: ResolverConnection,
}

/// What is spoken with a resolver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DnsProtocol {
    /// DNS over UDP, in clear text (RFC 1035).
    Do53,
    /// DNS over TLS (RFC 7858).
    Dot,
    /// DNS over HTTPS, by HTTP/2 (RFC 8484).
    Doh,
    /// DNS over QUIC (RFC 9250).
    Doq,
}

/// Where a resolver is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResolverPlace {
    /// Beyond the satellite, at the operator's gateway.
    Gateway,
    /// On the client's side of the satellite.
    Terminal,
}

/// Whether a resolver knows the names that it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResolverCache {
    /// Others have asked for them lately.
    Warm,
    /// It asks authoritative servers: one at the terminal asks over the satellite.
    Cold,
}

/// How the client comes to its connection to the resolver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResolverConnection {
    /// The first name of the load opens it.
    Cold,
    /// It is there from before, as in a browser that is in use.
    Warm,
}
