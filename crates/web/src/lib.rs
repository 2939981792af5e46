//! The web as Bentpipe measures it: pages, an origin server, a page loader, bulk flows and pings.
//!
//! Everything here is generic over [`bentpipe_net::Net`], the few things that a program asks of the world:
//! streams, datagrams, a clock and an executor. The emulator implements it with the kernel's sockets,
//! the simulator with virtual ones; this crate never knows which.

pub mod bulk;
pub mod dns;
#[doc(hidden)]
pub mod fuzzing;
pub mod loader;
pub mod origin;
pub mod page;
pub mod pep;
pub mod ping;
pub mod workload;

mod client;
mod connection;
mod hosts;
mod priority;
mod push;
mod sampler;

pub use client::Client;
pub use hosts::Hosts;

/// Ports of the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// HTTP in clear text.
    pub http: u16,
    /// HTTP over TLS (TCP) and HTTP/3 (UDP).
    pub https: u16,
    /// The first bulk flow, TCP or QUIC; further ones follow.
    pub bulk: u16,
    /// UDP echo.
    pub echo: u16,
}

impl Ports {
    /// Those of a run: HTTP's own (RFC 9110 section 4.2), iperf's for bulk flows, the echo protocol's (RFC 862).
    pub const STANDARD: Self = Self { http: 80, https: 443, bulk: 5001, echo: 7 };
}

/// The origin's host name, where the page does not give it another.
pub const HOST: &str = "origin.bentpipe.test";

/// The resolver's name, which its certificate has.
pub const RESOLVER: &str = "resolver.bentpipe.test";
