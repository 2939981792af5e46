//! How a page is loaded: protocol, connections, what is reused of an earlier visit.

use bentpipe_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PageSpec, Priorities, Transport};

/// One load of one page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageLoadSpec {
    /// Protocol version and whether it runs over TLS.
    pub http: Http,
    /// Parallel connections of HTTP/1.0 and HTTP/1.1 to the origin; the others always use one.
    pub connections: u32,
    /// The page.
    pub page: PageSpec,
    /// Requests after which an HTTP/1.1 connection is closed, by both ends; 1 is "not persistent". Without it: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_connection: Option<u32>,
    /// Requests that may wait for their responses on one HTTP/1.1 connection (RFC 9112 section 9.3.2). Without it: one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipelining: Option<u32>,
    /// The most of them on a connection from which no response has come yet. Without it: as many as on any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optimistic_pipelining: Option<u32>,
    /// Percentage of the objects that the origin pushes, the first ones of the page (HTTP/2, SPDY). Without it: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_percent: Option<u32>,
    /// Priorities of requests (HTTP/2, HTTP/3: RFC 9218; SPDY: its own).
    #[serde(default, skip_serializing_if = "Priorities::is_off")]
    pub priorities: Priorities,
    /// Size of each response's header as HTTP/1.1 writes it, first line and empty line included; the origin adds fields
    /// until it has that. Other versions have the same fields but those about the connection. Without it: the origin's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_header_bytes: Option<Bytes>,
    /// What the client remembers of the origin. Without it: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visit: Option<Visit>,
}

/// What a client has when it loads a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Visit {
    /// It was here before: it has the session tickets, Fast Open cookies and address tokens of that visit, and no
    /// connection.
    Repeat,
}

/// An HTTP version as scenarios name it; an `s` means over TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Http {
    /// HTTP/1.0 in clear text (RFC 1945): a connection for each object.
    Http10,
    /// HTTP/1.0 over TLS.
    Http10s,
    /// HTTP/1.1 in clear text (RFC 9112).
    H1,
    /// HTTP/1.1 over TLS.
    H1s,
    /// HTTP/2 over TLS (RFC 9113).
    H2,
    /// HTTP/2 in clear text, of which the client knows beforehand (RFC 9113 section 3.3).
    H2c,
    /// HTTP/3 over QUIC (RFC 9114).
    H3,
    /// SPDY/3.1 over TLS.
    Spdy,
}

/// HTTP/2 settings (RFC 9113 section 6.5.2), the same at both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Http2Spec {
    /// Flow-control window of one stream (SETTINGS_INITIAL_WINDOW_SIZE).
    pub stream_window_bytes: Bytes,
    /// Flow-control window of the connection.
    pub connection_window_bytes: Bytes,
    /// Streams that the peer may have open at once (SETTINGS_MAX_CONCURRENT_STREAMS).
    pub max_concurrent_streams: u32,
    /// Size of the dynamic table for header fields (SETTINGS_HEADER_TABLE_SIZE), where it is not the protocol's own 4096
    /// (RFC 9113 section 6.5.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header_table_bytes: Option<Bytes>,
}

impl PageLoadSpec {
    /// A load with none of the settings that need not be in use.
    pub const fn new(http: Http, connections: u32, page: PageSpec) -> Self {
        Self {
            http,
            connections,
            page,
            requests_per_connection: None,
            pipelining: None,
            optimistic_pipelining: None,
            push_percent: None,
            priorities: Priorities::Off,
            response_header_bytes: None,
            visit: None,
        }
    }
}

impl Http {
    /// Every one.
    pub const ALL: [Self; 8] =
        [Self::Http10, Self::Http10s, Self::H1, Self::H1s, Self::H2, Self::H2c, Self::H3, Self::Spdy];

    /// Whether the protocol runs over QUIC rather than TCP.
    pub const fn transport(self) -> Transport {
        match self {
            Self::H3 => Transport::Quic,
            Self::Http10 | Self::Http10s | Self::H1 | Self::H1s | Self::H2 | Self::H2c | Self::Spdy => {
                Transport::Tcp
            }
        }
    }

    /// Whether the connection is encrypted.
    pub const fn is_tls(self) -> bool {
        !matches!(self, Self::Http10 | Self::H1 | Self::H2c)
    }

    /// The ALPN protocol id (RFC 7301) that the client offers, alone, and the name of the protocol in clear text.
    pub const fn alpn(self) -> &'static str {
        match self {
            Self::Http10 | Self::Http10s => "http/1.0",
            Self::H1 | Self::H1s => "http/1.1",
            Self::H2 => "h2",
            Self::H2c => "h2c",
            Self::H3 => "h3",
            Self::Spdy => "spdy/3.1",
        }
    }
}
