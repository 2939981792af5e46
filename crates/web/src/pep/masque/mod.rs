//! Proxying UDP in HTTP (RFC 9298): a [proxy](start) at the gateway, and the [client](Masque) that asks it.
//!
//! The client has one QUIC connection to the proxy, the outer one, and on it a request for each socket of its own. QUIC
//! between client and origin goes in datagrams of the outer connection, which has a congestion control of its own.

mod client;
mod inbox;
mod net;
mod proxy;
mod socket;

use std::net::{IpAddr, SocketAddr};

use bentpipe_http::masque::inner_payload;
use bentpipe_http::quic::{QuicError, Sender};
use bentpipe_run::{MasqueSpec, QuicSpec, RunSpec};
use bentpipe_units::{Bytes, Duration};
use http::StatusCode;

pub(crate) use client::Masque;
pub(super) use proxy::start;

/// The proxy's port, one that needs no privilege.
const PORT: u16 = 4443;
/// From the handshake to the proxy's answer: round trips of seconds where bandwidth is on demand.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(30);
/// Tells the outer connection's random streams from those of every host and flow.
const INDEX: u16 = u16::MAX;

/// Why no UDP goes through a proxy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MasqueError {
    /// The outer connection.
    #[error("connection to the proxy: {0}")]
    Quic(#[from] QuicError),
    /// HTTP/3 on it.
    #[error("HTTP/3 with the proxy: {0}")]
    H3(String),
    /// The proxy is no proxy for UDP (RFC 9220 section 3, RFC 9297 section 2.1.1).
    #[error("the proxy has not said within {HANDSHAKE_LIMIT} that it takes CONNECT-UDP and datagrams")]
    NoDatagrams,
    /// Its answer.
    #[error("the proxy answers {0}")]
    Refused(StatusCode),
    /// Nothing came.
    #[error("the proxy has not answered within {HANDSHAKE_LIMIT}")]
    NoAnswer,
}

/// Where the proxy of a gateway listens.
fn at(gateway: IpAddr) -> SocketAddr {
    SocketAddr::new(gateway, PORT)
}

/// The run as the outer connection has it. It resumes nothing: what is known of the path is what the connections within
/// have learnt.
fn outer(spec: &RunSpec, masque: &MasqueSpec) -> RunSpec {
    // As many full packets as the inner connections start with.
    let (inner, outer) = (spec.quic.udp_payload_bytes.get().max(1), masque.udp_payload_bytes);
    let initial_window = spec.quic.initial_window_bytes.get().saturating_mul(outer.get()) / inner;
    let quic = QuicSpec {
        initial_window_bytes: Bytes::new(initial_window),
        udp_payload_bytes: outer,
        ..spec.quic.clone()
    };
    RunSpec { quic, resume: None, ..spec.clone() }
}

/// As whom either end of the outer connection sends.
fn sender(spec: &RunSpec, masque: &MasqueSpec) -> Sender {
    Sender { datagrams: Some(masque.relay_buffer_bytes), ..Sender::new(masque.cc, INDEX, spec.mark()) }
}

/// What a datagram has room for.
fn most_packet_bytes(masque: &MasqueSpec) -> Bytes {
    Bytes::new(inner_payload(masque.udp_payload_bytes.get()))
}
